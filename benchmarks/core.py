"""The core against its peers and plain NumPy: time, memory and error of the four heavy functions.

`make bench` runs this in `.venv-peers` and writes what the contributor guide shows:
`book/guides/_bench_core.md` and `book/assets/bench_core.svg`. Every figure is a ratio of CPU times
within this run, on one thread, so that it means the same on another machine. A few minutes.
"""

from __future__ import annotations

import sys
import warnings
from math import fsum
from typing import Any

import numpy as np
import scipy.special
import sklearn.calibration
import sklearn.metrics
import torch
import torchmetrics.functional.classification as torchmetrics
from netcal.metrics import ECE
from netcal.scaling import TemperatureScaling as NetcalTemperature
from numpy.typing import NDArray
from relplot.metrics import binnedECE
from threadpoolctl import threadpool_limits

import glyphlab_core as g
from benchmarks.measure import Task, Way, measure
from benchmarks.report import write

N = 10_000_000
ROWS, CLASSES = 50_000, 1000


def confusion_task() -> Task:
    rng = np.random.default_rng(0)
    y, p = rng.integers(3, size=(2, N))
    tensors = torch.from_numpy(y), torch.from_numpy(p)
    exact = np.array([[np.count_nonzero((y == i) & (p == j)) for j in range(3)] for i in range(3)])

    def in_blocks() -> Any:
        step = 1 << 16
        return sum(
            np.bincount(3 * y[i : i + step] + p[i : i + step], minlength=9)
            for i in range(0, N, step)
        )

    def add_at() -> Any:
        counts = np.zeros((3, 3), np.int64)
        np.add.at(counts, (y, p), 1)
        return counts

    return Task(
        title="Confusion matrix of 10,000,000 labels, three classes",
        base_name="sum of both arrays",
        base=lambda: (y.sum(), p.sum()),
        ways=[
            Way("GlyphLab", lambda: g.confusion_matrix(y, p, 3)),
            Way("np.bincount in blocks", in_blocks),
            Way("np.bincount", lambda: np.bincount(3 * y + p, minlength=9)),
            Way("np.add.at", add_at),
            Way("scikit-learn", lambda: sklearn.metrics.confusion_matrix(y, p), rounds=1),
            Way(
                "torchmetrics",
                lambda: torchmetrics.multiclass_confusion_matrix(*tensors[::-1], 3).numpy(),
                rounds=1,
                traced=False,
            ),
        ],
        error=lambda counts: float(np.abs(np.reshape(counts, (3, 3)) - exact).max()),
        error_name="largest error of a cell",
        ratio=4,
        megabytes=8,
        accuracy=0,
    )


def calibration_task() -> Task:
    rng = np.random.default_rng(1)
    confidence = rng.random(N)
    correct = rng.random(N) < confidence**1.3
    tensors = torch.from_numpy(confidence), torch.from_numpy(correct).long()
    edges = np.arange(16) / 15
    binning = g.Binning.uniform(15)
    # Sums without rounding, from the definition.
    bins = np.minimum(np.searchsorted(edges, confidence, side="right") - 1, 14)
    gaps = [fsum((confidence[bins == m] - correct[bins == m]).tolist()) for m in range(15)]
    exact = fsum(map(abs, gaps)) / N

    def searchsorted() -> float:
        at = np.minimum(np.searchsorted(edges, confidence, side="right") - 1, 14)
        return float(np.abs(np.bincount(at, confidence - correct)).sum() / N)

    return Task(
        title="Expected calibration error of 10,000,000 confidences, 15 bins",
        base_name="sum of both arrays",
        base=lambda: (confidence.sum(), correct.sum()),
        ways=[
            Way(
                "GlyphLab",
                lambda: g.expected_calibration_error(confidence, correct, binning),
            ),
            Way("np.searchsorted", searchsorted),
            Way("relplot", lambda: float(binnedECE(confidence, correct, nbins=15))),
            Way(
                "torchmetrics",
                lambda: float(torchmetrics.binary_calibration_error(*tensors, n_bins=15)),
                rounds=1,
                traced=False,
            ),
            Way("netcal", lambda: float(ECE(15).measure(confidence, correct)), rounds=1),
        ],
        error=lambda value: abs(value - exact),
        error_name="error",
        ratio=10,
        megabytes=8,
        accuracy=1e-15,
    )


def _logits() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Logits of a model that is right to believe softmax(z / 1.7)."""
    rng = np.random.default_rng(2)
    z = (rng.standard_normal((ROWS, CLASSES)) * 3).astype(np.float32)
    y = np.array([(row / 1.7 + rng.gumbel(size=CLASSES)).argmax() for row in z])
    return z, y


def _exact_loss(z: NDArray[np.float32], y: NDArray[np.int64]) -> float:
    rows = [
        scipy.special.logsumexp(row.astype(np.float64)) - row[k]
        for row, k in zip(z, y, strict=True)
    ]
    return fsum(rows) / len(rows)


def log_loss_task(z: NDArray[np.float32], y: NDArray[np.int64]) -> Task:
    tensors = torch.from_numpy(z), torch.from_numpy(y)
    exact = _exact_loss(z, y)
    probabilities = scipy.special.softmax(z, axis=1)
    rows = np.arange(ROWS)

    def cross_entropy() -> float:
        with torch.inference_mode():
            return float(torch.nn.functional.cross_entropy(*tensors))

    def scikit_learn() -> float:
        return float(sklearn.metrics.log_loss(y, probabilities, labels=np.arange(CLASSES)))

    return Task(
        title="Log loss of 50,000 × 1,000 float32 logits",
        base_name="np.exp over the data, into new memory",
        base=lambda: np.exp(z),
        ways=[
            Way("GlyphLab", lambda: g.log_loss(z, y)),
            Way("torch", cross_entropy, traced=False),
            Way("SciPy", lambda: -float(scipy.special.log_softmax(z, axis=1)[rows, y].mean())),
            Way("scikit-learn, from probabilities", scikit_learn, rounds=2),
        ],
        error=lambda value: abs(value - exact),
        error_name="error",
        ratio=1.3,
        megabytes=8,
        accuracy=1e-8,
    )


def temperature_task(z: NDArray[np.float32], y: NDArray[np.int64]) -> Task:
    return Task(
        title="Exact temperature of 50,000 × 1,000 float32 logits",
        base_name="np.exp over the data, into new memory",
        base=lambda: np.exp(z),
        ways=[
            Way("GlyphLab", lambda: g.optimal_temperature(z, y)),
            Way("Newton on all rows, plain NumPy", lambda: _plain_newton(z, y), rounds=2),
            Way("scikit-learn", lambda: _scikit_learn(z, y), rounds=1),
            Way("LBFGS, torch", lambda: _lbfgs(z, y, rate=1.0), rounds=1, traced=False),
            Way("netcal", lambda: _netcal(z, y), rounds=1, traced=False),
            Way("the paper's code", lambda: _lbfgs(z, y, rate=0.01), rounds=1, traced=False),
        ],
        error=lambda t: abs(_slope(z, y, t)),
        error_name="gradient left",
        ratio=10,
        megabytes=64,
        accuracy=1e-9,
    )


def _plain_newton(z: NDArray[np.float32], y: NDArray[np.int64]) -> float:
    """As one writes it: float64 sums, all rows at every step, no checks, no bracket."""
    beta = 1.0
    for _ in range(50):
        slope, curvature = _derivatives(z, y, beta)
        beta -= slope / curvature
        if abs(slope / curvature) < 1e-7 * beta:
            break
    return 1 / beta


def _derivatives(z: NDArray[np.float32], y: NDArray[np.int64], beta: float) -> tuple[float, float]:
    slope = curvature = 0.0
    for start in range(0, len(z), 1000):
        block = z[start : start + 1000].astype(np.float64)
        p = np.exp(beta * (block - block.max(axis=1, keepdims=True)))
        p /= p.sum(axis=1, keepdims=True)
        mean = (p * block).sum(axis=1)
        slope += float((mean - block[np.arange(len(block)), y[start : start + 1000]]).sum())
        curvature += float(((p * block**2).sum(axis=1) - mean**2).sum())
    return slope / len(z), curvature / len(z)


def _slope(z: NDArray[np.float32], y: NDArray[np.int64], temperature: float) -> float:
    return -_derivatives(z, y, 1 / temperature)[0] / temperature**2


def _scikit_learn(z: NDArray[np.float32], y: NDArray[np.int64]) -> float:
    """The step that fits; the public class around it would copy the logits for each fold."""
    return 1 / float(sklearn.calibration._TemperatureScaling().fit(z, y).beta_)


def _netcal(z: NDArray[np.float32], y: NDArray[np.int64]) -> float:
    """From probabilities in float64: from those in float32 it returns 1."""
    model = NetcalTemperature()
    model.fit(scipy.special.softmax(z.astype(np.float64), axis=1), y)
    return 1 / float(model.temperature.item())


def _lbfgs(z: NDArray[np.float32], y: NDArray[np.int64], rate: float) -> float:
    """One call of torch's LBFGS with T itself as the parameter; the paper's: 50 steps of 0.01."""
    logits, labels = torch.from_numpy(z), torch.from_numpy(y)
    temperature = torch.nn.Parameter(torch.ones(1) * 1.5)
    optimiser = torch.optim.LBFGS([temperature], lr=rate, max_iter=50)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        value = torch.nn.functional.cross_entropy(logits / temperature, labels)
        value.backward()
        return value

    optimiser.step(loss)
    return temperature.item()


def main() -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # the peers'
    z, y = _logits()
    tasks = [confusion_task(), calibration_task(), log_loss_task(z, y), temperature_task(z, y)]
    tables = []
    with threadpool_limits(1):
        for task in tasks:
            tables.append((task, measure(task)))
            for row in tables[-1][1]:
                print(f"{task.title[:24]:<26}{row.name:<44}{row.ratio:8.2f}", file=sys.stderr)
    write(tables)


if __name__ == "__main__":
    main()
