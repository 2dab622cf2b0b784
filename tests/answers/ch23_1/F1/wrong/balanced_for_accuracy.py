# Hands in the balanced accuracy for both.
# fails: accuracy-not-trace

# %% values
macro_recall = np.mean([np.mean(y_pred[y_true == k] == k) for k in (0, 1, 2)])
accuracy = macro_recall
