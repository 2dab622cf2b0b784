# An infinite logit wins.
# fails: not-finite-accepted

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=float)
    if z.ndim != 1:
        raise ValueError("z is not a vector")
    if z.size == 0:
        raise ValueError("z is empty")
    if np.isnan(z).any():
        raise ValueError("NaN")
    largest = z == z.max()
    return largest / largest.sum()
