# Loops; Fractions.

# %% function
from fractions import Fraction


def macro_scores(C):
    K = len(C)
    totals = [0, 0, 0]
    for i in range(K):
        column = int(sum(C[j][i] for j in range(K)))
        row = int(sum(C[i]))
        p = Fraction(int(C[i][i]), column) if column else Fraction(0)
        r = Fraction(int(C[i][i]), row) if row else Fraction(0)
        f = 2 * p * r / (p + r) if p + r else Fraction(0)
        for k, value in enumerate((p, r, f)):
            totals[k] += value
    return [total / K for total in totals]

# %% values
wrong_macro_f1 = Fraction(119, 279)
right_macro_f1 = macro_scores(C_z)[2]
