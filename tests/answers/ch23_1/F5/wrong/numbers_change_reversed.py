# The change the other way round.
# fails: accuracy-change-wrong

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 274 / 300
accuracy_change = (58 / 60 - 0.955, -0.0107, 0.0507)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
