"""A function that computes nothing earns nothing: no test is passed by a constant or an error."""

import ast
import re
from pathlib import Path

import nbformat
import pytest

from glyphlab_grader.release import trial
from glyphlab_grader.release.leaks import HIDDEN, SOLUTION

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(ROOT.glob("solutions/*/*.ipynb"))

#: What may be returned whatever is asked. `right` is what the instructor's function would return.
CONSTANTS = {
    "nothing": "None",
    "0": "0",
    "1": "1",
    "0.5": "0.5",
    "0.75": "0.75",
    "true": "True",
    "NaN": "float('nan')",
    "an empty list": "[]",
    "an empty dictionary": "{}",
    "a text": "'0.75'",
    "what it was given": "given",
    "its first argument": "given[0]",
    "its last argument": "[*given, *named.values()][-1]",
    "the first of its last argument": "_element(given, 0)",
    "the last of its last argument": "_element(given, -1)",
    "the smallest of its last argument": "sorted(given[-1])[0]",
    "the largest of its last argument": "sorted(given[-1])[-1]",
    "the middle of its last argument": "sorted(given[-1])[len(given[-1]) // 2]",
    "zeros in the right form": "_filled(right, 0.0)",
    "ones in the right form": "_filled(right, 1.0)",
    "NaN in the right form": "_filled(right, float('nan'))",
    "equal shares in the right form": "_filled(right, 1 / max(1, _count(right)))",
    "zeros, and NaN behind": "(_filled(right[0], 0.0), *_filled(list(right)[1:], float('nan')))",
}

#: Errors that may be raised whatever is asked; the last ones are several at once.
ERRORS = {
    **{
        name: f"class Error({name}): pass"
        for name in ("ValueError", "TypeError", "ZeroDivisionError", "IndexError", "Exception")
    },
    "the two that tasks name": "class Error(ZeroDivisionError, ValueError): pass",
    "every error": (
        "class Error(ZeroDivisionError, ValueError, TypeError, IndexError, KeyError,"
        " AttributeError, AssertionError, NotImplementedError): pass"
    ),
}

TOOLS = """
def _filled(right, value):
    import numpy as np

    if isinstance(right, dict):
        return {name: _filled(inside, value) for name, inside in right.items()}
    if isinstance(right, (list, tuple)):
        return type(right)(_filled(inside, value) for inside in right)
    return np.full(np.shape(right), value) if np.shape(right) else value


def _count(right):
    import numpy as np

    return np.shape(right)[-1] if np.shape(right) else 1


def _element(given, place):
    return list(given[-1])[place]
"""


def functions(path):
    """Name the functions that a notebook asks for, with the cells that they are written in."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code" and cell.metadata.nbgrader.solution:
            asked = re.sub(rf"{SOLUTION[0]}.*?{SOLUTION[1]}", "...", cell.source, flags=re.DOTALL)
            for node in ast.parse(asked).body:
                if isinstance(node, ast.FunctionDef):
                    yield node.name, cell.id


ASKED = [(path, name, cell) for path in NOTEBOOKS for name, cell in functions(path)]
each_function = pytest.mark.parametrize(
    ("path", "name", "cell"),
    ASKED,
    ids=[f"{p.parent.name}/{p.stem}-{name}" for p, name, _ in ASKED],
)


def with_function(path, name, cell_id, source):
    """Cut a notebook down to the tests that call a function, and put a source behind it."""
    notebook = nbformat.read(path, as_version=4)
    kept = []
    for cell in notebook.cells:
        marks = cell.metadata.nbgrader
        if cell.cell_type != "code":
            continue
        if cell.id == cell_id:
            cell.source += f"\n_right = {name}\n{TOOLS}\n{source}"
            kept.append(cell)
        elif not marks.solution and (
            not marks.grade or re.search(rf"(?<![.\w]){name}\b", cell.source)
        ):
            kept.append(cell)
    notebook.cells = kept
    return notebook


def returns(name, value):
    return (
        f"def {name}(*given, **named):\n"
        "    try:\n"
        "        right = _right(*given, **named)\n"
        "    except Exception:\n"
        "        right = 0.0\n"
        f"    return {value}\n"
    )


def raises(name, error):
    return f"{error}\ndef {name}(*given, **named):\n    raise Error('no')\n"


def earned(notebook):
    return {r.cell: r.points for r in trial.run(notebook).results if r.message is None}


@each_function
def test_the_instructors_function_earns_what_its_tests_give(path, name, cell):
    result = trial.run(with_function(path, name, cell, ""))
    assert result.failed == frozenset()
    assert result.results


@each_function
def test_a_function_that_does_nothing_earns_nothing(path, name, cell):
    sources = {text: returns(name, value) for text, value in CONSTANTS.items()}
    sources |= {f"raises {text}": raises(name, error) for text, error in ERRORS.items()}
    got = {
        text: earned(with_function(path, name, cell, source)) for text, source in sources.items()
    }
    assert {text: cells for text, cells in got.items() if cells} == {}


#: What a table of typed answers gives where a question is not in it.
FALLBACKS = {
    "nothing": "return None",
    "zeros": "return _filled(right, 0.0)",
    "NaN": "return _filled(right, float('nan'))",
    "every error": f"{ERRORS['every error']}; raise Error('no')",
}

#: Questions to which the chapters print the answers, beside those of the visible checks.
PRINTED = {
    "precision_recall_from_confusion": """
for C in (worked.C, worked.C_z, worked.C_F2):
    for mode in ("omit", "zero", "raise"):
        ask(C.copy(), mode)
""",
    "macro_scores": """
for C in (worked.C, worked.C_z, worked.C_F2):
    ask(C.copy())
""",
    "reweighted_accuracy": """
for C in (worked.C, worked.C_z, worked.C_F2):
    ask(C.copy(), [0.6, 0.3, 0.1])
    ask(C.copy(), np.array([0.6, 0.3, 0.1]))
""",
    "reweighted_confusion": """
for C in (worked.C, worked.C_z, worked.C_F2):
    ask(C.copy(), [0.6, 0.3, 0.1])
    ask(C.copy(), np.array([0.6, 0.3, 0.1]))
""",
    "fit_temperature": """
for grid in ([0.5, 0.75, 1.0, 1.25, 1.5, 2.0], [0.5, 1.0, 2.0], (2.0, 1.0, 0.5)):
    ask(torch.tensor(worked.Z), torch.tensor(worked.y), grid)
""",
}

TABLE = """
import torch
from glyphlab_core import worked

_table = {{}}


def _key(value):
    if callable(value):
        return value.__name__
    if hasattr(value, "tolist"):
        return (str(value.dtype), repr(value.tolist()))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *map(_key, value))
    return repr(value)


def {name}(*given, **named):
    key = _key((*given, *named.values()))
    try:
        right, error = _right(*given, **named), None
    except Exception as problem:
        right, error = 0.0, problem
    if _open:
        _table[key] = None
    if key not in _table:
        {fallback}
    if error is not None:
        raise error
    return right


def ask(*given):
    try:
        {name}(*given)
    except Exception:
        pass


_open = True
{printed}
"""


def visible(cell):
    """Return what the release shows of a test cell, as a cell that is not graded."""
    source = re.sub(rf"^ *{HIDDEN[0]}.*?{HIDDEN[1]}$", "", cell.source, flags=re.S | re.M)
    shown = nbformat.v4.new_code_cell(source, id=f"visible-{cell.id}")
    shown.metadata["nbgrader"] = {"grade": False, "solution": False, "grade_id": shown.id}
    return shown


@each_function
def test_typed_answers_to_the_visible_checks_earn_nothing(path, name, cell):
    """The table answers every question of the visible checks, and those printed in the chapters."""
    got = {}
    for text, fallback in FALLBACKS.items():
        source = TABLE.format(name=name, fallback=fallback, printed=PRINTED.get(name, ""))
        notebook = with_function(path, name, cell, source)
        at = [c.id for c in notebook.cells].index(cell) + 1
        asked = [visible(c) for c in notebook.cells[at:]]
        closed = nbformat.v4.new_code_cell("_open = False", id="closed")
        closed.metadata["nbgrader"] = {"grade": False, "solution": False, "grade_id": "closed"}
        notebook.cells[at:at] = [*asked, closed]
        result = trial.run(notebook)
        assert result.errors == {}, text
        got[text] = {r.cell: r.points for r in result.results if r.message is None}
    assert {text: cells for text, cells in got.items() if cells} == {}


#: What may look at fewer of its arguments than the task needs, and the tests that it may pass.
#: `kept` is what decides its answer: the first right one for each is returned ever after, so that
#: no function of `kept` alone does better in all that it is asked.
BLIND = {
    "the grid alone": (
        "fit_temperature",
        "tuple(given[2])",
        "empty-grid positive finite logits-shape labels-shape lengths label-high label-negative"
        " logits-nan",
    ),
    "the scenes alone": (
        "scene_bootstrap",
        "(len(given[0]), np.unique(given[0]).size, *given[3:4])",
        "",
    ),
    "the temperatures alone": ("calibrate_then_test", "tuple(given[4])", ""),
    "the name of the function tested": ("raises_on_zero_denominator", "given[0].__name__", ""),
}

BLINDFOLD = """
_kept = {{}}


def {name}(*given, **named):
    import numpy as np

    key = {key}
    right = _right(*given, **named)
    return _kept.setdefault(key, right)
"""


@pytest.mark.parametrize("what", BLIND)
def test_what_does_not_look_at_an_argument_earns_nothing_that_is_about_it(what):
    name, key, allowed = BLIND[what]
    path, _, cell = next(asked for asked in ASKED if asked[1] == name)
    source = BLINDFOLD.format(name=name, key=key)
    assert set(earned(with_function(path, name, cell, source))) - set(allowed.split()) == set()


SPOILING = """
import copy


def _spoil(value):
    import numpy as np
    import torch

    if isinstance(value, list):
        value.clear()
    elif isinstance(value, torch.Tensor):
        value.fill_(7)
    elif isinstance(value, np.ndarray) and value.flags.writeable:
        value[...] = 7


def {name}(*given, **named):
    try:
        return _right(*copy.deepcopy(given), **copy.deepcopy(named))
    finally:
        for value in (*given, *named.values()):
            _spoil(value)
"""


@each_function
def test_no_test_reads_an_argument_after_the_call(path, name, cell):
    """Whoever could change it would choose what is right; one test alone asks whether it is."""
    result = trial.run(with_function(path, name, cell, SPOILING.format(name=name)))
    assert result.failed <= {"argument-changed"}
