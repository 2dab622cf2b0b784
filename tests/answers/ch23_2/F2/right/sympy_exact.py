# Exact numbers of SymPy, which are sums and quotients and no number of a class of their own.

# %% values
import sympy

e = sympy.E
p_at_1 = [e**2 / (2 * e**2 + e), e**2 / (2 * e**2 + e), e / (2 * e**2 + e)]
p_at_half = [sympy.exp(4) / (2 * sympy.exp(4) + sympy.exp(2))] * 2
p_at_half.append(sympy.exp(2) / (2 * sympy.exp(4) + sympy.exp(2)))

# %% function
def softmax_limit(z):
    z = np.array(z, dtype=float)
    if z.ndim != 1 or z.size == 0 or not np.isfinite(z).all():
        raise ValueError("a finite vector is expected")
    largest = (z == z.max()).tolist()
    share = sympy.sqrt(2) / (sympy.sqrt(2) * sum(largest))
    return [share if one else sympy.Integer(0) for one in largest]
