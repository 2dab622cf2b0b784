# Returns an empty vector for an empty one.
# fails: empty-vector-accepted

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=float)
    if z.ndim != 1:
        raise ValueError("z is not a vector")
    if z.size == 0:
        return z
    if not np.isfinite(z).all():
        raise ValueError("z is not finite")
    largest = z == z.max()
    return largest / largest.sum()
