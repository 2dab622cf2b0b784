# The interval of the value, not of the change.
# fails: accuracy-change-wrong

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 274 / 300
accuracy_change = (0.955 - 58 / 60, -0.08, 0.045)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
