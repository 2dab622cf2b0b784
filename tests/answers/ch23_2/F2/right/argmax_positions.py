# Positions of the largest; a helper cell; float32 result.

# %% + function
def check_vector(z):
    z = np.array(z, dtype=float, ndmin=0)
    if len(z.shape) != 1:
        raise ValueError("not a vector")
    if z.shape == (0,):
        raise ValueError("empty")
    if np.isnan(z).any() or np.isinf(z).any():
        raise ValueError("not finite")
    return z

# %% function
def softmax_limit(z):
    z = check_vector(z)
    positions = np.flatnonzero(z >= z.max())
    p = np.zeros(len(z), dtype=np.float32)
    p[positions] = 1 / len(positions)
    return p
