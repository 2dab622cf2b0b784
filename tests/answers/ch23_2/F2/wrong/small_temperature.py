# Puts a small temperature into the formula.
# fails: limit-not-hard softmax-overflows

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=float)
    if z.ndim != 1:
        raise ValueError("z is not a vector")
    if z.size == 0:
        raise ValueError("z is empty")
    if not np.isfinite(z).all():
        raise ValueError("z is not finite")
    e = np.exp(z / 0.01)
    return e / e.sum()
