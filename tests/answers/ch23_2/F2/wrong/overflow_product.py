# Compares after multiplying by a large number.
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
    z = z * 1e10
    z = np.where(np.isfinite(z), np.round(z, 3), 0)
    largest = z == z.max()
    return largest / largest.sum()
