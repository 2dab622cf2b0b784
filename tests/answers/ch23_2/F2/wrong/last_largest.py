# All to the last of the largest where there are two.
# fails: first-of-ties

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=float)
    if z.ndim != 1:
        raise ValueError("z is not a vector")
    if z.size == 0:
        raise ValueError("z is empty")
    if not np.isfinite(z).all():
        raise ValueError("z is not finite")
    largest = z == z.max()
    if largest.sum() > 2 or (largest.sum() == 2 and z.max() > 0):
        p = np.zeros(len(z))
        p[np.flatnonzero(largest)[-1]] = 1.0
        return p
    return largest / largest.sum()
