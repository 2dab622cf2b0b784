# Weights the recalls by the class sizes, which is the accuracy again.
# fails: macro-weighted

# %% values
accuracy = np.mean(y_true == y_pred)
recalls = [np.mean(y_pred[y_true == k] == k) for k in (0, 1, 2)]
macro_recall = np.average(recalls, weights=np.bincount(y_true))
