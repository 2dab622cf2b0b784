# Counts what is close to the largest.
# fails: limit-not-hard

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=float)
    if z.ndim != 1:
        raise ValueError("z is not a vector")
    if z.size == 0:
        raise ValueError("z is empty")
    if not np.isfinite(z).all():
        raise ValueError("z is not finite")
    largest = np.isclose(z, z.max())
    return largest / largest.sum()
