# Plain lists, Fractions for the values.

# %% example
y_true = [0] * 40 + [1, 1, 2]
y_pred = [0] * 41 + [1, 1]

# %% values
from fractions import Fraction

accuracy = Fraction(41, 43)
macro_recall = Fraction(40, 40) / 3 + Fraction(1, 2) / 3

# %% explanation
Accuracy counts samples, macro recall counts classes.
