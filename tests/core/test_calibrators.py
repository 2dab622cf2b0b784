"""The calibrators against scikit-learn, SciPy and mpmath, and by what must hold of them."""

from itertools import pairwise

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import glyphlab_core as g
from glyphlab_core import worked

CALIBRATORS = [
    g.TemperatureScaling(),
    g.PlattScaling(),
    g.PlattScaling(smoothed=False),
    g.VectorScaling(),
    g.MatrixScaling(),
    g.MatrixScaling(off_diagonal=0.1, intercept=0.1),
    g.IsotonicCalibration(),
]
MAPS = CALIBRATORS[1:6]  # those that fit weights


def draw(seed, n=400, k=3, scale=2.0):
    """Logits that are right often, but not always, and with classes of unequal quality."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    z = rng.normal(scale=scale * np.linspace(0.7, 1.3, k), size=(n, k)) + np.linspace(0, 1, k)
    z[np.arange(n), y] += scale
    return z, y


def loss(p, y):
    return -np.log(p[np.arange(len(y)), y]).mean()


def named(calibrators):
    return [pytest.param(c, id=f"{type(c).__name__}-{i}") for i, c in enumerate(calibrators)]


class Logits:
    """A classifier whose decision function is its input, for scikit-learn to calibrate."""

    _estimator_type = "classifier"

    def __init__(self, k):
        self.classes_ = np.arange(k)
        self.n_features_in_ = k

    def decision_function(self, x):
        return x[:, 0] if len(self.classes_) == 2 else x

    def fit(self, x, y):
        return self

    def predict(self, x):
        return x.argmax(axis=1)

    def __sklearn_tags__(self):
        return LogisticRegression().__sklearn_tags__()


def log_odds(z):
    """From the definition, one class at a time."""
    others = [np.logaddexp.reduce(np.delete(z, k, axis=1), axis=1) for k in range(z.shape[1])]
    return z - np.column_stack(others)


# ------------------------------------------------------------------------ against other libraries


@pytest.mark.parametrize("k", [2, 3, 5])
def test_platt_against_scikit_learn(k):
    z, y = draw(k, k=k)
    odds = log_odds(z)[:, [1]] if k == 2 else log_odds(z)
    theirs = CalibratedClassifierCV(FrozenEstimator(Logits(k)), method="sigmoid").fit(odds, y)
    ours = g.PlattScaling().fit(z, y)
    # Theirs stops at a coarser tolerance.
    np.testing.assert_allclose(ours.predict_proba(z), theirs.predict_proba(odds), atol=2e-4)
    curves = theirs.calibrated_classifiers_[0].calibrators
    np.testing.assert_allclose(ours.slope_, [-c.a_ for c in curves], rtol=2e-3)
    np.testing.assert_allclose(ours.intercept_, [-c.b_ for c in curves], rtol=2e-2, atol=2e-3)


@pytest.mark.parametrize("k", [2, 4])
def test_unsmoothed_platt_against_logistic_regression(k):
    z, y = draw(10 + k, k=k)
    ours = g.PlattScaling(smoothed=False).fit(z, y)
    for i, c in enumerate([1] if k == 2 else range(k)):
        theirs = LogisticRegression(C=np.inf, tol=1e-12, solver="newton-cholesky")
        theirs.fit(log_odds(z)[:, [c]], y == c)
        assert ours.slope_[i] == pytest.approx(theirs.coef_.item(), rel=1e-8)
        assert ours.intercept_[i] == pytest.approx(theirs.intercept_.item(), rel=1e-8, abs=1e-10)


def test_matrix_scaling_against_logistic_regression():
    z, y = draw(20, k=4)
    theirs = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000, solver="newton-cg").fit(z, y)
    ours = g.MatrixScaling().fit(z, y)
    np.testing.assert_allclose(ours.predict_proba(z), theirs.predict_proba(z), atol=1e-8)


def test_matrix_scaling_of_two_classes_against_logistic_regression():
    z, y = draw(21, k=2)
    theirs = LogisticRegression(C=np.inf, tol=1e-12, solver="newton-cholesky").fit(z, y)
    ours = g.MatrixScaling().fit(z, y)
    np.testing.assert_allclose(ours.weight_[1] - ours.weight_[0], theirs.coef_[0], rtol=1e-8)
    assert np.ptp(ours.bias_) == pytest.approx(abs(theirs.intercept_.item()), rel=1e-8)


@pytest.mark.parametrize("k", [2, 3])
def test_vector_scaling_against_a_general_optimiser(k):
    z, y = draw(30 + k, n=200, k=k)

    def objective(theta):  # no gradient given
        return -log_softmax(z * theta[:k] + theta[k:], axis=1)[np.arange(len(y)), y].mean()

    theirs = minimize(objective, np.ones(2 * k), tol=1e-14, options={"maxiter": 10_000})
    ours = g.VectorScaling().fit(z, y)
    found = loss(ours.predict_proba(z), y)
    assert found <= theirs.fun + 1e-15
    assert found == pytest.approx(theirs.fun, rel=1e-9)
    np.testing.assert_allclose(ours.weight_, theirs.x[:k], rtol=1e-4)
    np.testing.assert_allclose(ours.bias_, theirs.x[k:] - theirs.x[k:].mean(), atol=1e-4)


def test_off_diagonal_and_intercept_regularisation_against_its_definition():
    z, y = draw(40, n=150, k=3)
    off, intercept = 0.3, 0.2
    ours = g.MatrixScaling(off_diagonal=off, intercept=intercept).fit(z, y)

    def objective(theta):  # Kull et al. 2019: means of squares over K(K-1) and K entries
        w, b = theta[:9].reshape(3, 3), theta[9:]
        fit = -log_softmax(z @ w.T + b, axis=1)[np.arange(len(y)), y].mean()
        return fit + off * np.mean(w[~np.eye(3, dtype=bool)] ** 2) + intercept * np.mean(b**2)

    theirs = minimize(objective, np.zeros(12), tol=1e-14, options={"maxiter": 10_000})
    at = np.concatenate([ours.weight_.ravel(), ours.bias_])
    assert objective(at) == pytest.approx(theirs.fun, rel=1e-10)
    assert objective(at) <= theirs.fun + 1e-14
    np.testing.assert_allclose(at, theirs.x, atol=1e-4)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_isotonic_against_scikit_learn(k):
    z, y = draw(50 + k, n=100, k=k)
    z = np.vstack([z, z[:60]])  # ties
    y = np.concatenate([y, np.roll(y[:60], 1)])
    new, _ = draw(60 + k, k=k, scale=4)
    ours = g.IsotonicCalibration().fit(z, y)
    p, q = g.softmax(z), g.softmax(new)
    columns = []
    for c in [1] if k == 2 else range(k):
        theirs = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(p[:, c], y == c)
        columns.append(theirs.predict(q[:, c]))
    expected = np.column_stack(columns)
    if k == 2:
        expected = np.hstack([1 - expected, expected])
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ours.predict_proba(new), expected, atol=1e-12)


def test_platt_against_mpmath():
    z = [[2, 0], [1, 0], [0.5, 0], [0, 0.5], [0, 1], [0, 3]]
    y = [0, 1, 0, 1, 0, 1]
    mp = mpmath.mp.clone()
    mp.dps = 40
    high, low = mp.mpf(4) / 5, mp.mpf(1) / 5  # (3 + 1)/(3 + 2) and 1/(3 + 2)

    def slope_of_loss(a, b):
        excess = []
        for (z0, z1), label in zip(z, y, strict=True):
            score = mp.mpf(z1) - mp.mpf(z0)
            p = 1 / (1 + mp.exp(-(a * score + b)))
            excess.append((p - (high if label else low), score))
        return [sum(e * s for e, s in excess), sum(e for e, _ in excess)]

    a, b = mp.findroot(slope_of_loss, (mp.mpf("0.3"), mp.mpf("-0.1")))
    ours = g.PlattScaling().fit(z, y)
    assert ours.slope_[0] == pytest.approx(float(a), rel=1e-13)
    assert ours.intercept_[0] == pytest.approx(float(b), rel=1e-13)


# ------------------------------------------------------------------------------------- properties


@pytest.mark.parametrize("seed", range(3))
def test_temperature_is_the_exact_one(seed):
    z, y = draw(seed)
    fitted = g.TemperatureScaling().fit(z, y)
    assert fitted.temperature_ == g.optimal_temperature(z, y)
    np.testing.assert_array_equal(fitted.predict_proba(z), g.softmax(z, fitted.temperature_))


def test_temperature_of_the_three_samples():
    fitted = g.TemperatureScaling().fit(worked.Z, worked.y)
    assert fitted.temperature_ == pytest.approx(0.704528124866494, abs=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_each_method_nests_the_one_before(seed):
    z, y = draw(seed, k=3 + seed % 3)
    methods = [g.TemperatureScaling(), g.VectorScaling(), g.MatrixScaling()]
    losses = [g.log_loss(z, y), *(loss(m.fit(z, y).predict_proba(z), y) for m in methods)]
    for simple, rich in pairwise(losses):
        assert rich < simple


def test_vector_scaling_finds_a_temperature_where_there_is_one():
    rng = np.random.default_rng(0)
    z = rng.normal(scale=3, size=(50_000, 3))
    y = (z / 1.7 + rng.gumbel(size=z.shape)).argmax(axis=1)  # P(y | z) = softmax(z / 1.7)
    fitted = g.VectorScaling().fit(z, y)
    np.testing.assert_allclose(fitted.weight_, 1 / 1.7, rtol=0.04)
    np.testing.assert_allclose(fitted.bias_, 0, atol=0.04)


def test_strong_regularisation_leaves_the_diagonal_alone():
    z, y = draw(3)
    fitted = g.MatrixScaling(off_diagonal=1e8, intercept=1e8).fit(z, y)
    np.testing.assert_allclose(fitted.weight_, np.diag(np.diag(fitted.weight_)), atol=1e-6)
    np.testing.assert_allclose(fitted.bias_, 0, atol=1e-6)
    vector = g.VectorScaling().fit(z, y)
    assert loss(fitted.predict_proba(z), y) > loss(vector.predict_proba(z), y)


def test_only_temperature_keeps_the_argmax():
    z, y = draw(4)
    kept = {
        type(c).__name__: bool(
            (c.fit(z, y).predict_proba(z).argmax(axis=1) == z.argmax(axis=1)).all()
        )
        for c in CALIBRATORS
    }
    assert kept.pop("TemperatureScaling")
    assert not any(kept.values())


@pytest.mark.parametrize("calibrator", named(CALIBRATORS))
@pytest.mark.parametrize("k", [2, 4])
def test_rows_are_probabilities(calibrator, k):
    z, y = draw(70 + k, k=k)
    fitted = calibrator.fit(z, y)
    assert fitted is calibrator
    for new in (z, 50 * z, draw(80, k=k, scale=30)[0]):
        p = fitted.predict_proba(new)
        assert p.dtype == np.float64
        assert p.shape == new.shape
        assert np.all((p >= 0) & (p <= 1))
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("calibrator", named(CALIBRATORS))
def test_order_of_samples_changes_nothing(calibrator):
    z, y = draw(5, n=150)
    before = calibrator.fit(z, y).predict_proba(z)
    order = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_allclose(
        calibrator.fit(z[order], y[order]).predict_proba(z), before, atol=1e-9
    )


@pytest.mark.parametrize("calibrator", named(CALIBRATORS))
def test_names_of_classes_change_nothing(calibrator):
    z, y = draw(6, n=150)
    before = calibrator.fit(z, y).predict_proba(z)
    swap = np.array([2, 0, 1])  # new column j is old column swap[j]
    after = calibrator.fit(z[:, swap], np.argsort(swap)[y]).predict_proba(z[:, swap])
    np.testing.assert_allclose(after, before[:, swap], atol=1e-9)


@pytest.mark.parametrize("calibrator", named(CALIBRATORS[:5]))
@pytest.mark.parametrize("c", [2.0**-200, 1e-3, 7.0, 2.0**200])
def test_unit_of_the_logits_changes_nothing(calibrator, c):
    z, y = draw(7, n=150, k=2)
    before = calibrator.fit(z, y).predict_proba(z)
    np.testing.assert_allclose(calibrator.fit(c * z, y).predict_proba(c * z), before, atol=1e-9)


@pytest.mark.parametrize(
    "calibrator", named([g.TemperatureScaling(), *CALIBRATORS[1:3], g.IsotonicCalibration()])
)
def test_what_is_added_to_a_row_changes_nothing(calibrator):
    z, y = draw(8, n=150)
    before = calibrator.fit(z, y).predict_proba(z)
    moved = z + np.round(np.random.default_rng(0).normal(scale=5, size=(150, 1)))
    np.testing.assert_allclose(calibrator.fit(moved, y).predict_proba(moved), before, atol=1e-9)


def test_rows_that_sum_to_zero_have_a_fit_too():
    z, y = draw(9)
    centred = z - z.mean(axis=1, keepdims=True)  # then W is not unique, its result is
    theirs = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000, solver="newton-cg")
    p = g.MatrixScaling().fit(centred, y).predict_proba(centred)
    np.testing.assert_allclose(p, theirs.fit(centred, y).predict_proba(centred), atol=1e-8)


@pytest.mark.parametrize("calibrator", named(MAPS))
def test_logits_that_say_nothing_give_the_prevalences(calibrator):
    y = np.array([0] * 6 + [1] * 3 + [2])
    p = calibrator.fit(np.zeros((10, 3)), y).predict_proba(np.zeros((1, 3)))
    if isinstance(calibrator, g.PlattScaling):
        n = np.array([6, 3, 1])
        high, low = (n + 1) / (n + 2), 1 / (12 - n)
        share = (n * high + (10 - n) * low) / 10 if calibrator.smoothed else n / 10
        np.testing.assert_allclose(p[0], share / share.sum(), atol=1e-9)
    elif isinstance(calibrator, g.VectorScaling) or calibrator.intercept == 0:
        np.testing.assert_allclose(p[0], [0.6, 0.3, 0.1], atol=1e-9)


def test_isotonic_values_are_hit_rates():
    z = np.log([[1, 1], [1, 1], [1, 3], [1, 3], [1, 3], [1, 3]])
    fitted = g.IsotonicCalibration().fit(z, [0, 1, 1, 1, 0, 1])
    np.testing.assert_allclose(fitted.thresholds_[0], [0.5, 0.75])
    np.testing.assert_allclose(fitted.values_[0], [0.5, 0.75])
    p = fitted.predict_proba(np.log([[3, 1], [3, 5], [1, 9]]))[:, 1]
    np.testing.assert_allclose(p, [0.5, 0.625, 0.75])  # held, between the knots, held


def test_isotonic_row_without_any_probability_is_uniform():
    p = [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]]
    p += [[0.55, 0.4, 0.05], [0.05, 0.55, 0.4], [0.4, 0.05, 0.55]]  # 0.4 is never right
    fitted = g.IsotonicCalibration().fit(np.log(p), [0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(fitted.predict_proba(np.zeros((1, 3))), np.full((1, 3), 1 / 3))


# --------------------------------------------------------------------------- no optimum, bad input


def test_separable_classes_have_no_weights():
    z = np.array([[3.0, 0], [2, 0], [1, 0], [0, 1], [0, 2]])
    y = [0, 0, 0, 1, 1]
    for calibrator in (
        g.PlattScaling(smoothed=False),
        g.VectorScaling(),
        g.MatrixScaling(0.1, 0.1),
    ):
        with pytest.raises(g.NoOptimumError, match="without error") as caught:
            calibrator.fit(z, y)
        assert caught.value.limit == np.inf
        with pytest.raises(ValueError, match="must be fitted"):
            calibrator.predict_proba(z)
    assert g.PlattScaling().fit(z, y).slope_[0] > 0


@pytest.mark.parametrize("seed", range(20))
def test_separability_is_told_as_a_linear_program_tells_it(seed):
    from scipy.optimize import linprog

    rng = np.random.default_rng(seed)
    z, y = draw(seed, n=12 + seed, k=2 + seed % 2, scale=1.5)
    z = np.round(z, int(rng.integers(0, 2)))  # coarse ones are often separable but for ties
    n, k = z.shape
    design = np.hstack([z, np.ones((n, 1))])
    rows = []  # x_n (d_y - d_k) ≥ 0 for all k, somewhere > 0: then the loss falls along d
    for i in range(n):
        for c in set(range(k)) - {y[i]}:
            row = np.zeros((k, k + 1))
            row[y[i]], row[c] = design[i], -design[i]
            rows.append(row.ravel())
    a = np.array(rows)
    best = linprog(
        -a.sum(axis=0), np.vstack([-a, a]), np.repeat([0.0, 1.0], len(a)), bounds=(-1, 1)
    )
    separable = -best.fun > 1e-7
    try:
        g.MatrixScaling().fit(z, y)
        found = False
    except g.NoOptimumError:
        found = True
    assert found == separable


@pytest.mark.parametrize("calibrator", named(CALIBRATORS))
def test_bad_input(calibrator):
    z, y = draw(11, n=60)
    with pytest.raises(ValueError, match="must be fitted before predict_proba"):
        type(calibrator)().predict_proba(z)
    fitted = type(calibrator)().fit(z, y)
    with pytest.raises(ValueError, match="must have 3 columns, as when fitted, not 2"):
        fitted.predict_proba(z[:, :2])
    holed = z.copy()
    holed[5, 1] = np.nan
    for call in (lambda: fitted.predict_proba(holed), lambda: fitted.fit(holed, y)):
        with pytest.raises(ValueError, match=r"logits\[5, 1\] is nan"):
            call()
    with pytest.raises(ValueError, match=r"y\[0\] is 3"):
        fitted.fit(z, np.full(60, 3))
    with pytest.raises(ValueError, match=r"as many elements as logits has rows: 59, not 60"):
        fitted.fit(z, y[1:])
    with pytest.raises(ValueError, match="must not be empty"):
        fitted.fit(np.zeros((0, 3)), [])
    if not isinstance(calibrator, g.TemperatureScaling):
        with pytest.raises(ValueError, match="y must hold all 3 classes: class 2 is missing"):
            fitted.fit(z, np.minimum(y, 1))
        with pytest.raises(ValueError, match="at least two columns"):
            fitted.fit(z[:, :1], np.zeros(60))


@pytest.mark.parametrize("calibrator", named(CALIBRATORS[1:6]))
def test_a_masked_class_has_no_weight(calibrator):
    z, y = draw(12, n=60)
    z[3, (y[3] + 1) % 3] = -np.inf
    with pytest.raises(ValueError, match=r"logits must be finite: logits\[3, .\] is -inf"):
        calibrator.fit(z, y)
    assert np.isfinite(g.TemperatureScaling().fit(z, y).temperature_)


@pytest.mark.parametrize("name", ["off_diagonal", "intercept"])
@pytest.mark.parametrize("value", [-1, np.nan, np.inf, "a"])
def test_bad_regularisation(name, value):
    with pytest.raises(ValueError, match=f"{name} must"):
        g.MatrixScaling(**{name: value}).fit(*draw(13, n=60))


@pytest.mark.parametrize("calibrator", named(CALIBRATORS))
def test_extreme_logits_stay_probabilities(calibrator):
    z, y = draw(14, n=60)
    fitted = calibrator.fit(z, y)
    extreme = [[1e308, -1e308, 0], [-1.7e308, 1.7e308, 1.7e308], [5e-324, 0, -5e-324]]
    p = fitted.predict_proba(extreme)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)


def test_arguments_are_left_alone_and_types_are_taken():
    torch = pytest.importorskip("torch")
    z, y = draw(15, n=60)
    before = z.copy()
    expected = g.VectorScaling().fit(z, y).predict_proba(z)
    np.testing.assert_array_equal(z, before)
    for logits, labels in ((z.tolist(), y.tolist()), (torch.tensor(z), torch.tensor(y))):
        p = g.VectorScaling().fit(logits, labels).predict_proba(logits)
        np.testing.assert_array_equal(p, expected)
    wide = np.asfortranarray(np.repeat(z, 2, axis=1))[:, ::2]
    np.testing.assert_allclose(g.VectorScaling().fit(wide, y).predict_proba(wide), expected)


# -------------------------------------------------------------------- cross-validated temperature


def test_cross_validation_never_splits_a_scene():
    z, y = draw(16, n=60)
    scene = np.repeat(np.arange(30), 2)
    result = g.cross_validated_temperature(z, y, scene, folds=7, seed=3)
    for s in range(30):
        assert len(set(result.fold[scene == s])) == 1
    sizes = np.bincount(result.fold[::2], minlength=7)
    assert sorted(sizes.tolist()) == [4, 4, 4, 4, 4, 5, 5]


def test_cross_validation_holds_out_what_it_judges():
    z, y = draw(17, n=90)
    result = g.cross_validated_temperature(z, y, folds=4)
    assert result.temperature == g.optimal_temperature(z, y)
    assert result.log_loss_before == g.log_loss(z, y)
    total = 0.0
    for f in range(4):
        held = result.fold == f
        t = g.optimal_temperature(z[~held], y[~held])
        assert result.fold_temperatures[f] == t
        total += -log_softmax(z[held] / t, axis=1)[np.arange(held.sum()), y[held]].sum()
    assert result.log_loss == pytest.approx(total / 90, rel=1e-12)
    assert result.log_loss > g.log_loss(z, y, result.temperature)


def test_folds_depend_on_the_seed_alone():
    z, y = draw(18, n=60)
    names = np.array([f"scene {i // 2}" for i in range(60)])
    first, again, other = (g.cross_validated_temperature(z, y, names, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.fold, again.fold)
    assert (first.fold != other.fold).any()
    assert first.temperature == other.temperature


def test_cross_validation_refuses():
    z, y = draw(19, n=20)
    for arguments, message in (
        ({"folds": 1}, "folds must be at least 2"),
        ({"folds": 21}, "at most the number of groups, 20: folds is 21"),
        ({"folds": 2.5}, "folds must be a whole number"),
        ({"groups": np.arange(19)}, "groups must have one element a row: 19, not 20"),
        ({"groups": np.zeros(20)}, "at most the number of groups, 1"),
        ({"seed": -1}, "seed must be at least 0"),
    ):
        with pytest.raises(ValueError, match=message):
            g.cross_validated_temperature(z, y, **arguments)


def test_cross_validation_names_the_fold_without_an_optimum():
    z = np.array([[1.0, 0]] * 9 + [[0, 1.0]])  # the last one alone is wrong
    with pytest.raises(g.NoOptimumError, match="without fold") as caught:
        g.cross_validated_temperature(z, np.zeros(10), folds=10)
    assert caught.value.limit == 0


def test_logits_of_any_size_have_a_penalty():
    """The squared spread of such logits overflows; their penalty does not."""
    fitted = g.MatrixScaling(off_diagonal=1.0).fit([[1e308, 1e308], [1e308, 1e308]], [0, 1])
    assert fitted.predict_proba([[1e308, 1e308]]).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("smoothed", ["no", 1, None, np.array([True])])
def test_platts_option_is_true_or_false(smoothed):
    with pytest.raises(ValueError, match="smoothed must be True or False, not"):
        g.PlattScaling(smoothed).fit([[1, 0], [1, 0], [1, 0]], [0, 0, 1])
