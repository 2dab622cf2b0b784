# Takes the smallest logit.
# fails: first-of-ties limit-not-hard softmax-overflows maximum-starts-at-zero

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=float)
    if z.ndim != 1:
        raise ValueError("z is not a vector")
    if z.size == 0:
        raise ValueError("z is empty")
    if not np.isfinite(z).all():
        raise ValueError("z is not finite")
    largest = z == z.min()
    return largest / largest.sum()
