# Looks for the largest starting at 0.
# fails: maximum-starts-at-zero

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=float)
    if z.ndim != 1:
        raise ValueError("z is not a vector")
    if z.size == 0:
        raise ValueError("z is empty")
    if not np.isfinite(z).all():
        raise ValueError("z is not finite")
    top = 0.0
    for value in z:
        if value > top:
            top = value
    largest = z == top
    return largest / largest.sum()
