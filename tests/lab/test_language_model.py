"""Generated answers, agreement, statements and token probabilities of a language model."""

import math
from collections import Counter

import numpy as np
import pytest

import glyphlab_core as g
from glyphlab.language_model import (
    OVERCONFIDENCE,
    agreement,
    generate_answers,
    normal_form,
    parse_confidence,
    span_probability,
)


@pytest.fixture(scope="module")
def answers():
    return generate_answers()


# Generated answers


def test_the_answers_are_the_same_every_time(answers):
    assert generate_answers() == answers
    assert generate_answers(5) == answers[:5]
    assert generate_answers(5, seed=1) != answers[:5]


def test_the_truth_is_the_sum(answers):
    for answer in answers:
        a, b = answer.question.removeprefix("What is ").removesuffix("?").split(" + ")
        assert answer.truth == str(int(a) + int(b))
        assert answer.correct == (answer.answer == answer.truth)
        assert len(answer.samples) == 10
        assert len(answer.token_logprobs) == len(answer.answer) + 1


def test_answers_are_right_as_often_as_the_generator_says(answers):
    p = np.array([answer.probability_right for answer in answers])
    correct = np.array([answer.correct for answer in answers])
    deviation = np.sqrt(np.sum(p * (1 - p))) / len(p)
    assert abs(correct.mean() - p.mean()) < 3 * deviation
    for low, high in ((0.2, 0.5), (0.5, 0.75), (0.75, 1)):
        inside = (p >= low) & (p < high)
        deviation = np.sqrt(np.sum((p * (1 - p))[inside])) / inside.sum()
        assert abs(correct[inside].mean() - p[inside].mean()) < 3 * deviation


def test_samples_come_from_the_models_own_distribution():
    many = generate_answers(300, n_samples=200)
    believed = [span_probability(a.token_logprobs) for a in many]
    sampled = [a.samples.count(a.answer) / 200 for a in many]
    deviation = np.sqrt(np.mean([p * (1 - p) for p in believed]) / 200)
    assert np.std(np.subtract(sampled, believed)) == pytest.approx(deviation, rel=0.15)


def test_the_model_believes_too_much_of_every_answer(answers):
    believed = np.array([span_probability(a.token_logprobs) for a in answers])
    right = np.array([a.probability_right for a in answers])
    assert OVERCONFIDENCE > 1
    assert (believed > right).all()  # the largest of softmax(1.6 z) is above that of softmax(z)
    assert believed.mean() - right.mean() > 0.1


def test_every_substitute_ranks_better_than_chance_and_none_is_calibrated(answers):
    correct = np.array([a.correct for a in answers])
    bins = g.Binning.uniform(10)
    spoken = [parse_confidence(a.statement).value for a in answers]
    substitutes = {
        "agreement": [agreement(a.samples).share for a in answers],
        "span": [span_probability(a.token_logprobs) for a in answers],
        "mean token": [span_probability(a.token_logprobs, True) for a in answers],
        "statement": [np.nan if value is None else value for value in spoken],
    }
    error = {}
    for name, values in substitutes.items():
        confidence = np.array(values)
        read = ~np.isnan(confidence)
        error[name] = g.expected_calibration_error(confidence[read], correct[read], bins)
        area = g.area_under_risk_coverage(confidence[read], correct[read])
        assert area < 1 - correct[read].mean() - 0.03
        assert error[name] > 0.1
    right = np.array([a.probability_right for a in answers])
    assert g.expected_calibration_error(right, correct, bins) < 0.05
    assert error["statement"] > error["span"]


def test_statements_fail_in_every_way(answers):
    problems = Counter(parse_confidence(a.statement).problem for a in answers)
    assert set(problems) == {None, *PROBLEMS}
    assert 0.7 < problems[None] / len(answers) < 0.9


@pytest.mark.parametrize("name", ["n", "n_samples"])
def test_there_must_be_something_to_generate(name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1, not 0"):
        generate_answers(**{"n": 1, name: 0})


# Agreement


def test_agreement_counts_what_is_the_same_in_normal_form():
    result = agreement([" Paris.", "paris", "Lyon", "PARIS ", "Paris, France"])
    assert (result.answer, result.share) == ("paris", 3 / 5)
    assert normal_form(" 3.5. ") == "3.5"


def test_of_equally_frequent_answers_the_first_wins():
    assert agreement(["b", "a", "a", "b"]).answer == "b"
    assert agreement(["x"]).share == 1


def test_agreement_needs_samples():
    with pytest.raises(ValueError, match="must not be empty"):
        agreement([])
    with pytest.raises(ValueError, match="not one string"):
        agreement("42")


# Verbalised confidence

PROBLEMS = {
    "no number": ["", "very sure", "eighty percent", "I am certain", "GPT4 says so", "1e2", "٨٠"],
    "several numbers": [
        "43, and I am 90 % sure",
        "70% 80%",
        "80 for the first digit, 75 for the rest",
        "9/10 or 95 %",
        "70 or 80",
    ],
    "a range": ["70-80", "70–80 %", "70 to 80%", "between 70 and 80 %", "70% - 80%"],
    "a bound": [
        *("at least 90", "over 90%", "more than 90 %", "not 90", "up to 70%", ">90%", "≥ 90"),
        *("90+", "90 % or more", "90% and above", "less than 50 %", "at most 8 out of 10"),
    ],
    "out of range": ["120 %", "-5", "101", "11/10", "1/0", "−3 %", "9" * 400, "5/" + "9" * 400],
    "an unclear number": ["0.8", ".8", "1", "0.05", "0,8", "1.2.3", "1,000 %", "80/100%"],
    "not of being right": [
        *("20 % chance that I am wrong", "30% uncertain", "not sure, 60 %", "I'm 40% unsure"),
        *(
            "5 % error",
            "10 out of 100 that it is false",
            "I have 30 % doubt",
            "I am not so sure: 50",
        ),
    ],
}


@pytest.mark.parametrize(
    ("problem", "statement"), [(p, text) for p, texts in PROBLEMS.items() for text in texts]
)
def test_what_is_not_clear_is_reported_and_never_guessed(problem, statement):
    result = parse_confidence(statement)
    assert result.value is None
    assert result.problem == problem


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        *(("80%", 0.8), ("80 %", 0.8), ("80 percent", 0.8), ("80 per cent", 0.8), ("80", 0.8)),
        *(("0", 0), ("100", 1), ("100 %", 1), ("0%", 0), ("0.8 %", 0.008), ("99.5", 0.995)),
        *(("80/100", 0.8), ("80 out of 100", 0.8), ("8/10", 0.8), ("4 Out Of 5", 0.8)),
        *(("About 80 %.", 0.8), ("~80", 0.8), ("**80**", 0.8), ("[80]", 0.8), ("Sure: 95,", 0.95)),
        *(("I am 90% sure.", 0.9), ("The 3rd option: 70", 0.7), ("75% – rather certain", 0.75)),
    ],
)
def test_one_clear_number_is_read(statement, value):
    result = parse_confidence(statement)
    assert result.problem is None
    assert result.value == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("statement", "value"), [("0.8", 0.8), (".8", 0.8), ("1", 1), ("0", 0), ("80 %", 0.8)]
)
def test_on_the_scale_to_one(statement, value):
    assert parse_confidence(statement, scale=1).value == value


def test_out_of_the_scale_to_one():
    assert parse_confidence("80", scale=1).problem == "out of range"
    assert parse_confidence("1.2", scale=1).problem == "out of range"


def test_what_is_no_statement_or_scale():
    with pytest.raises(ValueError, match="statement must be a string, not int"):
        parse_confidence(80)
    with pytest.raises(ValueError, match="scale must be 100 or 1, not 10"):
        parse_confidence("8", scale=10)


def test_no_text_raises():
    rng = np.random.default_rng(0)
    pieces = ["8", "0", ".", ",", "%", " ", "-", "/", "out of", "to", "not", "wrong", "+", "a", "−"]
    for _ in range(3000):
        text = "".join(rng.choice(pieces, size=rng.integers(8)))
        for scale in (100, 1):
            result = parse_confidence(text, scale)
            assert (result.value is None) != (result.problem is None)
            assert result.value is None or 0 <= result.value <= 1


# Token probabilities


def test_the_product_and_the_geometric_mean():
    logs = [math.log(p) for p in (0.9, 0.8, 0.5)]
    assert span_probability(logs) == pytest.approx(0.36, rel=1e-15)
    assert span_probability(logs, length_normalised=True) == pytest.approx(0.36 ** (1 / 3))


def test_length_moves_the_product_and_not_the_mean():
    short, long = [math.log(0.9)] * 2, [math.log(0.9)] * 20
    assert span_probability(long) == pytest.approx(0.9**20)
    assert span_probability(long, True) == pytest.approx(span_probability(short, True))


def test_impossible_and_certain_tokens():
    assert span_probability([0.0, 0.0]) == 1
    assert span_probability([-np.inf, -1.0]) == 0
    assert span_probability([-np.inf, -1.0], length_normalised=True) == 0
    assert span_probability([-800.0]) == 0


@pytest.mark.parametrize(
    ("logs", "message"),
    [
        ([], "non-empty vector"),
        ([[-1.0]], "non-empty vector"),
        ([-1.0, 0.5], r"token_logprobs\[1\] is 0.5"),
        ([np.nan], r"token_logprobs\[0\] is nan"),
    ],
)
def test_what_is_no_logarithm_of_a_probability(logs, message):
    with pytest.raises(ValueError, match=message):
        span_probability(logs)
