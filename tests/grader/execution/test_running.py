"""Notebooks through the two processes: what passes, what fails, and what crosses."""

import re

import pytest

from glyphlab_grader.execution import Grader, Limits

from .conftest import answer, check, free, given

STYLES = {
    "numpy": """
import numpy as np
def recall(C):
    C = np.asarray(C)
    return np.diag(C) / C.sum(axis=1)
""",
    "float32": """
import numpy as np
def recall(C):
    C = np.asarray(C, dtype=np.float32)
    return np.diag(C) / C.sum(axis=1)
""",
    "torch": """
import torch
def recall(C):
    C = torch.as_tensor(C).double()
    return torch.diagonal(C) / C.sum(1)
""",
    "fractions": """
from fractions import Fraction
def recall(C):
    return [Fraction(int(row[i]), int(sum(row))) for i, row in enumerate(C)]
""",
    "generator with helper": """
def _one(row, i):
    return row[i] / sum(row)
def recall(C):
    return tuple(_one(row, i) for i, row in enumerate(C))
""",
    "class with call": """
class Recall:
    def __call__(self, C):
        print("a line of output")
        return [row[i] / sum(row) for i, row in enumerate(C)]
recall = Recall()
""",
    "numpy scalars and a warning": """
import warnings
import numpy as np
def recall(C):
    warnings.warn("careful")
    return [np.float64(row[i]) / np.float64(sum(row)) for i, row in enumerate(C)]
""",
    "magic and cell output": """
%matplotlib inline
import sys
recall = lambda C: [row[i] / sum(row) for i, row in enumerate(C)]
print("noise", file=sys.stderr)
""",
}
TEST = """
from glyphlab import checks
checks.close(recall(worked.C_z), [2 / 3, 3 / 4, 0], "recall")
"""
GIVEN = "from glyphlab_core import worked\nimport numpy as np"


@pytest.mark.parametrize("style", STYLES)
def test_a_right_answer_passes_in_every_style(run, style):
    result = run(given(GIVEN), answer(STYLES[style]), check(TEST, points=3))
    assert result.errors(2) == []
    assert result.scores == [3]
    assert result.kinds == []


def test_a_wrong_answer_fails_with_the_test_s_message(run):
    result = run(given(GIVEN), answer("def recall(C):\n    return [0, 0, 0]"), check(TEST))
    assert result.scores == [0]
    assert result.errors(2) == ["AssertionError"]
    assert "recall" in result.text(2)


def test_a_missing_name_fails(run):
    result = run(check("assert answer == 1"))
    assert result.errors(0) == ["NameError"]
    assert result.scores == [0]


def test_values_of_the_student_reach_the_test(run):
    result = run(
        answer("x = 3\nname = 'tp'\ntable = {'a': (1, [2.5])}"),
        check("assert x == 3 and type(x) is int"),
        check("assert table == {'a': (1, [2.5])}"),
        check("assert globals()['name'] == 'tp'"),
        answer("x = 4"),
        check("assert x == 4"),
    )
    assert result.scores == [2, 2, 2, 2]


def test_a_partial_score_is_kept(run):
    result = run(check("1.5"), check("0"), check("x = 1\nx", points=1))
    assert result.scores == [1.5, 0, 1]


@pytest.mark.parametrize("value", ["2.5", "-1", "float('nan')", "float('inf')"])
def test_a_last_value_that_is_no_score_counts_nothing(run, value):
    result = run(check(value))
    assert result.cells[0].outputs == []
    assert result.scores == [2]
    assert result.kinds == ["score"]


@pytest.mark.parametrize("value", ["'text'", "[1]", "True", "None", "print('x')", "1.5;", "print"])
def test_a_last_value_that_is_no_number_counts_nothing(run, value):
    result = run(check(value))
    assert result.scores == [2]
    assert result.kinds == []


def test_warnings_errors_lines_and_plots_of_a_test_cost_nothing(run):
    result = run(
        check(
            "import sys, warnings\nimport matplotlib.pyplot as plt\n"
            "print('x', file=sys.stderr)\nwarnings.warn('y')\nplt.plot([1, 2])\nplt.show()\n"
            "display(3)"
        )
    )
    assert result.scores == [2]


RAISING = [
    "import pytest\nwith pytest.raises(ZeroDivisionError):\n    f(0)",
    "try:\n    f(0)\nexcept ZeroDivisionError:\n    pass\nelse:\n    raise AssertionError",
    "from glyphlab import checks\nchecks.raises(ZeroDivisionError, f, 0, what='f')",
]


@pytest.mark.parametrize("test", RAISING)
def test_an_exception_of_the_student_is_the_built_in_one(run, test):
    assert run(answer("def f(x):\n    return 1 / x"), check(test)).scores == [2]
    assert run(answer("def f(x):\n    return 0"), check(test)).scores == [0]
    assert run(answer("def f(x):\n    raise ValueError(x)"), check(test)).scores == [0]


def test_an_exception_class_of_the_student_is_what_it_derives_from(run):
    result = run(
        answer(
            "class Wrong(ValueError, KeyError):\n"
            "    def __init__(self, where):\n        super().__init__(f'at {where}')\n"
            "def f():\n    raise Wrong(3)"
        ),
        check(
            "try:\n    f()\nexcept ValueError as error:\n"
            "    assert type(error).__name__ == 'Wrong' and 'at 3' in str(error)\n"
            "    assert not isinstance(error, TypeError)\n"
            "else:\n    raise AssertionError"
        ),
        check("try:\n    f()\nexcept KeyError:\n    pass"),
    )
    assert result.scores == [2, 2]


def test_an_exception_that_needs_arguments_arrives(run):
    result = run(
        answer("def f():\n    b'\\xff'.decode()\ndef g():\n    {}['a']"),
        check(
            "try:\n    f()\nexcept UnicodeDecodeError as error:\n    assert '0xff' in str(error)"
        ),
        check("try:\n    g()\nexcept KeyError as error:\n    assert error.args == ('a',)"),
    )
    assert result.scores == [2, 2]


def test_a_change_to_the_arguments_is_seen(run):
    result = run(
        answer(
            "def spoil(a, l, d, keep=None):\n    a[0] = 9\n    l.append(7)\n    d['k'][0] = 5\n"
            "    keep.add(1)\n    return a.sum()"
        ),
        check(
            "a, l, d, keep = np.zeros(2), [1], {'k': np.zeros(1)}, set()\nrow = d['k']\n"
            "assert spoil(a, l, d, keep=keep) == 9\n"
            "assert a.tolist() == [9, 0] and l == [1, 7] and keep == {1}\n"
            "assert row[0] == 5 and d['k'] is row"
        ),
    )
    assert result.scores == [2]


def test_a_read_only_argument_is_read_only_for_the_student(run):
    result = run(
        given(GIVEN),
        answer("def spoil(C):\n    C[0, 0] = 1"),
        check(
            "import pytest\nwith pytest.raises(ValueError, match='read-only'):\n    spoil(worked.C)"
        ),
    )
    assert result.scores == [2]


def test_tensors_cross_both_ways(run):
    result = run(
        answer("def double(t):\n    t *= 2\n    return t.sum()"),
        check(
            "import torch\nt = torch.ones(3, dtype=torch.float32)\ns = double(t)\n"
            "assert isinstance(s, torch.Tensor) and s.item() == 6 and t.tolist() == [2, 2, 2]"
        ),
    )
    assert result.scores == [2]


def test_a_function_of_the_test_is_called_where_the_test_is(run):
    result = run(
        answer(
            "def raises_on_zero(function):\n    try:\n        function(0)\n"
            "    except ZeroDivisionError:\n        return True\n    return False\n"
            "def apply(function, *numbers):\n    return [function(n, scale=2) for n in numbers]"
        ),
        check(
            "calls = []\n"
            "assert apply(lambda n, scale: calls.append(n) or n * scale, 1, 2) == [2, 4]"
        ),
        check("assert calls == [1, 2]"),
        check("assert raises_on_zero(lambda n: 1 / n)"),
        check("assert not raises_on_zero(lambda n: 0)"),
    )
    assert result.scores == [2, 2, 2, 2]


def test_a_student_s_function_can_be_handed_back(run):
    result = run(
        answer("def f(x):\n    return x + 1\ndef call(function, x):\n    return function(x)"),
        check("assert call(f, 1) == 2"),
    )
    assert result.scores == [2]


def test_generators_objects_and_attributes(run):
    result = run(
        answer(
            "from dataclasses import dataclass\n@dataclass\nclass Scores:\n    p: float\n"
            "    def doubled(self):\n        return 2 * self.p\n"
            "def scores():\n    return Scores(0.5)\ndef count():\n    yield from range(3)"
        ),
        check("s = scores()\nassert s.p == 0.5 and s.doubled() == 1.0"),
        check("assert list(count()) == [0, 1, 2]"),
        check("assert not (scores() == scores()) and scores() != 0.5"),
    )
    assert result.scores == [2, 2, 2]


def test_collections_of_other_classes(run):
    result = run(
        answer(
            "import collections\nclass Pair:\n    def __iter__(self): return iter((1, 2))\n"
            "def view(): return dict(P=0.5, R=0.25).values()\n"
            "def deque(): return collections.deque([1.5, 2.5])\ndef pair(): return Pair()"
        ),
        check("assert list(view()) == [0.5, 0.25] and len(view()) == 2"),
        check("import numpy as np\nassert np.allclose(deque(), [1.5, 2.5]) and deque()[-1] == 2.5"),
        check("a, b = pair()\nassert (a, b) == (1, 2)"),
        check("deque()[7]"),
    )
    assert result.scores == [2, 2, 2, 0]
    assert result.errors(4) == ["IndexError"]


def test_a_warning_of_the_student_is_one_in_the_test(run):
    result = run(
        answer(
            "import warnings\nclass Edge(UserWarning): pass\n"
            "def f():\n    warnings.warn('edge', Edge)\n    return 1"
        ),
        check("import pytest\nwith pytest.warns(UserWarning, match='edge'):\n    f()"),
        check(
            "import warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('error')\n"
            "    raised = False\n"
            "    try:\n        f()\n    except UserWarning:\n        raised = True\nassert raised"
        ),
    )
    assert result.scores == [2, 2]


def test_what_a_visible_test_defines_is_there_for_later_cells(run):
    result = run(
        given("import numpy as np"),
        check(
            "import math\ndef halve(x):\n    return x / 2\nlimit = np.array([1.0, 2.0])\n"
            "### BEGIN HIDDEN TESTS\nsecret = 42\nlimit2 = 1\n### END HIDDEN TESTS"
        ),
        answer(
            "value = math.floor(halve(limit.sum()))\n'secret' in globals() or 'limit2' in globals()"
        ),
        check("assert value == 1"),
    )
    assert result.scores == [2, 2]
    assert "False" in result.text(2)


def test_a_test_keeps_its_own_names_for_the_next(run):
    result = run(
        check("expected = 5"), answer("expected = 6\nx = 5"), check("assert x == expected")
    )
    assert result.scores == [2, 2]


def test_random_numbers_are_the_same_in_every_run(run):
    cells = [
        answer(
            "import random, numpy as np, torch\n"
            "x = [random.random(), np.random.rand(), torch.rand(1).item()]"
        ),
        check("import numpy as np\nprint(x, np.random.rand(), {'a', 'b', 'c'})"),
    ]
    first, second = (run(*cells, seed=5).text(1) for _ in range(2))
    assert first == second
    assert first != run(*cells, seed=6).text(1)


def test_a_seed_that_a_test_sets_holds_for_the_student(run):
    result = run(
        answer("import numpy as np\ndef draw():\n    return np.random.rand(2)"),
        check(
            "import numpy as np\nnp.random.seed(3)\nexpected = np.random.RandomState(3).rand(2)\n"
            "assert (draw() == expected).all()"
        ),
        check("assert not (draw() == expected).all()"),
    )
    assert result.scores == [2, 2]


def test_plots_and_displays_of_a_student_are_kept(run):
    result = run(
        answer(
            "import matplotlib.pyplot as plt\nprint('before')\n"
            "plt.plot([1, 2])\nplt.show()\nprint('after')"
        ),
        answer("from IPython.display import HTML\ndisplay(HTML('<b>x</b>'))\n1 + 1"),
    )
    kinds = [output.output_type for output in result.cells[0].outputs]
    assert kinds == ["stream", "display_data", "stream"]
    assert result.cells[0].outputs[1].data["image/png"].startswith("iVBOR")
    assert result.cells[1].outputs[0].data["text/html"] == "<b>x</b>"
    assert result.cells[1].outputs[1].data["text/plain"] == "2"


def test_output_written_past_python_is_kept(run):
    result = run(answer("import os\nos.write(1, b'raw')\n!echo from a program"))
    assert "raw" in result.text(0)
    assert "from a program" in result.text(0)


def test_errors_of_a_student_stop_only_their_cell(run):
    result = run(answer("x = 1\n1 / 0"), answer("syntax error"), check("assert x == 1"))
    assert result.errors(0) == ["ZeroDivisionError"]
    assert result.errors(1) == ["SyntaxError"]
    assert result.scores == [2]


def test_cells_after_a_test_are_told(run):
    result = run(answer("x = 1"), check("assert x"), free("print(x)"), check("assert x"))
    assert result.execution.after_tests == {2}


def test_a_tensor_that_asks_for_a_gradient_is_a_value_like_any(run):
    result = run(
        answer(
            "import torch\nw = torch.zeros(2, requires_grad=True)\np = torch.softmax(w, 0)\n"
            "def f(x):\n    return x * w.exp() if x.requires_grad else None"
        ),
        check(
            "import numpy as np\nimport torch\nassert np.asarray(p).tolist() == [0.5, 0.5]\n"
            "assert np.asarray(f(torch.ones(2, requires_grad=True))).tolist() == [1, 1]"
        ),
    )
    assert result.scores == [2]


def test_torch_trains_in_a_fork(run):
    result = run(
        answer(
            "import torch\nw = torch.zeros(2, requires_grad=True)\n"
            "optimiser = torch.optim.SGD([w], lr=0.5)\n"
            "for _ in range(20):\n    optimiser.zero_grad()\n    loss = ((w - 1) ** 2).sum()\n"
            "    loss.backward()\n    optimiser.step()\n"
            "data = torch.utils.data.DataLoader(list(range(8)), batch_size=4, num_workers=2)\n"
            "batches = [b.tolist() for b in data]\ntorch.set_num_threads(2)\n"
            "m = (torch.ones(200, 200) @ torch.ones(200, 200)).sum().item()"
        ),
        check(
            "assert abs(w - 1).max() < 1e-3 and m == 8e6\n"
            "assert batches == [[0, 1, 2, 3], [4, 5, 6, 7]]"
        ),
        limits=Limits(cell_seconds=60),
    )
    assert result.errors(0) == []
    assert result.scores == [2]


def test_the_notebook_given_is_not_changed(run, warm_grader):
    import nbformat.v4 as v4

    notebook = v4.new_notebook(cells=[answer("1"), v4.new_markdown_cell("text")])
    notebook.cells[0].outputs = [v4.new_output("stream", text="old")]
    before = v4.writes(notebook)
    execution = warm_grader.run(notebook)
    assert v4.writes(notebook) == before
    assert execution.notebook.cells[1].source == "text"
    assert "old" not in v4.writes(execution.notebook)


def test_tags_that_skip_cells_are_not_followed(run):
    cell = check("assert False")
    cell.metadata["tags"] = ["skip-execution", "raises-exception"]
    assert run(cell).scores == [0]


def test_a_grader_must_be_entered():
    with pytest.raises(RuntimeError, match="with statement"):
        Grader().run(None)


def test_two_graders_at_once(warm_grader):
    import nbformat.v4 as v4

    notebook = v4.new_notebook(cells=[answer("x = 1"), check("assert x == 1")])
    with Grader(preload=("numpy",)) as other:
        for grader in warm_grader, other, warm_grader:
            execution = grader.run(notebook)
            assert not execution.faults
            assert execution.notebook.cells[1].outputs == []


def test_error_text_names_no_path_of_the_machine(run):
    result = run(answer("import glyphlab_core\nglyphlab_core.softmax('x')"))
    assert not re.search(r"/(home|root|work)/", result.text(0).replace("/course", ""))
