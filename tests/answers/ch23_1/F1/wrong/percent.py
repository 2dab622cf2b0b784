# Hands in percentages.
# fails: accuracy-not-trace macro-weighted

# %% values
accuracy = 100 * np.mean(y_true == y_pred)
macro_recall = 100 * np.mean([np.mean(y_pred[y_true == k] == k) for k in (0, 1, 2)])
