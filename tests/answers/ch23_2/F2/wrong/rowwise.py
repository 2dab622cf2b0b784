# Works on the rows of a matrix.
# fails: not-a-vector-accepted

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=float)
    if z.ndim > 1:
        return np.stack([softmax_limit(row) for row in z])
    z = np.atleast_1d(z)
    if z.size == 0:
        raise ValueError("z is empty")
    if not np.isfinite(z).all():
        raise ValueError("z is not finite")
    largest = z == z.max()
    return largest / largest.sum()
