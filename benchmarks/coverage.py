"""How often does a 95 % interval contain the truth, when images and when scenes are drawn?

Many test sets are cut from a large number of newly drawn scenes, each of two images, and the
accuracy of the shipped network on each gets both bootstrap intervals. The truth is the accuracy on
all scenes. Run `python -m benchmarks.coverage`; it takes about a minute on one core and writes a
part of the contributor guide.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glyphlab import generate, network
from glyphlab_core import AdditiveStatistic, group_bootstrap

POOL = 6000  # scenes
TESTS = 1000  # test sets of each size
SIZES = (30, 100, 300)  # scenes in a test set; GlyphLab's own has 30
N_RESAMPLES = 500
LEVEL = 0.95
PAGE = Path(__file__).parents[1] / "book" / "guides" / "_bench_coverage.md"


class Coverage(NamedTuple):
    """Shares of the test sets whose interval contains the truth, and the intervals' mean widths."""

    scenes: int
    by_scene: float
    by_image: float
    width_by_scene: float
    width_by_image: float


def correct_images(n_scenes: int = POOL, seed: int = 1) -> NDArray[np.bool_]:
    """Return whether the shipped network is right, (n_scenes, 2), on scenes that it never saw."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(len(generate.CLASS_NAMES), size=n_scenes)
    drawing = generate.draw_scenes(labels, rng, generate.SHIPPED_DIFFICULTY)
    logits = network.gather_logits(network.load_checkpoint(), drawing.images)
    correct: NDArray[np.bool_] = logits.argmax(axis=1) == drawing.labels
    return correct.reshape(n_scenes, generate.VIEWS)


def measure(correct: NDArray[np.bool_], scenes: int, tests: int = TESTS, seed: int = 2) -> Coverage:
    """Measure both intervals of the accuracy on test sets of so many scenes."""
    rng = np.random.default_rng(seed)
    truth = correct.mean()
    groups = {"scene": np.repeat(np.arange(scenes), correct.shape[1])}
    groups["image"] = np.arange(len(groups["scene"]))
    hits = {name: 0 for name in groups}
    widths = {name: 0.0 for name in groups}
    for test in range(tests):
        chosen = correct[rng.choice(len(correct), size=scenes, replace=False)].ravel()
        for name, group in groups.items():
            result = group_bootstrap(
                AdditiveStatistic.mean(),
                group,
                chosen,
                n_resamples=N_RESAMPLES,
                level=LEVEL,
                seed=test,
            )
            hits[name] += bool(result.lower <= truth <= result.upper)
            widths[name] += result.upper - result.lower
    return Coverage(
        scenes,
        hits["scene"] / tests,
        hits["image"] / tests,
        widths["scene"] / tests,
        widths["image"] / tests,
    )


def correlation(correct: NDArray[np.bool_]) -> float:
    """Correlation of correctness between the two images of a scene."""
    return float(np.corrcoef(correct[:, 0], correct[:, 1])[0, 1])


def page(correct: NDArray[np.bool_], rows: list[Coverage]) -> str:
    """The generated part of the guide, in MyST."""
    lines = [
        "% Written by `python -m benchmarks.coverage`; an edit is lost at the next run.",
        "",
        f"{len(correct):,} scenes, accuracy {correct.mean():.4f}; whether the two images of a "
        f"scene are right correlates with {correlation(correct):.4f}. {TESTS:,} test sets of each "
        f"size, percentile intervals of level {LEVEL} from {N_RESAMPLES} resamples.",
        "",
        "| scenes | truth inside, scenes drawn | truth inside, images drawn "
        "| mean width, scenes drawn | mean width, images drawn |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        shares = " | ".join(f"{value:.4f}" for value in row[1:])
        lines.append(f"| {row.scenes} | {shares} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    correct = correct_images()
    text = page(correct, [measure(correct, size) for size in SIZES])
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
