"""Fits a linear map of logits by its log loss: SciPy minimises, a Newton step shows that it did.

The map takes parameters θ to new logits Q(θ), an (N, K) array linear in θ. With target
probabilities t, the loss mean_n (log Σ_k exp q_nk - Σ_k t_nk q_nk) plus ½ Σ ridge θ² is convex.
"""

from collections.abc import Callable
from math import inf
from typing import NamedTuple

import numpy as np

from glyphlab_core import _logits
from glyphlab_core._checks import Floats
from glyphlab_core.temperature import NoOptimumError

_ROUNDS = 20  # of Newton's method after SciPy's; one or two do


class Model(NamedTuple):
    """A linear map with its transpose, the targets and the ridge."""

    new_logits: Callable[[Floats], Floats]  # θ → Q(θ), of shape (N, K)
    transpose: Callable[[Floats], Floats]  # (N, K) → of the shape of θ
    targets: Floats  # (N, K), rows that sum to 1
    ridge: Floats  # of the shape of θ, not negative

    def loss(self, theta: Floats) -> float:
        """Mean loss."""
        q = self.new_logits(theta)
        top, terms = _logits.exponentials(q, 1.0)
        fit = np.log(terms.sum(axis=1)) - np.vecdot(self.targets, q - top[:, None])
        return float(fit.mean() + self.ridge @ theta**2 / 2)

    def probabilities(self, theta: Floats) -> Floats:
        """Softmax of the new logits."""
        _, terms = _logits.exponentials(self.new_logits(theta), 1.0)
        terms /= terms.sum(axis=1, keepdims=True)
        return terms

    def gradient(self, theta: Floats) -> Floats:
        """dL/dθ."""
        excess = self.probabilities(theta) - self.targets
        return self.transpose(excess) / len(excess) + self.ridge * theta

    def hessian_product(self, theta: Floats) -> Callable[[Floats], Floats]:
        """The map v → (d²L/dθ²) v."""
        p = self.probabilities(theta)

        def product(v: Floats) -> Floats:
            q = self.new_logits(v)
            q = p * (q - np.vecdot(p, q)[:, None])
            return self.transpose(q) / len(p) + self.ridge * v

        return product


def minimise(model: Model, start: Floats) -> Floats:
    """Return the minimiser, or raise `NoOptimumError` where the loss falls without end.

    SciPy's trust region gets close: further, changes of the loss drown in rounding. Newton's
    method, which needs the gradient only, goes the rest of the way. Its step also tells whether
    there is an end. Towards a minimiser it shrinks to nothing; where the parameters run away, some
    sample's new log odds would move by 1 or more at every step, however far they have come.
    """
    from scipy.optimize import minimize

    theta: Floats = minimize(
        model.loss,
        start,
        jac=model.gradient,
        hessp=lambda theta, v: model.hessian_product(theta)(v),
        method="trust-ncg",
        options={
            "gtol": 1e-7,
            "maxiter": 1000,
            "initial_trust_radius": 10,
            "max_trust_radius": 1e4,
        },
    ).x
    before = inf
    for _ in range(_ROUNDS):
        step = _newton_step(model, theta)
        moved = float(np.ptp(model.new_logits(step), axis=1).max())
        if moved > 0.5:
            break
        theta = theta + step
        if moved < 1e-9 or before / 2 < moved < 1e-3:  # the error squares, down to rounding
            return theta
        before = moved
    raise NoOptimumError(
        "logits must not tell some classes apart without error after any weights and biases: "
        "the loss falls as these grow without end; regularise, or use a temperature",
        inf,
    )


def _newton_step(model: Model, theta: Floats) -> Floats:
    """Solve (d²L/dθ²) step = -dL/dθ; parameters that change nothing stay where they are."""
    from scipy.sparse.linalg import LinearOperator, minres

    hessian = LinearOperator(
        (len(theta), len(theta)), matvec=model.hessian_product(theta), dtype=np.float64
    )
    step, _ = minres(hessian, -model.gradient(theta), rtol=1e-12, maxiter=20 * len(theta))
    return np.asarray(step, dtype=np.float64)
