"""The widgets, moved in a browser: what they show is what glyphlab_core computes."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from book_builds import build_book, small_book
from browser import Browser
from widget_data import ATTEMPT, HIDDEN, ON_AN_EDGE, OPENING, WIDGETS, two_halves

import glyphlab_core as core
from glyphlab import dataset
from glyphlab_core import Binning, worked

ROOT = Path(__file__).parents[2]
MATRIX, CALIBRATION = "book/23_1_confusion_matrix.html", "book/23_2_calibration.html"
PAGE_OF = {
    "confusion-editor": MATRIX,
    "temperature-samples": CALIBRATION,
    "temperature-sets": CALIBRATION,
    "reliability-bins": CALIBRATION,
    "threshold-costs": CALIBRATION,
}


class Page:
    """A page with widgets, and hands to move them."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def run(self, script: str, *arguments: object) -> Any:
        """Call a JavaScript function with arguments."""
        return self.browser.evaluate(f"({script})(...{json.dumps(arguments)})")

    def set(self, selector: str, value: object) -> None:
        """Give a field, slider or list a value, as typing or dragging does."""
        script = """(selector, value) => {
            const field = document.querySelector(selector);
            if (!field) throw new Error(`nothing is ${selector}`);
            field.value = value;
            for (const kind of ["input", "change"])
                field.dispatchEvent(new Event(kind, { bubbles: true }));
        }"""
        self.run(script, selector, value)

    def click(self, selector: str, text: str = "") -> None:
        """Click the first element of a selector that holds the text."""
        script = """(selector, text) => {
            const all = [...document.querySelectorAll(selector)];
            const found = all.find((one) => one.textContent.includes(text));
            if (!found) throw new Error(`no ${selector} says ${text}`);
            found.click();
        }"""
        self.run(script, selector, text)

    def text(self, selector: str) -> str:
        return str(self.run("(selector) => document.querySelector(selector).textContent", selector))

    def shown(self, widget: str, name: str) -> str:
        """What a named output or cell of a widget says."""
        return self.text(f"#widget-{widget} [data-name='{name}']")

    def sentence(self, widget: str) -> str:
        """The sentence that a screen reader hears once all is quiet."""
        self.browser.evaluate("new Promise(done => setTimeout(done, 400))")
        return self.text(f"#widget-{widget} [role=status]")

    def drawn(self) -> None:
        """Wait until charts are drawn, which is in the next frame."""
        frame = "requestAnimationFrame(() => requestAnimationFrame(done))"
        self.browser.evaluate(f"new Promise(done => {frame}).then(() => true)")

    def press(self, key: str, times: int = 1, *, shift: bool = False) -> None:
        for _ in range(times):
            self.browser.press(key, shift=shift)

    def focus(self, selector: str) -> None:
        self.run("(selector) => document.querySelector(selector).focus()", selector)


def says(text: str, value: float) -> None:
    """A number is shown rounded to the places that it is shown with."""
    if np.isnan(value):
        assert text.startswith("undefined"), (text, value)
        return
    number = re.match(r"−?\d+(?:\.(\d+))?", text)
    assert number, text
    places = len(number[1] or "")
    assert abs(float(number[0].replace("−", "-")) - value) <= 0.5 * 10**-places + 1e-12, value


@pytest.fixture
def page(browser: Browser, address: str, request: pytest.FixtureRequest) -> Page:
    """The page that the test's mark names, freshly opened."""
    browser.open(f"{address}/{request.param}")
    return Page(browser)


@pytest.fixture(scope="module")
def formulas(browser: Browser, address: str) -> Page:
    """A page whose formulas are called and where nothing is moved."""
    browser.open(f"{address}/{CALIBRATION}")
    return Page(browser)


on_matrix_page = pytest.mark.parametrize("page", [MATRIX], indirect=True)
on_calibration_page = pytest.mark.parametrize("page", [CALIBRATION], indirect=True)

# ------------------------------------------------------------------ the formulas


def in_javascript(page: Page, expression: str, *arguments: object) -> Any:
    """Evaluate with the page's formulas `m`; NaN and infinity come back as such."""
    script = f"""(...a) => JSON.stringify(((m) => {expression})(window.glyphlab.metrics),
        (_, v) => typeof v === "number" && !Number.isFinite(v) ? {{ not: String(v) }} : v)"""

    def read(value: dict[str, Any]) -> Any:
        return float(value["not"].replace("Infinity", "inf")) if "not" in value else value

    return json.loads(page.run(script, *arguments), object_hook=read)


def matrices() -> list[np.ndarray]:
    """Random matrices, some with empty rows and columns."""
    rng = np.random.default_rng(0)
    found = [worked.C, worked.C_z, worked.C_F2, ATTEMPT, OPENING]
    for k in (2, 3, 4):
        for _ in range(8):
            C = rng.integers(0, 9, (k, k))
            C[rng.integers(k)] *= rng.integers(2)
            C[:, rng.integers(k)] *= rng.integers(2)
            C[0, 0] += 1
            found.append(C)
    return found


def test_metrics_of_a_matrix(formulas: Page) -> None:
    raised = 0
    for C in matrices():
        for convention in ("omit", "zero", "raise"):
            got = in_javascript(formulas, "m.coreMetrics(...a)", C.tolist(), convention)
            try:
                wanted = core.core_metrics(C, convention)
            except ZeroDivisionError:
                raised += 1
                assert got is None
                continue
            names = [name for name in wanted if name.startswith(("acc", "micro", "macro"))]
            assert len(names) == 7
            for name in names:
                np.testing.assert_allclose(got[name], wanted[name], rtol=1e-13, err_msg=name)
            for name, values in wanted["per_class"].items():
                np.testing.assert_allclose(got["perClass"][name], values, rtol=1e-13)
            assert got["averaged"] == wanted["averaged"]
    assert raised > 5


def test_losses_and_temperatures(formulas: Page) -> None:
    rng = np.random.default_rng(1)
    for k, n in ((2, 5), (3, 40), (4, 200)):
        z = rng.normal(0, 3, (n, k))
        y = np.where(rng.random(n) < 0.7, z.argmax(axis=1), rng.integers(0, k, n))
        y[0] = (z[0].argmax() + 1) % k  # an error, so that a best temperature exists
        data = (z.tolist(), y.tolist())
        for T in (0.1, 0.7, 1.0, 5.0):
            loss = in_javascript(formulas, "m.logLoss(a[0], a[1], a[2])", *data, T)
            np.testing.assert_allclose(loss, core.log_loss(z, y, T), rtol=1e-12)
            p = in_javascript(formulas, "m.softmax(a[0], a[2])", *data, T)
            np.testing.assert_allclose(p, core.softmax(z, T), rtol=1e-12, atol=1e-300)
            brier = in_javascript(formulas, "m.brierScore(m.softmax(a[0], a[2]), a[1])", *data, T)
            np.testing.assert_allclose(brier, core.brier_score(core.softmax(z, T), y), rtol=1e-12)
        best = in_javascript(formulas, "m.optimalTemperature(...a)", *data)
        np.testing.assert_allclose(best, core.optimal_temperature(z, y), rtol=1e-9)
    never_wrong = in_javascript(formulas, "m.optimalTemperature([[1, 0], [0, 1]], [0, 1])")
    assert np.isnan(never_wrong)


def test_bins(formulas: Page) -> None:
    rng = np.random.default_rng(2)
    confidence = np.concatenate([rng.random(50), np.arange(21) / 20, [0.6, 0.7, 0.1 * 3]])
    correct = rng.integers(0, 2, len(confidence))
    for n in (1, 2, 3, 5, 7, 10, 20):
        for closed in ("left", "right"):
            bins, data = Binning.uniform(n, closed), (confidence.tolist(), correct.tolist())
            got = in_javascript(formulas, "m.expectedCalibrationError(...a)", *data, n, closed)
            wanted = core.expected_calibration_error(confidence, correct, bins)
            np.testing.assert_allclose(got, wanted, rtol=1e-12)
            rows = in_javascript(formulas, "m.reliabilityTable(...a)", *data, n, closed)
            table = core.reliability_table(confidence, correct, bins)
            assert [row["count"] for row in rows] == table.count.tolist()
            np.testing.assert_allclose([row["accuracy"] for row in rows], table.accuracy)
            seen = [row["confidence"] for row in rows]
            np.testing.assert_allclose(seen, table.mean_confidence, rtol=1e-12)


def test_thresholds(formulas: Page) -> None:
    rng = np.random.default_rng(3)
    p = np.round(rng.random(60), 2)  # with ties
    y = (rng.random(60) < p).astype(int)
    got = in_javascript(formulas, "m.thresholdSweep(...a)", p.tolist(), y.tolist())
    sweep = core.threshold_sweep(p, y)
    names = {"tp": "true_positive", "fp": "false_positive", "fn": "false_negative"}
    names |= {"tn": "true_negative", "threshold": "threshold"}
    for name, attribute in names.items():
        np.testing.assert_array_equal([one[name] for one in got], getattr(sweep, attribute))
    for tau, fp, fn in ((0.0, 1, 5), (0.3, 1, 5), (0.5, 2, 0), (1.0, 0, 3)):
        expression = "m.costOf(m.decisionCells(a[0], a[1], a[2]), a[3], a[4])"
        cost = in_javascript(formulas, expression, p.tolist(), y.tolist(), tau, fp, fn)
        np.testing.assert_allclose(cost, core.expected_cost(p, y, tau, fp, fn), rtol=1e-12)
        star = in_javascript(formulas, "m.costThreshold(...a)", fp, fn)
        assert star == core.cost_threshold(fp, fn)


# ------------------------------------------------------------------ the confusion matrix editor

EDITOR = "#widget-confusion-editor"
PRESETS = {"C": worked.C, "C_z": worked.C_z, "attempt": ATTEMPT, "opening": OPENING}


def check_editor(page: Page, C: np.ndarray) -> None:
    cells = page.run(
        "(at) => [...document.querySelectorAll(`${at} [name^=cell]`)].map((f) => f.value)",
        EDITOR,
    )
    assert cells == [str(count) for count in C.ravel().tolist()]
    for convention in ("omit", "zero", "raise"):
        try:
            wanted = core.core_metrics(C, convention)
        except ZeroDivisionError:
            wanted = None
        accuracy = page.shown("confusion-editor", f"accuracy-{convention}")
        says(accuracy, core.core_metrics(C)["accuracy"])
        for name in ("macro_precision", "macro_recall", "macro_f1"):
            text = page.shown("confusion-editor", f"{name}-{convention}")
            if wanted is None:
                assert text == "an error"
            else:
                says(text, wanted[name])
    for i in range(len(C)):
        hits = C[i, i]
        wanted_counts = {"tp": hits, "fp": C[:, i].sum() - hits, "fn": C[i].sum() - hits}
        wanted_counts["tn"] = C.sum() - sum(wanted_counts.values())
        for name, count in wanted_counts.items():
            assert page.shown("confusion-editor", f"{name}-{i}") == str(count)
        for name, values in core.core_metrics(C)["per_class"].items():
            says(page.shown("confusion-editor", f"{name}-{i}"), values[i])


@on_matrix_page
def test_editor_presets_and_axes(page: Page) -> None:
    check_editor(page, worked.C)
    for name, C in PRESETS.items():
        page.set(f"{EDITOR} select", name)
        check_editor(page, C)
        page.click(f"{EDITOR} button", "Exchange the axes")
        check_editor(page, C.T)
        page.click(f"{EDITOR} button", "Back to the start")
        check_editor(page, C)
    page.set(f"{EDITOR} select", "C_z")
    assert "over 2 of 3" in page.shown("confusion-editor", "macro_f1-omit")
    assert page.shown("confusion-editor", "precision-2") == "undefined (never called)"
    for name in PRESETS:
        page.set(f"{EDITOR} select", name)
        page.click(f"{EDITOR} button", "Exchange the axes")
        assert "axes are exchanged" in page.sentence("confusion-editor")
    page.set(f"{EDITOR} select", "C_z")
    page.click(f"{EDITOR} button", "Exchange the axes")
    assert page.shown("confusion-editor", "recall-2") == "undefined (no samples)"


@on_matrix_page
def test_editor_cells(page: Page) -> None:
    C = worked.C_z.copy()
    page.set(f"{EDITOR} select", "C_z")
    for i in range(3):
        for j in range(3):
            C[i, j] = 3 * i + j
            page.set(f"{EDITOR} [name=cell-{i}-{j}]", int(C[i, j]))
            check_editor(page, C)
    page.click(f"{EDITOR} td:has([name=cell-1-2]) button", "+")
    C[1, 2] += 1
    check_editor(page, C)
    page.click(f"{EDITOR} td:has([name=cell-0-0]) button", "−")  # at 0 already: it stays
    check_editor(page, C)


@on_matrix_page
@pytest.mark.parametrize("value", ["-1", "", "1.5", "1000"])
def test_editor_marks_what_is_no_count(page: Page, value: str) -> None:
    cell = f"{EDITOR} [name=cell-0-0]"
    page.set(cell, value)
    assert (
        page.run("(at) => document.querySelector(at).getAttribute('aria-invalid')", cell) == "true"
    )
    says(page.shown("confusion-editor", "accuracy-omit"), core.core_metrics(worked.C)["accuracy"])
    page.focus(cell)
    told = page.browser.focused()["description"]["value"]
    wanted = "true 0, called 0: a whole number from 0 to 999"
    assert told == f"{wanted}; {worked.C[0, 0]}, the last valid one, is used"
    assert told in page.run("(at) => document.querySelector(at).innerText", EDITOR)
    page.set(cell, 7)
    assert not page.run("(at) => document.querySelector(at).hasAttribute('aria-invalid')", cell)


@on_calibration_page
def test_nothing_is_complained_of_while_it_is_typed(page: Page) -> None:
    """What is typed passes through what is no temperature: "0", "0."."""
    exact, said = f"{SAMPLES} [name=exact]", f"{SAMPLES} .widget-complaint"
    for typed in ("0", "0.", "0.7"):
        page.run(
            "(at, typed) => { const field = document.querySelector(at); field.value = typed;"
            " field.dispatchEvent(new Event('input', { bubbles: true })); }",
            exact,
            typed,
        )
        assert page.text(said) == ""
    assert page.shown("temperature-samples", "loss") == "0.539029"
    page.set(exact, 0.1)
    assert "0.7, the last valid one, is used" in page.text(said)


@on_matrix_page
def test_a_count_that_is_half_typed_is_not_written_anew(page: Page) -> None:
    cell = f"{EDITOR} [name=cell-0-0]"
    page.focus(cell)
    page.run("(at) => document.querySelector(at).select()", cell)
    for key in "2.5":
        page.browser.send("Input.insertText", text=key)
    page.press("Tab")
    assert "5, the last valid one" not in page.text(EDITOR)
    assert "2, the last valid one, is used" in page.text(EDITOR)
    assert page.shown("confusion-editor", "tp-0") == "2"


@on_matrix_page
def test_editor_without_samples(page: Page) -> None:
    for i in range(3):
        for j in range(3):
            page.set(f"{EDITOR} [name=cell-{i}-{j}]", 0)
    assert "matrix is empty" in page.sentence("confusion-editor")
    page.drawn()
    assert (
        page.run("(at) => document.querySelectorAll(`${at} .widget-chart svg`).length", EDITOR) == 0
    )
    page.set(f"{EDITOR} [name=cell-0-0]", 2)
    check_editor(page, np.array([[2, 0, 0], [0, 0, 0], [0, 0, 0]]))
    assert "omit and zero part" in page.sentence("confusion-editor")
    page.set(f"{EDITOR} [name=cell-0-0]", 0)
    page.set(f"{EDITOR} [name=cell-0-1]", 2)
    check_editor(page, np.array([[0, 2, 0], [0, 0, 0], [0, 0, 0]]))
    assert "omit and zero part" in page.sentence("confusion-editor")
    page.drawn()
    words = page.run("(at) => document.querySelector(`${at} .widget-chart svg`).ariaLabel", EDITOR)
    assert "macro F1 undefined, in convention zero 0.0000" in words
    page.set(f"{EDITOR} [name=cell-1-0]", 1)
    page.set(f"{EDITOR} [name=cell-2-1]", 1)
    check_editor(page, np.array([[0, 2, 0], [1, 0, 0], [0, 1, 0]]))
    assert "omit and zero agree only because" in page.sentence("confusion-editor")


@on_matrix_page
def test_an_attempt_is_judged_in_both_conventions(page: Page) -> None:
    page.set(f"{EDITOR} select", "C_z")
    attempt = worked.C_z.copy()
    attempt[0, 1] -= 1
    attempt[0, 2] += 1
    page.set(f"{EDITOR} [name=cell-0-1]", int(attempt[0, 1]))
    page.set(f"{EDITOR} [name=cell-0-2]", int(attempt[0, 2]))
    answer = page.sentence("confusion-editor")
    for convention in ("omit", "zero"):
        now, then = (core.core_metrics(C, convention) for C in (attempt, worked.C_z))
        for key in ("macro_precision", "macro_f1"):
            verb = "rose" if now[key] > then[key] else "fell"
            said = f"{key.replace('_f1', ' F1').replace('_', ' ')} {verb} to {now[key]:.4f}"
            part = answer.split("in zero")[convention == "zero"]
            assert said in part
    assert "agree now" in answer


@on_matrix_page
def test_editor_tells_that_the_task_is_done(page: Page) -> None:
    solved = np.array([[5, 2, 0], [1, 2, 0], [1, 1, 0]])
    now, then = core.core_metrics(solved), core.core_metrics(worked.C_z)
    assert now["accuracy"] == then["accuracy"]
    assert now["macro_recall"] < then["macro_recall"]
    page.set(f"{EDITOR} select", "C_z")
    assert "never" not in page.shown("confusion-editor", "macro_f1-omit")
    page.set(f"{EDITOR} [name=cell-0-0]", 5)
    assert "You found one" not in page.sentence("confusion-editor")
    page.set(f"{EDITOR} [name=cell-1-1]", 2)
    answer = page.sentence("confusion-editor")
    assert answer.startswith("You found one")
    assert f"{now['macro_recall']:.4f}" in answer
    assert "other numbers of samples than at the start" in answer
    assert "pays more" not in answer
    page.click(f"{EDITOR} button", "Back to the start")
    change = np.array([[1, -1, 0], [1, -1, 0], [0, 0, 0]])
    for i, row in enumerate(worked.C_z + change):
        for j, value in enumerate(row):
            page.set(f"{EDITOR} [name=cell-{i}-{j}]", int(value))
    answer = page.sentence("confusion-editor")
    assert answer.startswith("You found one")
    assert "a class with few samples pays more" in answer


# ------------------------------------------------------------------ temperature

SAMPLES, SETS = "#widget-temperature-samples", "#widget-temperature-sets"


def check_samples(page: Page, T: float) -> None:
    p = core.softmax(worked.Z, T)
    says(page.shown("temperature-samples", "loss"), core.log_loss(worked.Z, worked.y, T))
    says(page.shown("temperature-samples", "brier"), core.brier_score(p, worked.y))
    assert page.shown("temperature-samples", "accuracy") == "2 of 3"
    for n, k in np.ndindex(3, 3):
        says(page.shown("temperature-samples", f"p-{n}-{k}"), p[n, k])
    for n in range(3):
        loss = core.log_loss(worked.Z[n : n + 1], worked.y[n : n + 1], T)
        says(page.shown("temperature-samples", f"loss-{n}"), loss)


@on_calibration_page
def test_temperature_over_the_samples(page: Page) -> None:
    check_samples(page, 1.0)
    for T in (0.25, 0.75, 1.5, 3.0):
        page.set(f"{SAMPLES} [name=exact]", T)
        check_samples(page, T)
        page.set(f"{SAMPLES} [name=temperature]", 0)
        check_samples(page, 1.0)
    page.click(f"{SAMPLES} button", "Least log loss")
    check_samples(page, core.optimal_temperature(worked.Z, worked.y))
    assert "This is the least log loss" in page.sentence("temperature-samples")
    page.set(f"{SAMPLES} [name=exact]", 0.7)
    assert "This is nearly the least log loss" in page.sentence("temperature-samples")
    page.set(f"{SAMPLES} [name=exact]", 0.69)
    right = core.softmax(worked.Z, 0.69)[[0, 1], worked.y[:2]]
    assert f"pays at most {-np.log(right.min()):.4f}" in page.sentence("temperature-samples")
    page.click(f"{SAMPLES} button", "Least Brier score")
    says(page.run("(at) => document.querySelector(at).value", f"{SAMPLES} [name=exact]"), 0.950089)
    check_samples(page, 0.950089009449)
    assert "This is the least Brier score" in page.sentence("temperature-samples")
    page.click(f"{SAMPLES} button", "T = 1")
    check_samples(page, 1.0)


def check_sets(page: Page, T: float, names: Sequence[str]) -> None:
    for name, key in (("validation", "val"), ("test", "test")):
        if name not in names:
            assert not page.run("(at) => !!document.querySelector(at)", f"{SETS} [data-name^=test]")
            continue
        part = dataset.load_predictions(key)
        for t, prefix in ((T, name), (1.0, f"{name}-one")):
            p = core.softmax(part.logits, t)
            confidence, _, correct = core.confidence_and_correctness(p, part.labels)
            ece = core.expected_calibration_error(confidence, correct, Binning.uniform(5))
            wanted = {"loss": core.log_loss(part.logits, part.labels, t), "ece": ece}
            wanted["brier"] = core.brier_score(p, part.labels)
            wanted["accuracy"] = np.mean(part.logits.argmax(axis=1) == part.labels)
            for measure, value in wanted.items():
                says(page.shown("temperature-sets", f"{prefix}-{measure}"), float(value))


@on_calibration_page
def test_temperature_over_the_sets(page: Page) -> None:
    check_sets(page, 1.0, ["validation"])
    for T in (0.5, 2.5):
        page.set(f"{SETS} [name=exact]", T)
        check_sets(page, T, ["validation"])
    val = dataset.load_predictions("val")
    page.click(f"{SETS} button", "T* of validation")
    best = core.optimal_temperature(val.logits, val.labels)
    check_sets(page, best, ["validation"])
    assert "before you open the test set" in page.sentence("temperature-sets")
    page.click(f"{SETS} [name=open]")
    check_sets(page, best, ["validation", "test"])
    assert "raises the log loss all the same" in page.sentence("temperature-sets")
    page.set(f"{SETS} [name=temperature]", float(np.log(0.5)))
    check_sets(page, 0.5, ["validation", "test"])
    assert "this T suits the test images from looking" in page.sentence("temperature-sets")
    page.click(f"{SETS} button", "T = 1")
    check_sets(page, 1.0, ["validation", "test"])
    page.click(f"{SETS} [name=open]")
    check_sets(page, 1.0, ["validation"])


@on_calibration_page
def test_the_sets_agree_or_not_as_is_said(page: Page) -> None:
    parts = [dataset.load_predictions(name) for name in ("val", "test")]
    page.click(f"{SETS} [name=open]")
    seen = set()
    for T in (0.25, 0.5, 0.95, 1.2, 1.54, 1.6, 2.0, 2.8, 4.0):
        page.set(f"{SETS} [name=exact]", T)
        rises = [
            core.log_loss(part.logits, part.labels, T) > core.log_loss(part.logits, part.labels)
            for part in parts
        ]
        assert "No temperature has a lower log loss" not in page.sentence("temperature-sets")
        how = "as well" if rises[0] == rises[1] else "all the same"
        wanted = f"On the test set it {'raises' if rises[1] else 'lowers'} the log loss {how}"
        assert wanted in page.sentence("temperature-sets"), T
        seen.add(tuple(rises))
    assert len(seen) >= 3


@on_calibration_page
def test_the_curve_of_the_sets_is_that_of_the_measure(page: Page) -> None:
    part = dataset.load_predictions("val")
    p = core.softmax(part.logits)
    confidence, _, correct = core.confidence_and_correctness(p, part.labels)
    wanted = {
        "loss": core.log_loss(part.logits, part.labels),
        "brier": core.brier_score(p, part.labels),
        "ece": core.expected_calibration_error(confidence, correct, Binning.uniform(5)),
    }
    for measure, value in wanted.items():
        page.click(f"{SETS} input[value={measure}]")
        page.drawn()
        words = page.run(
            "(at) => document.querySelector(at).getAttribute('aria-label')", f"{SETS} svg"
        )
        at_one = re.search(r"At T 1\.000 it is (\S+) on validation", words)
        assert at_one, words
        says(at_one[1], value)


@on_calibration_page
def test_the_words_of_the_curve_and_its_table_say_the_same(page: Page) -> None:
    page.click(f"{SETS} [name=open]")
    page.set(f"{SETS} [name=exact]", 1.237)  # no point of the curve
    for measure in ("loss", "brier", "ece"):
        page.click(f"{SETS} input[value={measure}]")
        page.drawn()
        words = page.run(
            "(at) => document.querySelector(at).getAttribute('aria-label')", f"{SETS} svg"
        )
        for name in ("validation", "test"):
            shown = page.shown("temperature-sets", f"{name}-{measure}")
            assert f"{shown} on {name}" in words
            assert f"{shown} on {name}" in page.sentence("temperature-sets")


# ------------------------------------------------------------------ bins

BINS = "#widget-reliability-bins"


def bin_sets() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    found = {}
    for name in ("test", "val"):
        part = dataset.load_predictions(name)
        p = core.softmax(part.logits)
        confidence, _, correct = core.confidence_and_correctness(p, part.labels)
        found[name] = (confidence, correct)
    for name, data in (("edge", ON_AN_EDGE), ("hidden", HIDDEN)):
        found[name] = (np.array(data["confidence"]), np.array(data["correct"]))
    return found


@on_calibration_page
def test_bins_and_closed_side(page: Page) -> None:
    apart = 0
    for name, (confidence, correct) in bin_sets().items():
        page.set(f"{BINS} select", name)
        for n in (1, 5, 7, 10, 20):
            page.set(f"{BINS} [name=bins]", n)
            ece = {
                closed: core.expected_calibration_error(
                    confidence, correct, Binning.uniform(n, closed)
                )
                for closed in ("left", "right")
            }
            apart += ece["left"] != ece["right"]
            for closed, other in (("left", "right"), ("right", "left")):
                page.click(f"{BINS} input[value={closed}]")
                says(page.shown("reliability-bins", "ece"), ece[closed])
                says(page.shown("reliability-bins", "other"), ece[other])
            table = core.reliability_table(confidence, correct, Binning.uniform(n, "right"))
            filled = f"{np.count_nonzero(table.count)} of {n}"
            assert page.shown("reliability-bins", "filled") == filled
        says(page.shown("reliability-bins", "confidence"), confidence.mean())
        says(page.shown("reliability-bins", "accuracy"), correct.mean())
    assert apart
    page.set(f"{BINS} select", "edge")
    page.set(f"{BINS} [name=bins]", 5)
    assert "lies on an edge" in page.sentence("reliability-bins")
    page.set(f"{BINS} [name=bins]", 1)
    assert "With one bin" in page.sentence("reliability-bins")


# ------------------------------------------------------------------ threshold and costs

COSTS = "#widget-threshold-costs"


def check_costs(page: Page, T: float, tau: float, fp: float, fn: float) -> None:
    _, (logits, labels) = two_halves()
    p, positive = core.softmax(logits, T)[:, 1], labels == 1
    decided = core.decide(p, tau)
    cells = {
        "tp": (decided & positive).sum(),
        "fp": (decided & ~positive).sum(),
        "fn": (~decided & positive).sum(),
        "tn": (~decided & ~positive).sum(),
    }
    for name, count in cells.items():
        assert page.shown("threshold-costs", name) == str(count), (name, tau)
    predicted = cells["tp"] + cells["fp"]
    precision = cells["tp"] / predicted if predicted else np.nan
    says(page.shown("threshold-costs", "precision"), precision)
    says(page.shown("threshold-costs", "recall"), cells["tp"] / positive.sum())
    says(page.shown("threshold-costs", "cost"), core.expected_cost(p, labels, tau, fp, fn))
    star = core.cost_threshold(fp, fn)
    says(page.shown("threshold-costs", "star"), star)
    says(page.shown("threshold-costs", "starCost"), core.expected_cost(p, labels, star, fp, fn))
    sweep = core.threshold_sweep(p, labels)
    prices = (fp * sweep.false_positive + fn * sweep.false_negative) / len(labels)
    says(page.shown("threshold-costs", "least"), prices.min())


@on_calibration_page
def test_threshold_and_costs(page: Page) -> None:
    best = core.optimal_temperature(*two_halves()[0])
    check_costs(page, 1.0, 0.5, 1, 5)
    for tau in (0.0, 0.01, 0.2, 0.9, 1.0):
        page.set(f"{COSTS} [name=exact]", tau)
        check_costs(page, 1.0, tau, 1, 5)
        says(page.text(f"{COSTS} .widget-value"), tau)
    page.set(f"{COSTS} [name=threshold]", -2)
    check_costs(page, 1.0, 1 / (1 + np.exp(2)), 1, 5)
    page.set(f"{COSTS} [name=cost-fn]", 20)
    page.set(f"{COSTS} [name=cost-fp]", 2)
    check_costs(page, 1.0, 1 / (1 + np.exp(2)), 2, 20)
    page.click(f"{COSTS} button", "Go to τ*")
    check_costs(page, 1.0, core.cost_threshold(2, 20), 2, 20)
    assert "This is τ*" in page.sentence("threshold-costs")
    page.click(f"{COSTS} input[value=calibrated]")
    check_costs(page, best, core.cost_threshold(2, 20), 2, 20)
    assert "calibrated on other scenes" in page.sentence("threshold-costs")
    page.click(f"{COSTS} button", "τ = 0.5")
    check_costs(page, best, 0.5, 2, 20)
    assert "lower the threshold" in page.sentence("threshold-costs")
    page.click(f"{COSTS} input[value=raw]")
    check_costs(page, 1.0, 0.5, 2, 20)


@on_calibration_page
@pytest.mark.parametrize("model", ["raw", "calibrated"])
def test_advice_is_given_only_where_it_helps(page: Page, model: str) -> None:
    """What costs less than τ* on these images is not told to be changed."""
    page.click(f"{COSTS} input[value={model}]")
    seen = set()
    for tau in (0.01, 0.05, 0.1068, 0.15, 1 / 6, 0.17, 0.301, 0.5, 0.9):
        page.set(f"{COSTS} [name=exact]", tau)
        here, at_star = (float(page.shown("threshold-costs", n)) for n in ("cost", "starCost"))
        how = "more than" if here > at_star else "less than" if here < at_star else "as much as"
        seen.add(how)
        if tau != 1 / 6:
            answer = page.sentence("threshold-costs")
            assert f"costs {how} τ*" in answer
            assert (" the threshold." in answer) == (how == "more than")
            if how == "more than":
                assert ("lower" if tau > 1 / 6 else "raise") + " the threshold" in answer
    assert seen >= {"more than", "less than"}


@on_calibration_page
def test_nothing_costs_anything(page: Page) -> None:
    for name in ("fp", "fn"):
        page.set(f"{COSTS} [name=cost-{name}]", 0)
    assert page.shown("threshold-costs", "star") == "undefined"
    assert "every threshold is as good" in page.sentence("threshold-costs")
    page.click(f"{COSTS} button", "τ = 0.5")
    assert page.run("(at) => document.querySelector(at).disabled", f"{COSTS} button")


# ------------------------------------------------------------------ reading and reaching them


@on_matrix_page
def test_the_editor_says_the_values(page: Page) -> None:
    def said(C: np.ndarray) -> None:
        metrics = core.core_metrics(C)
        answer = page.sentence("confusion-editor")
        for name in ("accuracy", "macro_recall", "macro_precision"):
            assert f"{metrics[name]:.4f}" in answer

    said(worked.C)
    page.click(f"{EDITOR} button", "Exchange the axes")
    said(worked.C.T)
    C = worked.C.copy()
    C[0, 0] += 3
    page.click(f"{EDITOR} button", "Back to the start")
    page.set(f"{EDITOR} [name=cell-0-0]", int(C[0, 0]))
    said(C)
    assert "Against the start: accuracy rose to" in page.sentence("confusion-editor")
    page.click(f"{EDITOR} button", "Exchange the axes")
    assert page.sentence("confusion-editor").startswith("The axes are exchanged. Against the start")
    page.click(f"{EDITOR} button", "Exchange the axes")
    assert page.sentence("confusion-editor").startswith("The axes are as at the start. Against")


@on_calibration_page
def test_the_sentences_say_the_values(page: Page) -> None:
    """What the outputs show is silent, so that the sentence has to say it."""
    wanted = {
        "temperature-samples": ("loss", "brier"),
        "temperature-sets": ("validation-loss",),
        "reliability-bins": ("ece",),
        "threshold-costs": ("cost", "least"),
    }

    def check() -> None:
        for widget, names in wanted.items():
            for name in names:
                assert page.shown(widget, name) in page.sentence(widget), (widget, name)

    check()
    for widget in (SAMPLES, SETS):
        page.set(f"{widget} [name=exact]", 1.7)
    page.set(f"{BINS} [name=bins]", 9)
    page.set(f"{COSTS} [name=exact]", 0.3)
    check()
    for n in range(5, 21):
        page.set(f"{BINS} [name=bins]", n)
        confidence, correct = bin_sets()["test"]
        five, here = (
            core.expected_calibration_error(confidence, correct, Binning.uniform(k)) for k in (5, n)
        )
        done = "larger by half, as the task asks" in page.sentence("reliability-bins")
        assert done == (here >= 1.5 * five)


@pytest.mark.parametrize("widget", WIDGETS)
def test_no_control_is_silent(browser: Browser, address: str, widget: str) -> None:
    """Whatever is moved, the sentence that a screen reader hears is another one afterwards."""
    browser.open(f"{address}/{PAGE_OF[widget]}")
    page = Page(browser)
    at = f"#widget-{widget}"
    controls = page.run(
        """(at) => [...document.querySelectorAll(`${at} :is(input, select)`)]
        .filter((f) => !f.disabled && !(f.type === 'radio' && f.checked))
        .map((f, i) => { f.dataset.moved = i; return i; })""",
        at,
    )
    assert len(controls) >= 2
    before = page.sentence(widget)
    silent = []
    for i in controls:
        control = page.run(
            """(i) => { const f = document.querySelector(`[data-moved="${i}"]`);
            if (f.type === 'radio' || f.type === 'checkbox') f.click();
            else {
                if (f.tagName === 'SELECT') f.selectedIndex += 1;
                else if (f.step === 'any') f.value = Number(f.value) + 0.25;
                else f.stepUp();
                for (const kind of ['input', 'change'])
                    f.dispatchEvent(new Event(kind, { bubbles: true }));
            }
            return f.outerHTML.slice(0, 120); }""",
            i,
        )
        after = page.sentence(widget)
        if after == before:
            silent.append(control)
        before = after
    assert silent == []


@pytest.mark.parametrize("page", [MATRIX, CALIBRATION], indirect=True)
def test_no_two_fields_of_a_widget_have_one_name(page: Page) -> None:
    names = page.run(
        "() => [...document.querySelectorAll('.widget [type=number]')].map((f) =>"
        " f.ariaLabel || f.labels[0].textContent)"
    )
    assert "or exactly" not in names
    assert len(names) >= 5


@on_matrix_page
def test_steps_of_a_cell_are_wide_enough_for_a_finger(page: Page) -> None:
    page.browser.send(
        "Emulation.setDeviceMetricsOverride",
        width=390,
        height=900,
        deviceScaleFactor=1,
        mobile=True,
    )
    sizes = page.run(
        "() => [...document.querySelectorAll('.widget-steps button')].map((b) =>"
        " Math.min(b.getBoundingClientRect().width, b.getBoundingClientRect().height))"
    )
    assert len(sizes) == 18
    assert min(sizes) >= 24


def test_every_widget_is_on_a_page() -> None:
    assert set(PAGE_OF) == set(WIDGETS)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", [MATRIX, CALIBRATION])
def test_a_widget_runs_without_an_error(
    browser: Browser, address: str, name: str, dark: bool
) -> None:
    view = browser.open(f"{address}/{name}", width=390, dark=dark)
    assert view.errors == []
    assert [url for url in view.requested if not url.startswith((address, "data:"))] == []
    live = browser.evaluate(
        "[...document.querySelectorAll('.widget')].map((w) => [w.id,"
        "!!w.querySelector('.widget-live'), !!w.querySelector('.widget-fallback')])"
    )
    here = [f"widget-{widget}" for widget, page in PAGE_OF.items() if page == name]
    assert sorted(live) == sorted([one, True, False] for one in here)
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390
    wide = browser.evaluate(
        "[...document.querySelectorAll('.widget-live > *')].filter((e) => "
        "e.scrollWidth > e.clientWidth + 1 && !e.classList.contains('table-scroll'))"
        ".map((e) => e.className)"
    )
    assert wide == []


@pytest.mark.parametrize("widget", WIDGETS)
def test_charts_and_controls_have_names(browser: Browser, address: str, widget: str) -> None:
    browser.open(f"{address}/{PAGE_OF[widget]}")
    at = f"#widget-{widget}"
    words = browser.evaluate(
        f"[...document.querySelectorAll('{at} .widget-chart svg')].map((s) => "
        "[s.getAttribute('role'), s.getAttribute('aria-label')])"
    )
    assert words
    for role, label in words:
        assert role == "img"
        assert len(label) > 60
        assert re.search(r"\d\.\d", label)
        assert "NaN" not in label
    nameless = browser.evaluate(
        f"[...document.querySelectorAll('{at} :is(input, select, output)')]"
        ".filter((f) => !f.labels.length || !f.labels[0].textContent.trim()).length"
    )
    assert nameless == 0
    assert browser.evaluate(f"document.querySelectorAll('{at} table').length")
    loud = f"document.querySelectorAll('{at} output:not([aria-live=off])').length"
    assert browser.evaluate(loud) == 0
    assert browser.evaluate(f"document.querySelectorAll('{at} [role=status]').length") == 1


@pytest.mark.parametrize("widget", WIDGETS)
def test_the_keyboard_reaches_every_control(browser: Browser, address: str, widget: str) -> None:
    browser.open(f"{address}/{PAGE_OF[widget]}")
    page = Page(browser)
    at = f"#widget-{widget}"
    # A group of radio buttons is one stop, and its arrows choose.
    wanted = browser.evaluate(
        f"[...document.querySelectorAll('{at} :is(input, select, button, summary, .table-scroll)')]"
        ".filter((f) => f.tabIndex >= 0 && !f.disabled && f.checkVisibility()"
        " && (f.type !== 'radio' || f.checked))"
        ".map((f, i) => { f.dataset.stop = i; return `${i}`; })"
    )
    assert len(wanted) >= 4
    page.run(
        """(at) => { const start = document.createElement('span'); start.tabIndex = -1;
        document.querySelector(`${at} .widget-live`).prepend(start); start.focus(); }""",
        at,
    )
    reached = []
    for _ in wanted:
        page.press("Tab")
        reached.append(browser.evaluate("document.activeElement.dataset.stop"))
        ring = "getComputedStyle(document.activeElement).outlineStyle"
        assert browser.evaluate(ring) != "none"
    assert reached == wanted


@on_calibration_page
def test_a_threshold_by_keyboard(page: Page) -> None:
    page.focus(f"{COSTS} [name=threshold]")
    page.press("ArrowRight", 20)
    check_costs(page, 1.0, 1 / (1 + np.exp(-1.0)), 1, 5)
    assert (
        page.run(
            "(at) => document.querySelector(at).getAttribute('aria-valuetext')",
            f"{COSTS} [name=threshold]",
        )
        == "0.731"
    )
    page.focus(f"{COSTS} input[value=raw]")
    page.press("ArrowRight")
    check_costs(page, core.optimal_temperature(*two_halves()[0]), 1 / (1 + np.exp(-1.0)), 1, 5)


@on_calibration_page
def test_bins_by_keyboard(page: Page) -> None:
    page.focus(f"{BINS} [name=bins]")
    page.press("ArrowRight", 2)
    confidence, correct = bin_sets()["test"]
    ece = core.expected_calibration_error(confidence, correct, Binning.uniform(7))
    says(page.shown("reliability-bins", "ece"), ece)
    page.press("Tab")
    page.press("ArrowRight")  # closed on the right
    assert page.run("() => document.activeElement.value") == "right"


@on_matrix_page
def test_a_cell_by_keyboard(page: Page) -> None:
    page.focus(f"{EDITOR} select")
    page.press("Tab")
    page.press("ArrowUp", 3)
    C = worked.C.copy()
    C[0, 0] += 3
    check_editor(page, C)
    page.press("Tab")
    page.press("ArrowDown")
    C[0, 1] -= 1
    check_editor(page, C)


def test_a_page_opened_from_a_folder_moves(browser: Browser, site: Path) -> None:
    for name, page in PAGE_OF.items():
        view = browser.open(f"file://{site}/{page}")
        assert view.errors == []
        assert browser.evaluate(f"!!document.querySelector('#widget-{name} .widget-live svg')")


def test_without_scripts_there_are_tables_and_folds(browser: Browser, address: str) -> None:
    browser.send("Network.setBlockedURLs", urls=["*/widgets/*.js*"])
    try:
        browser.open(f"{address}/{CALIBRATION}")
        tables = "document.querySelectorAll('.widget .widget-fallback table').length"
        assert browser.evaluate(tables) == 4
        assert browser.evaluate("document.querySelectorAll('.widget-live').length") == 0
        folds = "document.querySelectorAll('.self-check details > summary').length"
        assert browser.evaluate(folds) >= 12
    finally:
        browser.send("Network.setBlockedURLs", urls=[])


def test_the_table_without_scripts_is_computed(site: Path) -> None:
    text = (site / CALIBRATION).read_text(encoding="utf-8")
    val = dataset.load_predictions("val")
    best = core.optimal_temperature(val.logits, val.labels)
    assert f"<td>{core.log_loss(val.logits, val.labels, best):.6f}</td>" in text
    text = (site / MATRIX).read_text(encoding="utf-8")
    assert f"<td>{core.core_metrics(worked.C_z)['macro_f1']:.4f}</td>" in text


def test_only_pages_with_widgets_load_their_scripts(site: Path) -> None:
    intro = (site / "book" / "intro.html").read_text(encoding="utf-8")
    assert "plot.umd.min.js" not in intro
    assert "widgets/" not in intro
    matrix = (site / MATRIX).read_text(encoding="utf-8")
    assert "widgets/confusion-editor.js" in matrix
    assert "widgets/threshold-costs.js" not in matrix


BAD = {
    "unknown": ("```{widget} abacus\nTry.\n```\n", "no widget is called 'abacus'"),
    "idle": ("```{widget} confusion-editor\n```\n", "has no task to try"),
    "twice": ("```{widget} confusion-editor\nTry.\n```\n\n" * 2, "has a widget twice"),
    "unanswered": (
        "::::{self-check} A?\n:::{wrong} b\nNo.\n:::\n:::{wrong} c\nNo.\n:::\n::::\n",
        "0 of them right",
    ),
    "answered": (
        "::::{self-check} A?\n:::{right} b\nYes.\n:::\n:::{right} c\nYes.\n:::\n::::\n",
        "2 of them right",
    ),
    "unreasoned": (
        "::::{self-check} A?\n:::{right} b\n:::\n:::{wrong} c\nNo.\n:::\n::::\n",
        "says no reason",
    ),
    "stranger": (
        "::::{self-check} A?\nText.\n\n:::{right} b\nYes.\n:::\n:::{wrong} c\nNo.\n:::\n::::\n",
        "options and nothing else",
    ),
}


def test_a_bad_widget_or_self_check_fails_the_build(tmp_path: Path) -> None:
    pages = {name: f"# Bad\n\n{text}" for name, (text, _) in BAD.items()}
    source = small_book(tmp_path / "source", {"intro": "# Book\n"} | pages)
    build = build_book(source, tmp_path / "out")
    assert build.status != 0
    for name, (_, words) in BAD.items():
        assert build.line_about(f"book/{name}", words), (name, build.log[-4000:])
