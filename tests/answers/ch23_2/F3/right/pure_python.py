# No array arithmetic at all: lists and math.

# %% function
import math


def fit_temperature(Z, y, grid):
    rows, labels = np.asarray(Z).tolist(), np.asarray(y).tolist()
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
        raise ValueError("Z is not a matrix")
    if any(isinstance(z, list) for row in rows for z in row):
        raise ValueError("Z is not a matrix")
    if not isinstance(labels, list) or any(isinstance(label, list) for label in labels):
        raise ValueError("y is not a vector")
    if len(rows) != len(labels):
        raise ValueError("Z and y differ in length")
    if any(math.isnan(z) for row in rows for z in row):
        raise ValueError("NaN")
    if any(label not in range(len(rows[0])) for label in labels):
        raise ValueError("label")
    if len(grid) == 0:
        raise ValueError("grid")
    best = None
    for T in grid:
        if not math.isfinite(T) or T <= 0:
            raise ValueError(f"temperature {T}")
        total = 0.0
        for row, label in zip(rows, labels):
            top = max(row)
            total += math.log(sum(math.exp((z - top) / T) for z in row)) - (row[label] - top) / T
        if best is None or total < best[0]:
            best = (total, T)
    return best[1]
