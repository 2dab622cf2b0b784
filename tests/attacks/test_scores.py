"""Attempts to get points without an answer. Each works in one process, and gains nothing in two."""

import pytest

from ..grader.execution.conftest import answer, check, given

GIVEN = "import numpy as np\nimport pytest\nfrom glyphlab import checks"
WRONG = "def f(x):\n    return -1\n"
CLOSE = "assert abs(f(3) - 9) < 1e-6, 'wrong'"

#: What the student writes, and the test that it is after; the right answer is x squared.
FORGERIES = {
    "a hook shows a number before the test's error": (
        "def show(info):\n    get_ipython().displayhook(2.0)\n"
        "get_ipython().events.register('pre_run_cell', show)",
        CLOSE,
    ),
    "an input transformer drops the test": (
        "get_ipython().input_transformers_cleanup.append("
        "lambda lines: [] if 'assert' in ''.join(lines) else lines)",
        CLOSE,
    ),
    "an AST transformer drops asserts": (
        "import ast\nclass Drop(ast.NodeTransformer):\n    def visit_Assert(self, node):\n"
        "        return ast.Pass()\nget_ipython().ast_transformers.append(Drop())",
        CLOSE,
    ),
    "an object that equals everything": (
        "class Same:\n    def __eq__(self, other): return True\n    __hash__ = None\n"
        "def f(x):\n    return Same()",
        "assert f(3) == 9",
    ),
    "an array that equals everything": (
        "class Same(np.ndarray):\n    def __eq__(self, other): return np.array(True)\n"
        "    def __array_ufunc__(self, *arguments, **named): return np.zeros(1)\n"
        "def f(x):\n    return np.zeros(1).view(Same)",
        "assert (f(3) == 9).all() and np.abs(f(3) - 9).max() < 1e-6",
    ),
    "a number whose distance is nothing": (
        "class Near(float):\n    def __sub__(self, other): return 0.0\n    __rsub__ = __sub__\n"
        "def f(x):\n    return Near(1)",
        CLOSE,
    ),
    "a patched builtin": ("import builtins\nbuiltins.abs = lambda x: 0", CLOSE),
    "a builtin's name defined in the notebook": ("abs = lambda x: 0", CLOSE),
    "patched numpy": (
        "np.testing.assert_allclose = np.allclose = lambda *a, **k: True",
        "np.testing.assert_allclose(f(3), 9)\nassert np.allclose(f(3), 9)",
    ),
    "a module replaced by name": (
        "class np:\n    allclose = staticmethod(lambda *a, **k: True)",
        "assert np.allclose(f(3), 9)",
    ),
    "a module replaced in sys.modules": (
        "import sys, types\nfake = types.ModuleType('numpy')\n"
        "fake.allclose = lambda *a, **k: True\n"
        "sys.modules['numpy'] = fake",
        "import numpy\nassert numpy.allclose(f(3), 9)",
    ),
    "patched pytest": (
        "import contextlib\n@contextlib.contextmanager\ndef raises(*a, **k):\n    yield\n"
        "pytest.raises = raises",
        "with pytest.raises(ValueError):\n    f(3)",
    ),
    "a tampered shim": (
        "checks.close = lambda *a, **k: None",
        "checks.close(f(3), 9, 'f')",
    ),
    "a shim replaced by name": (
        "class checks:\n    close = staticmethod(lambda *a, **k: None)",
        "checks.close(f(3), 9, 'f')",
    ),
    "tracebacks that are not shown": (
        "get_ipython().showtraceback = lambda *a, **k: None",
        CLOSE,
    ),
    "a shell that runs nothing": (
        "shell = get_ipython()\nkept = type(shell).run_cell\n"
        "def run_cell(self, source, **named):\n"
        "    return kept(self, 'pass' if 'assert' in source else source, **named)\n"
        "type(shell).run_cell = run_cell",
        CLOSE,
    ),
    "a compiler that runs nothing": (
        "import builtins\nkept = builtins.compile\nshell = get_ipython()\n"
        "async def run_code(*a, **k): return False\nshell.run_code = run_code",
        CLOSE,
    ),
    "the expected value read off the test's frame": (
        "import sys\ndef f(x):\n    return sys._getframe(1).f_globals['expected']",
        "expected = 9\nassert f(3) == expected",
    ),
    "the expected value read off the test's source": (
        "import re\ndef f(x):\n    return int(re.search('== (\\\\d+)', In[-1])[1])",
        "assert f(3) == 9",
    ),
    "the next expected value set by the student": (
        "class Sly:\n    def __call__(self, x):\n"
        "        get_ipython().user_ns['expected'] = -1\n        return -1\nf = Sly()",
        "expected = 9\nassert f(3) == expected",
    ),
    "random inputs that the student chose": (
        "np.random.randint = lambda *a, **k: 3\nx = 3\ndef f(x):\n    return 9",
        "n = np.random.randint(10, 1000)\nassert f(n) == n * n",
    ),
    "an exception class that is every exception": (
        "import builtins\nclass Meta(type(Exception)):\n"
        "    def __subclasscheck__(cls, other): return True\n"
        "builtins.ValueError = Exception\ndef f(x):\n    raise RuntimeError",
        "import builtins\ntry:\n    f(3)\nexcept builtins.ValueError:\n    pass",
    ),
    "a test switched off by a finder": (
        "import sys, importlib.abc, importlib.machinery, types\nimport fractions\n"
        "del sys.modules['fractions']\n"
        "class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'fractions':\n"
        "            return importlib.machinery.ModuleSpec(name, self)\n"
        "    def create_module(self, spec):\n        module = types.ModuleType('fractions')\n"
        "        module.Fraction = lambda *a: -1\n        return module\n"
        "    def exec_module(self, module): pass\n"
        "sys.meta_path.insert(0, Finder())",
        "from fractions import Fraction\nassert f(3) == Fraction(9, 1)",
    ),
}


@pytest.mark.parametrize("attack", FORGERIES)
def test_a_forgery_gains_nothing(bare, guarded, attack):
    source, test = FORGERIES[attack]
    cells = [given(GIVEN), answer(WRONG), answer(source), check(test)]
    assert bare(*cells).scores == [2], "the attack does not work where nothing defends"
    result = guarded(*cells)
    assert result.scores == [0]
    assert result.errors(3)
