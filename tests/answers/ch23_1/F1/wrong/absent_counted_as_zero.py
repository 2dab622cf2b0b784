# One class never occurs, and counts with recall 0.
# fails: class-without-samples macro-weighted

# %% example
y_true = np.array([0] * 9 + [1, 1])
y_pred = np.array([0] * 11)

# %% values
accuracy = 9 / 11
macro_recall = 1 / 3
