"""Attempts to steer what hidden tests draw at random, by the global generators' state."""

import numpy as np
import pytest

from ..grader.execution.conftest import answer, check, given

GIVEN = "import random\nimport numpy as np"
#: Right for nothing but 0 and 1, where the tests ask for squares.
SAME = "def f(x):\n    return x\n"
#: A seed of numpy's, and of random's, from which 0 is drawn first of 0 … 9999.
STEERED = {
    "numpy seeded": (
        "s = next(s for s in range(10**6) if np.random.RandomState(s).randint(10_000) == 0)\n"
        "np.random.seed(s)",
        "n = np.random.randint(10_000)\nassert f(n) == n * n",
    ),
    "random seeded": (
        "s = next(s for s in range(10**6) if random.Random(s).randrange(10_000) == 0)\n"
        "random.seed(s)",
        "import random\nn = random.randrange(10_000)\nassert f(n) == n * n",
    ),
    "numpy's state set": (
        "s = next(s for s in range(10**6) if np.random.RandomState(s).randint(10_000) == 0)\n"
        "np.random.set_state(np.random.RandomState(s).get_state())",
        "n = np.random.randint(10_000)\nassert f(n) == n * n",
    ),
    "seeded again at each call": (
        "s = next(s for s in range(10**6) if np.random.RandomState(s).randint(10_000) == 0)\n"
        "def f(x):\n    np.random.seed(s)\n    return x\nnp.random.seed(s)",
        "for _ in range(3):\n    n = np.random.randint(10_000)\n    assert f(n) == n * n",
    ),
    "the test's own seed made another": (
        "s = next(s for s in range(10**6) if np.random.RandomState(s).randint(10_000) == 0)\n"
        "kept = np.random.seed\nnp.random.seed = lambda seed=None: kept(s)",
        "np.random.seed(20261130)\nn = np.random.randint(10_000)\nassert f(n) == n * n",
    ),
    "a generator that draws nothing": (
        "class Zero:\n    def __getattr__(self, name): return lambda *a, **k: 0\n"
        "np.random.default_rng = lambda *a, **k: Zero()",
        "n = np.random.default_rng(7).integers(2, 10_000)\nassert f(n) == n * n",
    ),
}


@pytest.mark.parametrize("what", STEERED)
def test_a_steered_generator_gains_nothing(bare, guarded, what):
    source, test = STEERED[what]
    cells = [given(GIVEN), answer(SAME), answer(source), check(test)]
    assert bare(*cells).scores == [2], "the attack does not work where nothing defends"
    result = guarded(*cells)
    assert result.scores == [0]
    assert result.errors(3) == ["AssertionError"]


def test_what_a_test_draws_does_not_depend_on_the_student(bare, guarded):
    """A score of what is drawn tells the draw: the same for every student, and not in one process.

    The values are those of numpy's own generator, seeded here.
    """
    drawn = np.random.RandomState(5).random_sample(2)
    honest, hostile = answer("x = 1"), answer("np.random.seed(99); x = np.random.rand(7)")
    tests = [check("float(np.random.rand())"), check("x; float(np.random.rand())")]
    told = [guarded(given(GIVEN), cell, *tests, seed=5).scores for cell in (honest, hostile)]
    assert told[0] == told[1] == pytest.approx(drawn, abs=1e-15)
    assert bare(given(GIVEN), hostile, *tests, seed=5).scores != told[0]
