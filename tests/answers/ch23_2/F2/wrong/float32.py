# Compares in single precision.
# fails: limit-not-hard softmax-overflows

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=np.float32)
    if z.ndim != 1:
        raise ValueError("z is not a vector")
    if z.size == 0:
        raise ValueError("z is empty")
    if not np.isfinite(z).all():
        raise ValueError("z is not finite")
    largest = z == z.max()
    return largest / largest.sum()
