"""How sure is a language model? Three substitutes for a probability, on answers of known truth.

No language model runs here: `generate_answers` draws what one might have said, so that the truth,
and how often such an answer is right, are known.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glyphlab_core import softmax

SEED = 20261020
OVERCONFIDENCE = 1.6
"""The model's best temperature, as its logits are this times those that draw the truth."""

_ERRORS = (0, 1, -1, 10, -10)  # what a candidate answer is off by


@dataclass(frozen=True)
class Answer:
    """What a model said to one question.

    Attributes
    ----------
    question, truth : str
        A sum, and its value.
    answer : str
        The model's most probable answer.
    samples : tuple of str
        Answers drawn from the model's distribution.
    token_logprobs : tuple of float
        Natural logarithms of the probabilities of the answer's tokens, each given those before:
        its digits and the end.
    statement : str
        What the model said when asked how sure it was, from 0 to 100.
    probability_right : float
        How often an answer drawn like this one is right; no model knows it.
    """

    question: str
    truth: str
    answer: str
    samples: tuple[str, ...]
    token_logprobs: tuple[float, ...]
    statement: str
    probability_right: float

    @property
    def correct(self) -> bool:
        """Whether the answer is the truth."""
        return self.answer == self.truth


def generate_answers(n: int = 1000, n_samples: int = 10, seed: int = SEED) -> tuple[Answer, ...]:
    """Draw sums and what an overconfident model says to them; the same every time.

    The truth is drawn from softmax(ℓ) over five candidates, the model believes softmax(1.6 ℓ).

    Parameters
    ----------
    n : int
        How many questions.
    n_samples : int
        How many sampled answers each.
    seed : int
        Of the draw.

    Returns
    -------
    tuple of Answer

    Raises
    ------
    ValueError
        A number below 1.

    Examples
    --------
    >>> first = generate_answers(3)[0]
    >>> first.question, first.truth, first.answer, first.statement
    ('What is 853 + 871?', '1724', '1724', '85/100')
    """
    for name, number in (("n", n), ("n_samples", n_samples)):
        if number < 1:
            raise ValueError(f"{name} must be at least 1, not {number}")
    rng = np.random.default_rng(seed)
    return tuple(_answer(rng, n_samples) for _ in range(n))


def _answer(rng: np.random.Generator, n_samples: int) -> Answer:
    a, b = (int(number) for number in rng.integers(10, 1000, size=2))
    logits = rng.normal(scale=1.5, size=len(_ERRORS))
    right = softmax(logits[None])[0]
    belief = softmax(OVERCONFIDENCE * logits[None])[0]
    values = a + b + rng.permutation(_ERRORS)
    # The values move round until the truth stands where the draw put it.
    values = np.roll(values, rng.choice(len(right), p=right) - int(np.argmax(values == a + b)))
    names = [str(value) for value in values]
    best = int(belief.argmax())
    return Answer(
        question=f"What is {a} + {b}?",
        truth=str(a + b),
        answer=names[best],
        samples=tuple(names[i] for i in rng.choice(len(names), size=n_samples, p=belief)),
        token_logprobs=_token_logprobs(names, belief, names[best]),
        statement=_statement(rng, float(belief[best])),
        probability_right=float(right[best]),
    )


def _token_logprobs(
    names: Sequence[str], belief: NDArray[np.float64], answer: str
) -> tuple[float, ...]:
    """Log probability of each digit and of the end, given the digits before."""
    ended = [f"{name}." for name in names]
    shares = []
    for length in range(len(answer) + 2):
        inside = [name[:length] == f"{answer}."[:length] for name in ended]
        shares.append(float(belief[inside].sum()))
    steps = np.minimum(np.diff(np.log(shares)), 0)
    return tuple(steps.tolist())


_FORMS = (
    *("{p}", "{p}%", "{p} %", "{p} percent", "{p}/100", "I am {p} out of 100 sure.", "about {p}%"),
    *("0.{p:02d}", "very sure", "{low}-{p}", "between {low} and {p} %", "I'd say 110%", ""),
    *("{wrong} % that I am wrong", "over {low}%", "{p} for the first digit, {low} for the rest"),
)


def _statement(rng: np.random.Generator, belief: float) -> str:
    """Say how sure: in steps of five, too high, and two times of three in the form asked for."""
    p = int(np.clip(5 * round((50 + 45 * belief + 10 * rng.normal()) / 5), 5, 95))
    form = rng.integers(7) if rng.random() < 2 / 3 else rng.integers(len(_FORMS))
    return _FORMS[int(form)].format(p=p, low=p - 5, wrong=100 - p)


# ------------------------------------------------------------------------- agreement of samples


@dataclass(frozen=True)
class Agreement:
    """The most frequent of several sampled answers.

    Attributes
    ----------
    answer : str
        As `normal_form` writes it; of equally frequent ones the first.
    share : float
        The share of the samples that agree with it, in (0, 1].
    """

    answer: str
    share: float


def normal_form(answer: str) -> str:
    """Write an answer so that case, spaces around it and a final full stop do not tell it apart.

    Examples
    --------
    >>> normal_form(" Forty-two. ")
    'forty-two'
    """
    return answer.strip().removesuffix(".").strip().casefold()


def agreement(samples: Sequence[str]) -> Agreement:
    """Take the answer that a model gives most often, and its share as confidence.

    Parameters
    ----------
    samples : sequence of str
        Answers to one question, sampled independently.

    Returns
    -------
    Agreement

    Raises
    ------
    ValueError
        No samples, or one string in place of several.

    Notes
    -----
    Chapter 23.2, beyond one temperature. Self-consistency: Wang et al. 2022. Answers that mean the
    same in other words count as different. A model that errs the same way each time agrees too.

    Examples
    --------
    >>> agreement(["42", "41", "42. ", "42"])
    Agreement(answer='42', share=0.75)
    """
    if isinstance(samples, str):
        raise ValueError("samples must be a sequence of answers, not one string")
    if len(samples) == 0:
        raise ValueError("samples must not be empty")
    answer, count = Counter(normal_form(sample) for sample in samples).most_common(1)[0]
    return Agreement(answer, count / len(samples))


# ------------------------------------------------------------------------- verbalised confidence


@dataclass(frozen=True)
class VerbalisedConfidence:
    """What a statement says, or why it is not read.

    Attributes
    ----------
    value : float or None
        In [0, 1]; None where there is a problem.
    problem : str or None
        ``"no number"``, ``"several numbers"``, ``"a range"``, ``"a bound"``, ``"out of range"``,
        ``"an unclear number"``, ``"not of being right"``, or None where there is a value.
    """

    value: float | None
    problem: str | None = None


# A number that is not part of a word, such as GPT4 or 3rd.
_NUMBER = r"(?<![\w.,])[-−]?(?:[0-9]+(?:[.,][0-9]+)*|\.[0-9]+)(?![^\W_])"
_NUMBERS = re.compile(_NUMBER)
_PLAIN = re.compile(r"[0-9]*\.?[0-9]+")
_SHARE = re.compile(rf"({_NUMBER})\s*(?:/|out of)\s*([0-9]+)(?![\w.,]*[0-9])", re.IGNORECASE)
_RANGE = re.compile(
    rf"{_NUMBER}\s*%?\s*(?:[-–—−]|to\b)\s*[0-9.]|between\s+{_NUMBER}\s*%?\s*and\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"\s*(?:%|percent\b|per cent\b)", re.IGNORECASE)
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:at least|at most|over|under|above|below|than|not|up to|minimum|maximum)|[<>≤≥])\s*$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(
    r"\s*(?:\+|(?:or|and)\s+(?:more|less|higher|lower|above|below|over|under)\b)", re.IGNORECASE
)
_WRONG = re.compile(
    r"\b(?:wrong|incorrect|mistaken?|false|errors?|unsure|uncertain|doubts?|doubtful"
    r"|(?:not|n't|never)(?:\s+\w+)?\s+(?:right|correct|sure|certain|true|confident))\b",
    re.IGNORECASE,
)


def parse_confidence(statement: str, scale: int = 100) -> VerbalisedConfidence:
    """Read how sure a model says that it is; what is not clear is reported, never guessed.

    Parameters
    ----------
    statement : str
        The model's words, in English.
    scale : {100, 1}
        What the question asked for: a number from 0 to 100, or from 0 to 1.

    Returns
    -------
    VerbalisedConfidence
        A value where the statement holds one number: of the scale, with a percent sign, or as a
        share ("80/100", "8 out of 10"). On the scale to 100 a bare 0.8 or 1 is unclear.

    Raises
    ------
    ValueError
        A statement that is no string, or another scale.

    Notes
    -----
    Chapter 23.2, beyond one temperature. Count what is unread: leaving it out silently flatters
    a model that says "very sure" when it is wrong.

    Examples
    --------
    >>> parse_confidence("About 80 %.").value
    0.8
    >>> for text in ("0.8", "70-80", "very sure", "20 % that I am wrong"):
    ...     print(parse_confidence(text).problem)
    an unclear number
    a range
    no number
    not of being right
    """
    if not isinstance(statement, str):
        raise ValueError(f"statement must be a string, not {type(statement).__name__}")
    if scale not in (1, 100):
        raise ValueError(f"scale must be 100 or 1, not {scale!r}")
    numbers = list(_NUMBERS.finditer(statement))
    share = _SHARE.search(statement)
    if not numbers:
        return VerbalisedConfidence(None, "no number")
    if len(numbers) > (2 if share else 1):
        ranged = _RANGE.search(statement)
        return VerbalisedConfidence(None, "a range" if ranged else "several numbers")
    found = share or numbers[0]
    percent = _PERCENT.match(statement, found.end())
    end = percent.end() if percent else found.end()
    if _WRONG.search(statement):
        return VerbalisedConfidence(None, "not of being right")
    if _BOUND_BEFORE.search(statement[: found.start()]) or _BOUND_AFTER.match(statement, end):
        return VerbalisedConfidence(None, "a bound")
    part, whole = (share[1], share[2]) if share else (found.group(), None)
    return _value(part, whole, percent is not None, scale)


def _value(part: str, whole: str | None, percent: bool, scale: int) -> VerbalisedConfidence:
    """The number on the scale that it is meant on."""
    if part[0] in "-−":
        return VerbalisedConfidence(None, "out of range")
    if not _PLAIN.fullmatch(part) or (whole and percent):  # 0,8 and 1.2.3
        return VerbalisedConfidence(None, "an unclear number")
    if not percent and not whole and scale == 100 and 0 < float(part) <= 1:
        return VerbalisedConfidence(None, "an unclear number")
    full = float(whole) if whole else 100 if percent else scale
    if not 0 < full < np.inf or float(part) > full:
        return VerbalisedConfidence(None, "out of range")
    return VerbalisedConfidence(float(part) / full)


# ------------------------------------------------------------------------- token probabilities


def span_probability(token_logprobs: ArrayLike, length_normalised: bool = False) -> float:
    """Probability of an answer's decisive tokens.

    Parameters
    ----------
    token_logprobs : array_like, shape (L,)
        Natural logarithms of the probability of each token of the span, given all before it.
    length_normalised : bool
        Whether to take the geometric mean over the tokens in place of their product.

    Returns
    -------
    float
        exp(Σ log p), or exp(mean log p), in [0, 1].

    Raises
    ------
    ValueError
        No token, or something that is no logarithm of a probability.

    Notes
    -----
    Chapter 23.2, beyond one temperature. The product is the probability of these very words, which
    falls with length; the geometric mean compares spans of unlike length but is the probability
    of nothing.

    Examples
    --------
    >>> round(span_probability(np.log([0.9, 0.8, 0.5])), 4)
    0.36
    >>> round(span_probability(np.log([0.9, 0.8, 0.5]), length_normalised=True), 4)
    0.7114
    """
    logs = np.asarray(token_logprobs, dtype=np.float64)
    if logs.ndim != 1 or len(logs) == 0:
        raise ValueError(f"token_logprobs must be a non-empty vector, not of shape {logs.shape}")
    bad = np.flatnonzero(~(logs <= 0))
    if len(bad):
        raise ValueError(
            "token_logprobs must be logarithms of probabilities, at most 0: "
            f"token_logprobs[{bad[0]}] is {logs[bad[0]]}"
        )
    return float(np.exp(logs.mean() if length_normalised else logs.sum()))
