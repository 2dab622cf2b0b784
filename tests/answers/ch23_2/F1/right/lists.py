# Lists; Fractions for the numbers.

# %% calibrated
calibrated_p = [[0.6, 0.2, 0.2]] * 50
calibrated_y = [0] * 30 + [1] * 10 + [2] * 10

# %% accurate
accurate_p = [[0.0, 0.0, 1.0]] * 40
accurate_y = [2] * 36 + [0] * 4

# %% numbers
from fractions import Fraction

calibrated_ece, calibrated_accuracy = Fraction(0), Fraction(3, 5)
accurate_ece, accurate_accuracy = Fraction(1, 10), Fraction(9, 10)

# %% explanation
In each bin the mean confidence is the share of right samples.
