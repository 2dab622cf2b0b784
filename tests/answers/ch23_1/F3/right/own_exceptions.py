# Raises subclasses of the exceptions asked for.

# %% function
class UndefinedMetric(ZeroDivisionError):
    pass


class NotSquare(ValueError):
    pass


class UnknownMode(ValueError):
    pass


def precision_recall_from_confusion(C, zero_division="omit"):
    if zero_division not in ("raise", "zero", "omit"):
        raise UnknownMode(zero_division)
    C = np.array(C, dtype=float)
    if C.ndim != 2 or len(set(C.shape)) != 1:
        raise NotSquare(C.shape)
    results = []
    for axis in (0, 1):
        value = np.full(len(C), 0.0 if zero_division == "zero" else np.nan)
        for i, total in enumerate(C.sum(axis=axis)):
            if total > 0:
                value[i] = C[i, i] / total
            elif zero_division == "raise":
                raise UndefinedMetric(f"class {i}")
        results.append(value)
    P, R = results
    F1 = np.full(len(C), np.nan)
    defined = ~np.isnan(P) & ~np.isnan(R)
    F1[defined] = 0.0
    positive = defined & (P + R > 0)
    F1[positive] = 2 / (1 / np.maximum(P[positive], 1e-300) + 1 / np.maximum(R[positive], 1e-300))
    return P, R, F1
