# Predicts the macro recall.
# fails: prediction-not-reweighted

# %% numbers
predicted_accuracy, observed_accuracy = 58 / 60 - 0.01, 274 / 300
accuracy_change = (0.955 - 58 / 60, -0.0507, 0.0107)
macro_f1_change = (-0.045351473922902, -0.0940, 0.0)
