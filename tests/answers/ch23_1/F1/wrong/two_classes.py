# One class never occurs.
# fails: class-without-samples

# %% example
y_true = np.array([0] * 9 + [1, 1])
y_pred = np.array([0] * 11)

# %% values
accuracy = 9 / 11
macro_recall = 1 / 2
