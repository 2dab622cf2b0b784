"""``course.yml``: every link of the map holds, and a mistake is told with its place."""

import ast
import importlib
import itertools
import re
from pathlib import Path

import nbformat
import pytest
import yaml

import glyphlab_core
from glyphlab import course
from glyphlab_grader.execution.library import edition_sources

ROOT = Path(__file__).parents[2]
COURSE = course.load(ROOT / "course.yml")


def graded(assignment, exercise):
    path = ROOT / "solutions" / assignment / f"{exercise}.ipynb"
    return [c for c in nbformat.read(path, as_version=4).cells if c.metadata.nbgrader.grade]


EXERCISES = [(a, e) for a, content in COURSE.assignments.items() for e in content.exercises]
each_exercise = pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)


def test_the_exercises_are_the_notebooks():
    notebooks = {(p.parent.name, p.stem) for p in ROOT.glob("solutions/*/*.ipynb")}
    assert set(EXERCISES) == notebooks


@each_exercise
def test_each_test_stands_for_one_misconception(assignment, exercise):
    named = [
        c.metadata.glyphlab.misconception
        for c in graded(assignment, exercise)
        if not c.metadata.nbgrader.solution
    ]
    assert len(named) == len(set(named))
    assert set(named) <= set(COURSE.misconceptions)


@each_exercise
def test_what_an_exercise_tests_is_what_it_practises(assignment, exercise):
    tested = set()
    for cell in graded(assignment, exercise):
        marks = cell.metadata.glyphlab
        tested.add(
            marks.objective
            if cell.metadata.nbgrader.solution
            else COURSE.misconceptions[marks.misconception].objective
        )
    assert tested == set(COURSE.assignments[assignment].exercises[exercise].objectives)


def test_every_misconception_has_a_test_and_every_objective_an_exercise():
    named = {
        c.metadata.glyphlab.get("misconception")
        for assignment, exercise in EXERCISES
        for c in graded(assignment, exercise)
    }
    assert set(COURSE.misconceptions) - named == set()
    practised = {o for a, e in EXERCISES for o in COURSE.assignments[a].exercises[e].objectives}
    assert set(COURSE.objectives) == practised


def test_every_section_is_one_of_the_book():
    for section in COURSE.sections.values():
        page = (ROOT / f"{section.page}.md").read_text(encoding="utf-8")
        heading = re.search(rf"^\({section.label}\)=\n#+ ([\d.]+ )?(.*)$", page, re.MULTILINE)
        assert heading, section
        assert heading.group(2) == section.title


def test_every_section_is_linked_to():
    linked = {o.section for o in COURSE.objectives.values()}
    linked |= {m.section for m in COURSE.misconceptions.values()}
    assert linked == set(COURSE.sections)


def test_messages_are_sentences_and_name_no_result():
    """They lead; a value of the worked examples would be the answer."""
    for misconception in COURSE.misconceptions.values():
        assert misconception.message.endswith((".", "?")), misconception.name
        assert not re.search(r"\d[./]\d\d", misconception.message), misconception.name


@each_exercise
def test_forbidden_names_are_public_names_of_the_library(assignment, exercise):
    for name in COURSE.assignments[assignment].exercises[exercise].forbidden:
        module, _, own = name.rpartition(".")
        assert hasattr(importlib.import_module(module or "glyphlab_core"), own), name


@each_exercise
def test_where_no_temperature_may_be_fitted_torch_trains_none_either(assignment, exercise):
    forbidden = set(COURSE.assignments[assignment].exercises[exercise].forbidden)
    trained = "glyphlab.network.TrainedTemperature"
    assert (trained in forbidden) == ("optimal_temperature" in forbidden)


def text_of(assignment, exercise, cell):
    path = ROOT / "solutions" / assignment / f"{exercise}.ipynb"
    return next(c.source for c in nbformat.read(path, as_version=4).cells if c.id == cell)


@each_exercise
def test_a_task_names_what_is_not_there_when_it_is_graded(assignment, exercise):
    """Here everything is there, so that an answer with it passes Validate and gets no points."""
    forbidden = COURSE.assignments[assignment].exercises[exercise].forbidden
    line = "When the notebook is graded, these functions of the library are not there: "
    told = text_of(assignment, exercise, "task").split(line)[1].split("\n")[0]
    assert told == ", ".join(f"`{name}`" for name in forbidden) + "."


@each_exercise
def test_an_exercise_says_what_its_visible_checks_do_not_tell(assignment, exercise):
    line = "look at the form; whether a value is right is tested when it is graded."
    assert line in text_of(assignment, exercise, "grading")


#: Why an exercise may use what it does not forbid, by groups of public names.
ALLOWED = {
    "data, and what a call returns or raises; they compute nothing": (
        "DEFAULT_GRID Abstention BootstrapResult BrierDecomposition CrossValidatedTemperature"
        " GridEdgeWarning NoOptimumError ReliabilityTable RiskCoverage ThresholdSweep worked"
    ),
    "bins, confidences and softmax: NumPy and PyTorch have their like in a line": (
        "Binning confidence_and_correctness softmax"
    ),
    "what calibrators are made of; it fits nothing itself": "Calibrator",
}
#: Of these an exercise must say itself, by forbidding it or by being of another kind.
MATRICES = (
    "confusion_matrix core_metrics normalize_confusion precision_recall_from_confusion"
    " reweighted_accuracy reweighted_confusion"
)
TEMPERATURES = (
    "TemperatureScaling cross_validated_temperature fit_temperature log_loss optimal_temperature"
    " temperature_curve temperature_gradient"
)
REGRESSIONS = "IsotonicCalibration MatrixScaling PlattScaling VectorScaling"
SCORES = (
    "brier_decomposition brier_score classwise_calibration_error expected_calibration_error"
    " maximum_calibration_error reliability_table"
)
COSTS = "cost_threshold decide"
COUNTED_COSTS = "expected_cost threshold_sweep"
ABSTENTIONS = "abstain area_under_risk_coverage risk_coverage_curve"
RESAMPLES = "AdditiveStatistic group_bootstrap paired_group_bootstrap"
#: What can be made to count within one class, with "called k" for the confidence or the
#: probability and "is k" for what is right: it hands over precision and recall of that class, or
#: the accuracy in a bin. A regression on "called k" and the statistic of a bin do so, too.
COUNTS_IN_DISGUISE = (COUNTED_COSTS, ABSTENTIONS, SCORES, REGRESSIONS, RESAMPLES)
#: What is asked for elsewhere and does not help here, and why.
UNRELATED = {
    # A temperature has no say in a decision. Costs: a quotient of two numbers, a comparison.
    "ch23_1/F1": (TEMPERATURES, "energy_score", COSTS),
    "ch23_1/F2": (TEMPERATURES, "energy_score", COSTS),
    "ch23_1/F3": (TEMPERATURES, "energy_score", COSTS),
    "ch23_1/F4": (TEMPERATURES, "energy_score", COSTS),
    "ch23_1/F5": (TEMPERATURES, "energy_score", COSTS),
    # The examples are chosen, not fitted; the Brier score has no bins. Counting pairs is no bin.
    "ch23_2/F1": (
        "confusion_matrix",
        TEMPERATURES,
        REGRESSIONS,
        "brier_score energy_score",
        COSTS,
    ),
    # Not from logits to probabilities: from counts, probabilities or correctness to numbers. A
    # fitted temperature, or a regression of two classes, is not the softmax at a given one.
    "ch23_2/F2": (
        MATRICES,
        "cross_validated_temperature fit_temperature optimal_temperature temperature_gradient",
        "IsotonicCalibration PlattScaling",
        SCORES,
        COSTS,
        COUNTED_COSTS,
        ABSTENTIONS,
        RESAMPLES,
    ),
    # None takes the logarithm of a probability, or looks for a temperature.
    "ch23_2/F3": (
        MATRICES,
        "IsotonicCalibration",
        SCORES,
        COSTS,
        COUNTED_COSTS,
        ABSTENTIONS,
        RESAMPLES,
    ),
    # An accuracy is the mean of a comparison: counting does not shorten it.
    "ch23_2/F4": ("confusion_matrix IsotonicCalibration", COSTS),
    # Precision and recall of one class are two sums; what they are of, is asked.
    "ch23_2/F5": (MATRICES, "IsotonicCalibration"),
}
#: Counting is not what these ask for.
COUNTED = {f"ch23_1/F{number}": {"confusion_matrix"} for number in (2, 3, 4, 5)}


@each_exercise
def test_each_public_name_is_forbidden_or_allowed_with_a_reason(assignment, exercise):
    place = f"{assignment}/{exercise}"
    forbidden = set(COURSE.assignments[assignment].exercises[exercise].forbidden)
    allowed = {name for names in ALLOWED.values() for name in names.split()}
    unrelated = {name for names in UNRELATED[place] for name in names.split()}
    unrelated |= COUNTED.get(place, set())
    assert forbidden & unrelated == set()
    assert set(glyphlab_core.__all__) - forbidden - allowed - unrelated == set()


@pytest.mark.parametrize("place", ["ch23_2/F3", "ch23_2/F4", "ch23_2/F5"])
def test_what_computes_a_log_loss_is_in_no_corner_of_the_edition(place):
    """A forbidden function's inner parts would hand over its result as well."""
    assignment, exercise = place.split("/")
    forbidden = frozenset(COURSE.assignments[assignment].exercises[exercise].forbidden)
    defined = {
        node.name
        for path, text in edition_sources(forbidden).items()
        if path.endswith(".py")
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    assert defined & {"mean_loss", "losses", "mean_derivatives", "solve", "Model"} == set()
    whole = edition_sources(frozenset({"core_metrics"}))
    assert "def losses" in whole["glyphlab_core/_direct.py"]


# ------------------------------------------------------------------------------ mistakes


def changed(tmp_path, *keys, value):
    """Write the course's file with one entry changed (or removed, with `...`)."""
    data = yaml.safe_load((ROOT / "course.yml").read_text(encoding="utf-8"))
    parent = data
    for key in keys[:-1]:
        parent = parent[key]
    if value is ...:
        del parent[keys[-1]]
    else:
        parent[keys[-1]] = value
    path = tmp_path / "course.yml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["points"], ..., ": 'points' is missing"),
        (["pionts"], 3, ": unknown key 'pionts'"),
        (["points"], "many", "points: should be a whole number of at least 0, is 'many'"),
        (["points"], True, "points: should be a whole number"),
        (["seed"], -1, "seed: should be a whole number"),
        (["publish_solutions"], "yes", "publish_solutions: should be true or false, is 'yes'"),
        (["title"], "", "title: should be text, is ''"),
        (["sections"], [], "sections: should be a mapping with entries"),
        (
            ["objectives", "read-matrix", "section"],
            "nowhere",
            "objectives: read-matrix: section: 'nowhere' is not one of the sections",
        ),
        (
            ["misconceptions", "swapped-axes", "objective"],
            "nothing",
            "misconceptions: swapped-axes: objective: 'nothing' is not one of the objectives",
        ),
        (
            ["assignments", "ch23_1", "exercises", "F3", "objectives"],
            [],
            "exercises: F3: objectives: names no objective",
        ),
        (
            ["assignments", "ch23_1", "exercises", "F3", "forbidden"],
            "core_metrics",
            "forbidden: should be a list, is 'core_metrics'",
        ),
        (
            ["assignments", "ch23_1", "exercises", "F3", "objectives"],
            ["read-matrix", 3],
            r"objectives\[1\]: should be text, is 3",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path, keys, value, message):
    path = changed(tmp_path, *keys, value=value)
    with pytest.raises(course.CourseError, match=message) as error:
        course.load(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(course.CourseError, match="cannot be read: No such file"):
        course.load(tmp_path / "course.yml")
    path = tmp_path / "course.yml"
    for text in ("a: [", "\t- x: :"):
        path.write_text(text)
        with pytest.raises(course.CourseError, match="is not YAML") as error:
            course.load(path)
        assert "\n" not in str(error.value)
    path.write_text("3: x")
    with pytest.raises(course.CourseError, match="keys are text, not 3"):
        course.load(path)


def test_a_link_leads_into_the_built_book():
    for section in itertools.islice(COURSE.sections.values(), 3):
        assert section.path == f"{section.page}.html#{section.label}"


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("", ""),
        ("https://example.org/book/", "https://example.org/book/"),
        ("https://example.org/~ada/course", "https://example.org/~ada/course/"),
    ],
)
def test_the_book_s_address_ends_in_a_slash(tmp_path, given, address):
    assert course.load(changed(tmp_path, "book_url", value=given)).book_url == address


@pytest.mark.parametrize(
    "address", ["book/", "javascript:x//y", "https://a/b c", "https://a/?q", "https://a/)", 3, None]
)
def test_an_address_that_cannot_be_linked_to_is_refused(tmp_path, address):
    with pytest.raises(course.CourseError, match="book_url: should be"):
        course.load(changed(tmp_path, "book_url", value=address))


@each_exercise
def test_what_hands_over_a_forbidden_result_is_forbidden_too(assignment, exercise):
    """Shares of rows and columns are recall and precision; a reweighted matrix is made of them."""
    forbidden = set(COURSE.assignments[assignment].exercises[exercise].forbidden)
    if "precision_recall_from_confusion" in forbidden and exercise != "F1":
        assert {"core_metrics", "normalize_confusion", "reweighted_accuracy"} <= forbidden
        assert "reweighted_confusion" in forbidden


@pytest.mark.parametrize("exercise", ["F1", "F2", "F3", "F4", "F5"])
def test_what_counts_under_another_name_is_forbidden_where_counts_are_asked_for(exercise):
    forbidden = set(COURSE.assignments["ch23_1"].exercises[exercise].forbidden)
    assert {n for names in COUNTS_IN_DISGUISE for n in names.split()} - forbidden == set()


def test_precision_and_recall_can_be_had_under_another_name():
    """The reason for what is forbidden, by one class among five samples."""
    called, true = [1, 1, 1, 0, 0], [1, 1, 0, 1, 0]
    sweep = glyphlab_core.threshold_sweep(called, true)
    curve = glyphlab_core.risk_coverage_curve(called, true)
    table = glyphlab_core.reliability_table(called, true, glyphlab_core.Binning.uniform(2))
    values = [sweep.precision[1], sweep.recall[1], table.accuracy[1], 1 - curve.risk[0]]
    assert values == pytest.approx([2 / 3] * 4)
