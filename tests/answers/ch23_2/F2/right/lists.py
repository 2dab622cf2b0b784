# Lists and counts.

# %% values
import math

e = math.e
p_at_1 = [e**2 / (2 * e**2 + e), e**2 / (2 * e**2 + e), e / (2 * e**2 + e)]
p_at_half = [e**4 / (2 * e**4 + e**2)] * 2 + [e**2 / (2 * e**4 + e**2)]

# %% function
import math


def softmax_limit(z):
    if np.ndim(z) != 1 or len(z) == 0:
        raise ValueError("z must be a vector with at least one element")
    for value in z:
        if not math.isfinite(value):
            raise ValueError("z must hold finite numbers")
    top = max(z)
    count = sum(1 for value in z if value == top)
    return [1 / count if value == top else 0 for value in z]

# %% proof
The exponential is increasing, and dividing by a positive number keeps the order.
