# Macro F1 cannot move, it is thought.
# fails: macro-change-wrong

# %% numbers
predicted_accuracy, observed_accuracy = 0.955, 274 / 300
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (0.0, 0.0, 0.0)
