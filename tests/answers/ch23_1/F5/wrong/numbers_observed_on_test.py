# Looks at the test set again.
# fails: observation-not-shifted

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 58 / 60
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
