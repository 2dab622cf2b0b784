"""Is GlyphLab hard enough? Ten other seeds are drawn, trained on and calibrated, one row each.

Wanted over the ten: a mean test accuracy from 0.82 to 0.92, and T* above 1.2 in most. The shipped
seed is not among them: its numbers are what came out. Run `python benchmarks/difficulty.py`; it
takes about half a minute on one core.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from glyphlab import generate, network
from glyphlab_core import optimal_temperature

SEEDS = range(1, 11)


def row(seed: int) -> list[float]:
    """Return training, validation and test accuracy, and T* fitted on validation."""
    drawing, split = generate.draw_glyphlab(seed)
    parts = [split == name for name in generate.SPLITS]
    train, val, _ = parts
    model = network.train(drawing.images[train], drawing.labels[train], seed=seed)
    logits = network.gather_logits(model, drawing.images)
    correct = logits.argmax(axis=1) == drawing.labels
    accuracies = [float(correct[part].mean()) for part in parts]
    return [*accuracies, optimal_temperature(logits[val], drawing.labels[val])]


def main() -> None:
    assert generate.SEED not in SEEDS
    print("seed   train     val    test        T*")
    rows: list[list[float]] = []
    for seed in SEEDS:
        rows.append(row(seed))
        print(f"{seed:>4}  {_format(rows[-1])}", flush=True)
    table: NDArray[np.float64] = np.array(rows)
    print(f"mean  {_format(table.mean(axis=0).tolist())}")
    print(f"T* above 1.2 in {int((table[:, 3] > 1.2).sum())} of {len(table)}")


def _format(values: list[float]) -> str:
    train, val, test, temperature = values
    return f"{train:.4f}  {val:.4f}  {test:.4f}  {temperature:.6f}"


if __name__ == "__main__":
    main()
