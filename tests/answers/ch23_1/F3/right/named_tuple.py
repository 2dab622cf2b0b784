# Returns a named tuple; a validating decorator; keyword-only internals.

# %% function
from collections import namedtuple
from functools import wraps

Scores = namedtuple("Scores", "precision recall f1")


def validated(function):
    @wraps(function)
    def wrapper(C, zero_division="omit"):
        matrix = np.array(C)
        if zero_division not in ("raise", "zero", "omit"):
            raise ValueError(f"unknown zero_division {zero_division!r}")
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"C has shape {matrix.shape}")
        return function(matrix, zero_division=zero_division)

    return wrapper


@validated
def precision_recall_from_confusion(C, *, zero_division):
    def rate(total):
        if (total == 0).any() and zero_division == "raise":
            raise ZeroDivisionError
        with np.errstate(invalid="ignore"):
            quotient = np.diag(C) / total
        return np.nan_to_num(quotient) if zero_division == "zero" else quotient

    p, r = rate(C.sum(axis=0)), rate(C.sum(axis=1))
    f1 = np.array([0.0 if a == 0 and b == 0 else 2 * a * b / (a + b) for a, b in zip(p, r)])
    return Scores(p, r, f1)

# %% negative
def raises_on_zero_denominator(function):
    raised = False
    try:
        function([[1, 0], [1, 0]], "raise")
    except ZeroDivisionError:
        raised = True
    except Exception as error:
        print("another error:", error)
    return np.bool_(raised)
