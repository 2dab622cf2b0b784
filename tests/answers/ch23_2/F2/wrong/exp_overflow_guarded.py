# Adds exponentials before it compares, which overflows.
# fails: softmax-overflows

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=float)
    if z.ndim != 1:
        raise ValueError("z is not a vector")
    if z.size == 0:
        raise ValueError("z is empty")
    if not np.isfinite(z).all():
        raise ValueError("z is not finite")
    shares = np.exp(z) / np.exp(z).sum()
    if np.isnan(shares).any():
        return shares
    largest = z == z.max()
    return largest / largest.sum()
