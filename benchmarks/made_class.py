"""A made-up class for the grading benchmark: notebooks of 15 cells, and honest answers to them.

Each student's answers differ from everybody else's in a comment, names and constants, and one in
four makes a mistake, so that scores differ and nothing kept of one submission helps another.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import v4

__all__ = ["KINDS", "NOTEBOOK", "Kind", "hand_in", "write_source"]

NOTEBOOK = "B1"
CELLS = 15
#: Of which an answer has one mistake.
_ONE_IN = 4


@dataclass(frozen=True)
class Part:
    """One exercise: a task, an answer, a test.

    Parameters
    ----------
    name : str
        The function that is asked for.
    answer : str
        A right answer; ``{…}`` is filled in for each student.
    wrong : str
        What stands in `answer`, and what a mistake puts in its place.
    tests : str
        The test cell, of two points.
    """

    name: str
    answer: str
    wrong: tuple[str, str]
    tests: str


@dataclass(frozen=True)
class Kind:
    """A version of the assignment.

    Parameters
    ----------
    name : str
        What it is called.
    imports : str
        The locked cell of imports.
    parts : tuple of Part
        Its four exercises.
    demonstration : str
        The last cell, which the student may change.
    wanted : float
        How many times stock nbgrader's submissions per minute are wanted of ours.
    """

    name: str
    imports: str
    parts: tuple[Part, ...]
    demonstration: str
    wanted: float


_CONFUSION = Part(
    "confusion",
    """
def confusion({y}, {p}, k):
    # {comment}
    counts = np.zeros((k, k), dtype=np.int64)
    np.add.at(counts, ({y}, {p}), 1)
    return counts
""",
    ("({y}, {p}), 1", "({p}, {y}), 1"),
    """
truth, guess = np.array([0, 0, 1, 2, 2]), np.array([0, 1, 1, 2, 0])
assert np.array_equal(confusion(truth, guess, 3), [[1, 1, 0], [0, 1, 0], [1, 0, 1]])
### BEGIN HIDDEN TESTS
assert confusion(truth, guess, 4).shape == (4, 4)
assert confusion(np.array([0, 1]), np.array([1, 1]), 2).tolist() == [[0, 1], [0, 1]]
### END HIDDEN TESTS
""",
)
_LOG_LOSS = Part(
    "log_loss",
    """
def log_loss({y}, {p}):
    # {comment}
    {p} = np.clip(np.asarray({p}, dtype=float), {tiny}, 1.0)
    return float(-np.mean(np.log({p}[np.arange(len({y})), {y}])))
""",
    ("-np.mean", "-np.sum"),
    """
labels = np.array([0, 1, 1])
chances = np.array([[0.5, 0.5], [0.25, 0.75], [0.5, 0.5]])
assert abs(log_loss(labels, chances) - 0.5579921) < 1e-6
### BEGIN HIDDEN TESTS
generator = np.random.default_rng(7)
many = generator.dirichlet([1.0, 1.0, 1.0], 500)
drawn = generator.integers(3, size=500)
expected = -np.mean([np.log(row[label]) for row, label in zip(many, drawn)])
assert abs(log_loss(drawn, many) - expected) < 1e-9
### END HIDDEN TESTS
""",
)
_CALIBRATION = Part(
    "calibration_error",
    """
def calibration_error(confidence, correct, bins={bins}):
    # {comment}
    {p} = np.minimum((confidence * bins).astype(int), bins - 1)
    total = 0.0
    for {y} in range(bins):
        inside = {p} == {y}
        if inside.any():
            total += inside.mean() * abs(confidence[inside].mean() - correct[inside].mean())
    return total
""",
    ("inside.mean() * abs", "abs"),
    """
sure = np.array([0.95, 0.85, 0.65, 0.55])
right = np.array([1.0, 1.0, 0.0, 1.0])
assert abs(calibration_error(sure, right, 10) - 0.325) < 1e-9
### BEGIN HIDDEN TESTS
generator = np.random.default_rng(11)
sure = generator.random(1000)
assert calibration_error(sure, (generator.random(1000) < sure).astype(float), 10) < 0.1
assert abs(calibration_error(np.full(10, 0.9), np.zeros(10), 10) - 0.9) < 1e-9
### END HIDDEN TESTS
""",
)
_SOFTMAX = Part(
    "softmax",
    """
def softmax({y}, temperature=1.0):
    # {comment}
    {p} = np.asarray({y}, dtype=float) / temperature
    {p} = np.exp({p} - {p}.max(axis=-1, keepdims=True))
    return {p} / {p}.sum(axis=-1, keepdims=True)
""",
    (" / temperature", " * temperature"),
    """
assert np.allclose(softmax([0.0, 0.0]), 0.5)
assert np.allclose(softmax([[1000.0, 0.0]]), [[1.0, 0.0]])
### BEGIN HIDDEN TESTS
for temperature in (0.5, 1.0, 2.0):
    expected = 1 / (1 + np.exp(-1.0 / temperature))
    assert abs(softmax([1.0, 0.0], temperature)[0] - expected) < 1e-9
### END HIDDEN TESTS
""",
)
_TORCH_LOSS = Part(
    "log_loss",
    """
def log_loss({y}, {p}):
    # {comment}
    chosen = torch.log_softmax({y}, dim=1)[torch.arange(len({p})), {p}]
    return -chosen.mean()
""",
    (".mean()", ".sum()"),
    """
torch.manual_seed(0)
z, labels = torch.randn(40, 3), torch.randint(3, (40,))
expected = torch.nn.functional.cross_entropy(z, labels)
assert abs(float(log_loss(z, labels)) - float(expected)) < 1e-5
### BEGIN HIDDEN TESTS
assert abs(float(log_loss(torch.zeros(5, 4), torch.arange(4)[[0, 1, 2, 3, 0]])) - 1.386294) < 1e-5
### END HIDDEN TESTS
""",
)
_GRADIENT = Part(
    "gradient",
    """
def gradient({y}, {p}):
    # {comment}
    {y} = {y}.clone().requires_grad_(True)
    torch.nn.functional.cross_entropy({y}, {p}).backward()
    return {y}.grad
""",
    (".backward()", ".mul(2).backward()"),
    """
z, labels = torch.tensor([[0.0, 0.0], [0.0, 0.0]]), torch.tensor([0, 1])
assert torch.allclose(gradient(z, labels), torch.tensor([[-0.25, 0.25], [0.25, -0.25]]))
### BEGIN HIDDEN TESTS
torch.manual_seed(1)
z, labels = torch.randn(20, 3), torch.randint(3, (20,))
onehot = torch.nn.functional.one_hot(labels, 3)
assert torch.allclose(gradient(z, labels), (z.softmax(1) - onehot) / 20, atol=1e-6)
### END HIDDEN TESTS
""",
)
_TRAINING = Part(
    "train",
    """
def train({y}, {p}, steps={steps}):
    # {comment}
    torch.manual_seed(0)
    model = torch.nn.Linear({y}.shape[1], int({p}.max()) + 1)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(steps):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model({y}), {p}).backward()
        optimiser.step()
    return model({y}).argmax(1)
""",
    ("argmax(1)", "argmin(1)"),
    """
torch.manual_seed(2)
inputs = torch.randn(60, 2)
labels = (inputs[:, 0] > 0).long()
assert (train(inputs, labels) == labels).float().mean() > 0.9
### BEGIN HIDDEN TESTS
# Stock's draws follow the seed that `train` has set; the judge's do not.
torch.manual_seed(3)
inputs = torch.cat([torch.randn(30, 2) + 3 * k for k in range(3)])
labels = torch.arange(3).repeat_interleave(30)
assert (train(inputs, labels) == labels).float().mean() > 0.5
### END HIDDEN TESTS
""",
)

KINDS = {
    "numpy": Kind(
        "numpy",
        "import numpy as np",
        (_CONFUSION, _LOG_LOSS, _CALIBRATION, _SOFTMAX),
        'print("confusion of", [0, 1], "and", [1, 1])\nconfusion(np.array([0, 1]), '
        "np.array([1, 1]), 2)",
        10.0,
    ),
    "torch": Kind(
        "torch",
        "import numpy as np\nimport torch",
        (_TORCH_LOSS, _GRADIENT, _TRAINING, _SOFTMAX),
        'print("a gradient")\ngradient(torch.zeros(2, 2), torch.tensor([0, 1]))',
        15.0,
    ),
}


def write_source(kind: Kind, folder: Path) -> None:
    """Write the instructor's notebook of one kind."""
    cells = [
        _cell("markdown", "title", f"# Measures of classifiers ({kind.name})"),
        _cell("code", "imports", kind.imports),
    ]
    right = _filling(random.Random(0))
    for part in kind.parts:
        answer = f"### BEGIN SOLUTION\n{_filled(part.answer, right)}\n### END SOLUTION"
        cells += [
            _cell("markdown", f"task-{part.name}", f"Write `{part.name}`."),
            _cell("code", part.name, answer, solution=True, locked=False),
            _cell("code", f"test-{part.name}", part.tests.strip(), points=2),
        ]
    cells.append(v4.new_code_cell(kind.demonstration, id="demonstration"))
    assert len(cells) == CELLS
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    folder.mkdir(parents=True)
    notebook = v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, folder / f"{NOTEBOOK}.ipynb")


def hand_in(kind: Kind, released: Path, number: int, folder: Path) -> None:
    """Write what one student hands in.

    Parameters
    ----------
    kind : Kind
        The version of the assignment.
    released : Path
        The notebook that students were given.
    number : int
        Which student; the same number gives the same answers.
    folder : Path
        The student's folder of this assignment.
    """
    generator = random.Random(f"{kind.name} {number}")
    filling = _filling(generator) | {"comment": f"Answer of student {number}."}
    mistaken = generator.choice(kind.parts) if generator.randrange(_ONE_IN) == 0 else None
    notebook: Any = nbformat.read(released, as_version=4)
    cells = {cell.id: cell for cell in notebook.cells}
    for part in kind.parts:
        template = part.answer.replace(*part.wrong) if part is mistaken else part.answer
        cells[part.name].source = _filled(template, filling)
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{NOTEBOOK}.ipynb")


def _filling(generator: random.Random) -> dict[str, str]:
    y, p = generator.sample(["a", "b", "u", "v", "first", "second", "left", "other"], 2)
    return {
        "y": y,
        "p": p,
        "comment": "The instructor's.",
        "tiny": f"1e-{generator.randrange(15, 300)}",
        "bins": str(generator.randrange(5, 40)),
        "steps": str(generator.randrange(40, 60)),
    }


def _filled(template: str, filling: dict[str, str]) -> str:
    text = template.strip()
    for name, value in filling.items():
        text = text.replace("{" + name + "}", value)
    return text


def _cell(kind: str, name: str, source: str, points: int | None = None, **marks: Any) -> Any:
    details: dict[str, Any] = {
        "grade": points is not None,
        "grade_id": name,
        "locked": True,
        "schema_version": 3,
        "solution": False,
        "task": False,
    } | marks
    if points is not None:
        details["points"] = points
    make = v4.new_code_cell if kind == "code" else v4.new_markdown_cell
    return make(source, id=name, metadata={"nbgrader": details})
