# Thinks that only the accuracy moves.
# fails: macro-thought-constant

# %% macro
reweighted_macro = (3 / 4, 3 / 4, 3 / 4)

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 274 / 300
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
