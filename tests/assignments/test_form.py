"""What is wrong with the form of an answer, the visible checks say, in words that feedback repeats.

A form that passes here and fails a hidden test would be told as that test's misconception.
"""

from pathlib import Path

import nbformat
import pytest

from glyphlab import checks

ROOT = Path(__file__).parents[2]
NAN = "float('nan')"

#: Exercise, test cell, an answer whose form is at fault, and what is told of it.
ANSWERS = [
    ("ch23_1/F1", "high", "y_true, y_pred = [0] * 10, [0] * 9", checks.OTHER_SHAPE),
    ("ch23_1/F1", "low", "y_true, y_pred = [0] * 10, [0] * 9", checks.OTHER_SHAPE),
    ("ch23_1/F2", "hits", "tp = [[6], [4], [2]]", checks.OTHER_SHAPE),
    ("ch23_1/F2", "hits", "tp = (6, 4)", checks.OTHER_PARTS),
    ("ch23_1/F2", "trace", "accuracy = [0.5]", checks.OTHER_SHAPE),
    ("ch23_1/F2", "trace", f"accuracy = {NAN}", checks.NOT_FINITE),
    ("ch23_1/F2", "micro-values", "micro = [[0.5], [0.5], [0.5]]", checks.OTHER_SHAPE),
    ("ch23_1/F2", "macro-f1", "macro = ([0.5], [0.5], [0.5])", checks.OTHER_SHAPE),
    ("ch23_1/F3", "macro-zero", "macro_f1_zero = [0.5, 0.5, 0.0]", checks.OTHER_SHAPE),
    ("ch23_1/F4", "wrong-value", "wrong_macro_f1 = (0.4, 0.5, 0.4)", checks.OTHER_SHAPE),
    ("ch23_1/F4", "right-value", f"right_macro_f1 = {NAN}", checks.NOT_FINITE),
    ("ch23_1/F4", "f1", "macro_scores = lambda C: C", checks.OTHER_SHAPE),
    ("ch23_1/F5", "predicted", "predicted_accuracy = [0.9]", checks.OTHER_SHAPE),
    ("ch23_1/F5", "macro-moves", "reweighted_macro = ([1], [1], [1])", checks.OTHER_SHAPE),
    ("ch23_1/F5", "accuracy-interval", f"accuracy_change = (0, {NAN}, 1)", checks.NOT_FINITE),
    ("ch23_1/F5", "macro-interval", f"macro_f1_change = (0, 0, {NAN})", checks.NOT_FINITE),
    ("ch23_1/F5", "unequal", "scene_bootstrap = lambda *given: None", checks.NOTHING),
    ("ch23_2/F1", "eces", "calibrated_ece = [0.0]", checks.OTHER_SHAPE),
    ("ch23_2/F2", "at-one", "p_at_1 = [[0.4], [0.4], [0.2]]", checks.OTHER_SHAPE),
    ("ch23_2/F3", "three-samples-test", "expected_T_star = 0.7", checks.NOT_OF_GRID),
    ("ch23_2/F4", "chosen", "calibrate_then_test = lambda *given: None", checks.NOTHING),
    ("ch23_2/F4", "chosen", "calibrate_then_test = lambda *given: {'T': 1}", checks.NO_ENTRY),
    (
        "ch23_2/F4",
        "log-loss",
        "calibrate_then_test = lambda *given: {'before': {'loss': 1}}",
        checks.NO_ENTRY,
    ),
    (
        "ch23_2/F4",
        "ece",
        "calibrate_then_test = lambda *given: {'before': {'ece': [0.1]}}",
        checks.OTHER_SHAPE,
    ),
    (
        "ch23_2/F4",
        "after",
        "calibrate_then_test = lambda *given: {'before': {}, 'after': {'ece': 0.1}}",
        checks.NO_ENTRY,
    ),
    ("ch23_2/F5", "sizes", "split_by_scene = lambda *given: None", checks.NOTHING),
    ("ch23_2/F5", "seed", "split_by_scene = lambda *given: None", checks.NOTHING),
    ("ch23_2/F5", "sizes", "split_by_scene = lambda *given: ([True], [False])", checks.NOT_WHOLE),
    ("ch23_2/F5", "seed", "split_by_scene = lambda *given: ([True], [False])", checks.NOT_WHOLE),
]


def visible(exercise, cell):
    notebook = nbformat.read(ROOT / "exercises" / f"{exercise}.ipynb", as_version=4)
    return next(c.source for c in notebook.cells if c.id == cell)


@pytest.mark.parametrize(("exercise", "cell", "answer", "told"), ANSWERS)
def test_the_visible_check_tells_the_form(exercise, cell, answer, told):
    # What is not handed in here is in order.
    names = {"macro_f1_omit": 0.6, "accurate_ece": 0.06}
    exec(answer, names)
    with pytest.raises(AssertionError) as failure:
        exec(visible(exercise, cell), names)
    assert [text for text in checks.TOLD if text in str(failure.value)] == [told]
