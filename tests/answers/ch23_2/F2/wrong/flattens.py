# Flattens a matrix.
# fails: not-a-vector-accepted

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=float)
    if z.ndim != 1:
        z = z.ravel()
    if z.size == 0:
        raise ValueError("z is empty")
    if not np.isfinite(z).all():
        raise ValueError("z is not finite")
    largest = z == z.max()
    return largest / largest.sum()
