# The harmonic mean of the macros.
# fails: macro-change-wrong

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 274 / 300
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (-0.0302, -0.071, 0.002)
