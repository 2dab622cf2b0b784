"""The exact expected values of the course, each with the place that derives it.

Book, exercises and tests compare against this table. A value is a `fractions.Fraction` where it is
rational, else a `decimal.Decimal` of 30 significant digits, or a tuple of these (of tuples for a
matrix, rows first); `None` inside a tuple stands for an undefined entry. No value was produced by
the functions it checks: ``tests/lab/test_expected.py`` computes each one again, independently.

Names are dotted. A quantity that depends on the temperature carries it in brackets, written with
``:g``: ``three_samples.log_loss[1]``, ``three_samples.log_loss[0.75]``,
``three_samples.brier[T_star]``.

Examples
--------
>>> exact("C_z.omit.macro_f1")
Fraction(19, 30)
>>> number("C_z.omit.precision")
array([0.66666667, 0.5       ,        nan])
>>> TABLE["C_z.omit.macro_f1"].where
'23.1 §3 Derivation'
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["TABLE", "TEMPERATURES", "Exact", "Expected", "exact", "number"]

Exact: TypeAlias = "Fraction | Decimal | tuple[Exact, ...] | None"

#: The temperatures at which the three samples are tabulated.
TEMPERATURES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)


@dataclass(frozen=True)
class Expected:
    """One expected value.

    Parameters
    ----------
    value : Fraction, Decimal or tuple
        The exact value; a tuple for a vector, a tuple of tuples for a matrix.
    where : str
        Chapter and section that derives it.
    """

    value: Exact
    where: str


def exact(name: str) -> Exact:
    """Return the exact value called `name`.

    Parameters
    ----------
    name : str
        A key of `TABLE`.

    Returns
    -------
    Fraction, Decimal or tuple
        The value as the table holds it.

    Raises
    ------
    KeyError
        If the table has no such name.

    Examples
    --------
    >>> exact("C.accuracy")
    Fraction(10, 13)
    """
    return TABLE[name].value


def number(name: str) -> float | NDArray[np.float64]:
    """Return the value called `name` rounded to float64.

    Parameters
    ----------
    name : str
        A key of `TABLE`.

    Returns
    -------
    float or ndarray of float64
        A float for a scalar, an array (K,) for a tuple, (N, K) for a tuple of tuples. Undefined
        entries are NaN.

    Raises
    ------
    KeyError
        If the table has no such name.

    Examples
    --------
    >>> number("cost.threshold")
    0.16666666666666666
    >>> number("C_z.omit.averaged")
    array([2., 3., 2.])
    """
    value = exact(name)
    return np.array(_floats(value)) if isinstance(value, tuple) else _float(value)


def _float(value: Fraction | Decimal | None) -> float:
    return float("nan") if value is None else float(value)


def _floats(value: tuple[Exact, ...]) -> list[object]:
    return [_floats(v) if isinstance(v, tuple) else _float(v) for v in value]


def _q(text: str) -> Fraction | None:
    """Read one fraction, or ``-`` for an undefined value."""
    return None if text == "-" else Fraction(text)


def _row(text: str) -> tuple[Exact, ...]:
    """Read fractions separated by spaces."""
    return tuple(_q(t) for t in text.split())


def _rows(*texts: str) -> tuple[Exact, ...]:
    return tuple(_row(t) for t in texts)


def _d(text: str) -> Decimal:
    return Decimal(text)


def _ds(text: str) -> tuple[Exact, ...]:
    """Read decimals separated by spaces."""
    return tuple(Decimal(t) for t in text.split())


def _section(where: str, values: dict[str, Exact]) -> dict[str, Expected]:
    return {name: Expected(value, where) for name, value in values.items()}


# ---------------------------------------------------------------- chapter 23.1, confusion matrix

_OPENING = _section(
    "23.1 §4 Micro, macro and prevalence",
    {
        "opening.accuracy": _q("5/6"),
        "opening.recall": _row("1 0 0"),
        "opening.macro_recall": _q("1/3"),
        "opening.prevalence": _row("5/6 1/10 1/15"),
    },
)

_C = _section(
    "23.1 §3 Derivation",
    {
        "C.total": _q("13"),
        "C.trace": _q("10"),
        "C.support": _row("6 4 3"),
        "C.predicted": _row("6 4 3"),
        "C.true_positive": _row("5 3 2"),
        "C.false_positive": _row("1 1 1"),
        "C.false_negative": _row("1 1 1"),
        "C.true_negative": _row("6 8 9"),
        "C.micro_false_positive": _q("3"),
        "C.micro_false_negative": _q("3"),
        "C.accuracy": _q("10/13"),
        "C.micro_precision": _q("10/13"),
        "C.micro_recall": _q("10/13"),
        "C.micro_f1": _q("10/13"),
        "C.precision": _row("5/6 3/4 2/3"),
        "C.recall": _row("5/6 3/4 2/3"),
        "C.f1": _row("5/6 3/4 2/3"),
        "C.sum_precision": _q("9/4"),
        "C.macro_precision": _q("3/4"),
        "C.macro_recall": _q("3/4"),
        "C.macro_f1": _q("3/4"),
        "C.prevalence": _row("6/13 4/13 3/13"),
    },
)

_C_Z = _section(
    "23.1 §3 Derivation",
    {
        "C_z.total": _q("12"),
        "C_z.trace": _q("7"),
        "C_z.support": _row("6 4 2"),
        "C_z.predicted": _row("6 6 0"),
        "C_z.true_positive": _row("4 3 0"),
        "C_z.false_positive": _row("2 3 0"),
        "C_z.false_negative": _row("2 1 2"),
        "C_z.true_negative": _row("4 5 10"),
        "C_z.accuracy": _q("7/12"),
        "C_z.micro_precision": _q("7/12"),
        "C_z.micro_recall": _q("7/12"),
        "C_z.micro_f1": _q("7/12"),
        "C_z.prevalence": _row("1/2 1/3 1/6"),
        "C_z.omit.precision": _row("2/3 1/2 -"),
        "C_z.omit.recall": _row("2/3 3/4 0"),
        "C_z.omit.f1": _row("2/3 3/5 -"),
        "C_z.omit.averaged": _row("2 3 2"),
        "C_z.omit.sum_precision": _q("7/6"),
        "C_z.omit.sum_recall": _q("17/12"),
        "C_z.omit.sum_f1": _q("19/15"),
        "C_z.omit.macro_precision": _q("7/12"),
        "C_z.omit.macro_recall": _q("17/36"),
        "C_z.omit.macro_f1": _q("19/30"),
        "C_z.zero.precision": _row("2/3 1/2 0"),
        "C_z.zero.recall": _row("2/3 3/4 0"),
        "C_z.zero.f1": _row("2/3 3/5 0"),
        "C_z.zero.averaged": _row("3 3 3"),
        "C_z.zero.macro_precision": _q("7/18"),
        "C_z.zero.macro_recall": _q("17/36"),
        "C_z.zero.macro_f1": _q("19/45"),
    },
)

_HARMONIC = {
    # The harmonic mean of the macros, which is not macro F1.
    **_section(
        "23.1 §4 Micro, macro and prevalence",
        {
            "C_z.omit.harmonic": _q("119/228"),
            # E23: on the classes 0 and 1 alone, where all three averages run over one set.
            "C_z.first_two.harmonic": _q("119/186"),
        },
    ),
    # F4's bug: the harmonic mean in zero mode. The swapped axes change macro P and R only.
    **_section(
        "23.1 §7 Solutions, F4",
        {
            "C_z.zero.harmonic": _q("119/279"),
            "C_z.zero.swapped_macro_precision": _q("17/36"),
            "C_z.zero.swapped_macro_recall": _q("7/18"),
        },
    ),
}

_C_F2 = _section(
    "23.1 §7 Solutions, F2",
    {
        "C_F2.total": _q("15"),
        "C_F2.trace": _q("12"),
        "C_F2.support": _row("7 4 4"),
        "C_F2.predicted": _row("7 6 2"),
        "C_F2.true_positive": _row("6 4 2"),
        "C_F2.false_positive": _row("1 2 0"),
        "C_F2.false_negative": _row("1 0 2"),
        "C_F2.true_negative": _row("7 9 11"),
        "C_F2.accuracy": _q("4/5"),
        "C_F2.micro_precision": _q("4/5"),
        "C_F2.micro_recall": _q("4/5"),
        "C_F2.micro_f1": _q("4/5"),
        "C_F2.precision": _row("6/7 2/3 1"),
        "C_F2.recall": _row("6/7 1 1/2"),
        "C_F2.f1": _row("6/7 4/5 2/3"),
        "C_F2.macro_precision": _q("53/63"),
        "C_F2.macro_recall": _q("11/14"),
        "C_F2.macro_f1": _q("244/315"),
    },
)

# E22: macro P and F1 move with the prevalence too.
_REWEIGHTING = _section(
    "23.1 §4 Micro, macro and prevalence",
    {
        "reweighting.prevalence": _row("3/5 3/10 1/10"),
        "reweighting.C.accuracy": _q("19/24"),
        "reweighting.C.confusion": _rows("1/2 1/10 0", "0 9/40 3/40", "1/30 0 1/15"),
        "reweighting.C.precision": _row("15/16 9/13 8/17"),
        "reweighting.C.recall": _row("5/6 3/4 2/3"),
        "reweighting.C.f1": _row("15/17 18/25 16/29"),
        "reweighting.C.macro_precision": _q("7427/10608"),
        "reweighting.C.macro_recall": _q("3/4"),
        "reweighting.C.macro_f1": _q("26549/36975"),
        "reweighting.C_z.accuracy": _q("5/8"),
        "reweighting.majority": _q("3/5"),
    },
)

_ERRATA_23_1 = {
    # E8: perfect predictions [[2, 0], [0, 0]] in omit mode; the first clause would give F1 = 1/2.
    **_section(
        "23.1 §2 Definitions",
        {
            "E8.omit.macro_precision": _q("1"),
            "E8.omit.macro_recall": _q("1"),
            "E8.omit.macro_f1": _q("1"),
            "E8.omit.averaged": _row("1 1 1"),
            "E8.first_clause_macro_f1": _q("1/2"),
        },
    ),
    # E9: nine 0s, one 1, one 2, all predicted 0.
    **_section(
        "23.1 §7 Solutions, F1",
        {"E9.accuracy": _q("9/11"), "E9.macro_recall": _q("1/3")},
    ),
}

# ------------------------------------------------- chapter 23.2, calibration, decision threshold

_DEFINITIONS_23_2 = _section(
    "23.2 §2 Definitions",
    {
        "brier.range": _row("0 2"),
        # C_FP = 1, C_FN = 5
        "cost.threshold": _q("1/6"),
        # E11: confidence 2/5 is right 3/10 of the time.
        "E11.confidence": _q("2/5"),
        "E11.accuracy": _q("3/10"),
        # E18: confidences 0.8 and 0.7, right 0 and 1, five bins, closed left or right.
        "E18.ece[left]": _q("11/20"),
        "E18.ece[right]": _q("1/4"),
        # E31: two samples at confidence 1, one right.
        "E31.ece": _q("1/2"),
    },
)

_TEMPERATURE_LEMMA = {
    **_section(
        "23.2 §4 Worked example",
        {
            # E14: exp-logits (6, 1, 1) and (20, 5, 1); the order of the confidences turns over.
            "E14.confidence[1]": _row("3/4 10/13"),
            "E14.confidence[0.5]": _row("18/19 200/213"),
        },
    ),
    # The logits [2, 2, 1].
    **_section(
        "23.2 §7 Solutions, F2",
        {
            "two_two_one.softmax[1]": _ds(
                "0.422318798251518196603290705988 0.422318798251518196603290705988 "
                "0.155362403496963606793418588024"
            ),
            "two_two_one.softmax[0.5]": _ds(
                "0.468310530833481190905410691173 0.468310530833481190905410691173 "
                "0.0633789383330376181891786176545"
            ),
            "two_two_one.softmax[0]": _row("1/2 1/2 0"),
            "two_two_one.softmax[inf]": _row("1/3 1/3 1/3"),
        },
    ),
}

# The three samples Z, y of `glyphlab_core.worked` at each temperature: rows of the softmax, loss of
# each sample, mean log loss, its derivative in T, Brier score, confidence of each sample.
_THREE_SAMPLES = _section(
    "23.2 §4 Worked example",
    {
        "three_samples.softmax[0.25]": (
            _ds(
                "0.997482203195678345040911922836 0.00247251118235724251950333072858 "
                "0.0000452856219644124395847464351087"
            ),
            _ds(
                "0.00165842877234482564152812273450 0.998117127300022139510551042163 "
                "0.000224443927633034847920835102624"
            ),
            _ds(
                "0.942586045229733376425588881074 0.0573187164400766198957140389507 "
                "0.0000952383301900036786970799757213"
            ),
        ),
        "three_samples.sample_log_loss[0.25]": _ds(
            "0.00252097178511959843709284872695 0.00188464753298634954520384108462 "
            "2.85912806915361914007354951631"
        ),
        "three_samples.log_loss[0.25]": _d("0.954511229490575029351948735373"),
        "three_samples.gradient[0.25]": _d("-3.48112560650816729880907347477"),
        "three_samples.brier[0.25]": _d("0.592378421580036462293369687667"),
        "three_samples.confidence[0.25]": _ds(
            "0.997482203195678345040911922836 0.998117127300022139510551042163 "
            "0.942586045229733376425588881074"
        ),
        "three_samples.softmax[0.5]": (
            _ds(
                "0.946499122552893558645920433113 0.0471234165246641444498616936075 "
                "0.00637746092244229690421787327915"
            ),
            _ds(
                "0.0386094279575408938348656571625 0.947186957261489900442007686178 "
                "0.0142036147809692057231266566596"
            ),
            _ds(
                "0.795767282195057120051271847092 0.196233795793364686467866145674 "
                "0.00799892201157819348086200723416"
            ),
        ),
        "three_samples.sample_log_loss[0.5]": _ds(
            "0.0549852353771474236527728906616 0.0542587847302555754074500044699 "
            "1.62844849493442880287860135987"
        ),
        "three_samples.log_loss[0.5]": _d("0.579230838347277267312941418335"),
        "three_samples.gradient[0.5]": _d("-0.488009825937082871169097103114"),
        "three_samples.brier[0.5]": _d("0.429651647184645511492228855022"),
        "three_samples.confidence[0.5]": _ds(
            "0.946499122552893558645920433113 0.947186957261489900442007686178 "
            "0.795767282195057120051271847092"
        ),
        "three_samples.softmax[0.75]": (
            _ds(
                "0.853964199939779226798967577421 0.115571486872777372745216225468 "
                "0.0304643131874434004558161971116"
            ),
            _ds(
                "0.100438108137510352204873510950 0.847995247741445145414035817363 "
                "0.0515666441210445023810906716872"
            ),
            _ds(
                "0.694532770158664323457836022553 0.273118567204057628637923934537 "
                "0.0323486626372780479042400429096"
            ),
        ),
        "three_samples.sample_log_loss[0.75]": _ds(
            "0.157866006517476997169848065860 0.164880247284421385070197929427 "
            "1.29784926598060466009520080172"
        ),
        "three_samples.log_loss[0.75]": _d("0.540198506594167680778415599002"),
        "three_samples.gradient[0.75]": _d("0.0498333985544085505254824959475"),
        "three_samples.brier[0.75]": _d("0.361080832352899946971147953362"),
        "three_samples.confidence[0.75]": _ds(
            "0.853964199939779226798967577421 0.847995247741445145414035817363 "
            "0.694532770158664323457836022553"
        ),
        "three_samples.softmax[1]": (
            _ds(
                "0.766157206556342229373563910140 0.170952780197790273760037922869 "
                "0.0628900132458674968663981669914"
            ),
            _ds(
                "0.152449177967776652504714233276 0.755085721546779114066025839867 "
                "0.0924651004854442334292599268565"
            ),
            _ds(
                "0.626235191177978853850049880606 0.310979192655988044807951689985 "
                "0.0627856161660331013419984294089"
            ),
        ),
        "three_samples.sample_log_loss[1]": _ds(
            "0.266367899807133678363775313360 0.280923997705561773064548351546 "
            "1.16802927368424364346397042689"
        ),
        "three_samples.log_loss[1]": _d("0.571773723732313031630764697265"),
        "three_samples.gradient[1]": _d("0.171280650406765817155734497351"),
        "three_samples.brier[1]": _d("0.350166076850036910516222856418"),
        "three_samples.confidence[1]": _ds(
            "0.766157206556342229373563910140 0.755085721546779114066025839867 "
            "0.626235191177978853850049880606"
        ),
        "three_samples.softmax[1.25]": (
            _ds(
                "0.696122149511734689111352356818 0.209667962216815049233837022488 "
                "0.0942098882714502616548106206940"
            ),
            _ds(
                "0.189862851315320596758645240167 0.682868273450535961059129968420 "
                "0.127268875234143442182224791412"
            ),
            _ds(
                "0.578025831283997262850140510132 0.330173593968165093269443860184 "
                "0.0918005747478376438804156296840"
            ),
        ),
        "three_samples.sample_log_loss[1.25]": _ds(
            "0.362230131874389355623201276111 0.381453302652627144137858794733 "
            "1.10813672050560032525038257709"
        ),
        "three_samples.log_loss[1.25]": _d("0.617273385010872275003814215977"),
        "three_samples.gradient[1.25]": _d("0.184178069716864972287542012182"),
        "three_samples.brier[1.25]": _d("0.363068109238648314913189104406"),
        "three_samples.confidence[1.25]": _ds(
            "0.696122149511734689111352356818 0.682868273450535961059129968420 "
            "0.578025831283997262850140510132"
        ),
        "three_samples.softmax[1.5]": (
            _ds(
                "0.642361817839220742154384251013 0.236311706576564355854036954396 "
                "0.121326475584214901991578794592"
            ),
            _ds(
                "0.216346770033467823184820629685 0.628633995296045282616207423565 "
                "0.155019234670486894198971946750"
            ),
            _ds(
                "0.542621812354323147258675212855 0.340272215958480409365983420456 "
                "0.117105971687196443375341366689"
            ),
        ),
        "three_samples.sample_log_loss[1.5]": _ds(
            "0.442603554854466476563931141377 0.464206075113691818494202369391 "
            "1.07800934653729725730562051363"
        ),
        "three_samples.log_loss[1.5]": _d("0.661606325501818517454584674800"),
        "three_samples.gradient[1.5]": _d("0.168446408850139687406374822437"),
        "three_samples.brier[1.5]": _d("0.383536997345808043950645151213"),
        "three_samples.confidence[1.5]": _ds(
            "0.642361817839220742154384251013 0.628633995296045282616207423565 "
            "0.542621812354323147258675212855"
        ),
        "three_samples.softmax[2]": (
            _ds(
                "0.568546414851054101811815782096 0.268562310056455274733544549364 "
                "0.162891275092490623454639668540"
            ),
            _ds(
                "0.249728937246331005395814248738 0.555781970870636681863667730280 "
                "0.194489091883032312740518020981"
            ),
            _ds(
                "0.494725029229768350636048627013 0.348626835783960125741414908490 "
                "0.156648134986271523622536464497"
            ),
        ),
        "three_samples.sample_log_loss[2]": _ds(
            "0.564672324707288627330212238584 0.587379200359925745096671771340 "
            "1.05375316726431056918548166923"
        ),
        "three_samples.log_loss[2]": _d("0.735268230777174980537455226384"),
        "three_samples.gradient[2]": _d("0.126866211740133627373010911810"),
        "three_samples.brier[2]": _d("0.425303392062376172422834518791"),
        "three_samples.confidence[2]": _ds(
            "0.568546414851054101811815782096 0.555781970870636681863667730280 "
            "0.494725029229768350636048627013"
        ),
        "three_samples.softmax[T_star]": (
            _ds(
                "0.871296733931986567277472062792 0.103637369438196917077419885889 "
                "0.0250658966298165156451080513191"
            ),
            _ds(
                "0.0894365748159643380241841471650 0.866579033475268727809104528983 "
                "0.0439843917087669341667113238520"
            ),
            _ds(
                "0.709993381164376705453464028921 0.262876100842327340484200691353 "
                "0.0271305179932959540623352797252"
            ),
        ),
        "three_samples.sample_log_loss[T_star]": _ds(
            "0.137772678251879587095527030561 0.143201963974005685202146736279 "
            "1.33607245726541738569392429549"
        ),
        "three_samples.log_loss[T_star]": _d("0.539015699830434219330532687443"),
        "three_samples.gradient[T_star]": _q("0"),
        "three_samples.brier[T_star]": _d("0.367948841721638115396445370743"),
        "three_samples.confidence[T_star]": _ds(
            "0.871296733931986567277472062792 0.866579033475268727809104528983 "
            "0.709993381164376705453464028921"
        ),
        "three_samples.softmax[T_brier]": (
            _ds(
                "0.782347107556479861013051066854 0.161337600887500673388174375312 "
                "0.0563152915560194655987745578332"
            ),
            _ds(
                "0.143304417546273478210623117537 0.772030380347832733469193878156 "
                "0.0846652021058937883201830043064"
            ),
            _ds(
                "0.637956811674069260929207066593 0.305361864345887425544937697703 "
                "0.0566813239800433135258552357043"
            ),
        ),
        "three_samples.sample_log_loss[T_brier]": _ds(
            "0.245456765363062948711283995899 0.258731376949494546447593542491 "
            "1.18625776516071110118050943659"
        ),
        "three_samples.log_loss[T_brier]": _d("0.563481969157756198779795658328"),
        "three_samples.gradient[T_brier]": _d("0.160265062975647524076017293613"),
        "three_samples.brier[T_brier]": _d("0.349657440228987545047022639452"),
        "three_samples.confidence[T_brier]": _ds(
            "0.782347107556479861013051066854 0.772030380347832733469193878156 "
            "0.637956811674069260929207066593"
        ),
    },
)

_OPTIMA = {
    **_section(
        "23.2 §4 Worked example",
        {
            "three_samples.T_star": _d("0.704528124866494164428913164581"),
            "three_samples.T_brier": _d("0.950089009448967486199434987689"),
            "three_samples.log_loss[0.7]": _d("0.539028591572304045383379573064"),
            # The best temperature of {0.5, 0.75, 1, 1.25, 1.5, 2}, of the same with 0.25 (E1), of
            # {0.5, 1, 2}, and of linspace(0.5, 3, 26).
            "three_samples.best[default]": _q("3/4"),
            "three_samples.best[with_quarter]": _q("3/4"),
            "three_samples.best[three]": _q("1"),
            "three_samples.best[linspace]": _q("7/10"),
        },
    ),
    # At T = 1. E2: five bins, then ten and fifteen, under both closedness conventions; E38.
    **_section(
        "23.2 §4 Worked example",
        {
            "three_samples.accuracy": _q("2/3"),
            "three_samples.mean_confidence": _d("0.715826039760366732429879876871"),
            "three_samples.ece[5]": _d("0.0491593730937000657632132102044"),
            "three_samples.ece[10]": _d("0.368330754358285836803486710200"),
            "three_samples.ece[15]": _d("0.368330754358285836803486710200"),
        },
    ),
}

# 100 two-class samples, 90 right at 0.99, 10 wrong at 0.51; five bins closed on the left.
_ACCURATE_MISCALIBRATED = _section(
    "23.2 §7 Solutions, F1",
    {
        "accurate_miscalibrated.accuracy": _q("9/10"),
        "accurate_miscalibrated.ece": _q("3/50"),
    },
)

# E37: the logits [0.1, 0] and [10.1, 10] have one softmax and two energies.
_OUT_OF_DISTRIBUTION = _section(
    "23.2 §8 Misconception",
    {
        "ood.softmax": _ds("0.524979187478939986099193182604 0.475020812521060013900806817396"),
        "ood.energy": _ds("-0.744396660073570894830099108316 -10.7443966600735708948300991083"),
    },
)

#: Every expected value, by its dotted name.
TABLE: dict[str, Expected] = {
    **_OPENING,
    **_C,
    **_C_Z,
    **_HARMONIC,
    **_C_F2,
    **_REWEIGHTING,
    **_ERRATA_23_1,
    **_DEFINITIONS_23_2,
    **_TEMPERATURE_LEMMA,
    **_THREE_SAMPLES,
    **_OPTIMA,
    **_ACCURATE_MISCALIBRATED,
    **_OUT_OF_DISTRIBUTION,
}
