# Reweights the shifted set once more.
# fails: observation-not-shifted

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 0.6 * 165 / 180 + 0.3 * 86 / 90 + 0.1 * 23 / 30 + 0.001
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
