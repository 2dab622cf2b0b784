# Computes the macro precision.
# fails: macro-weighted

# %% values
accuracy = np.mean(y_true == y_pred)
macro_recall = np.mean([np.mean(y_true[y_pred == k] == k) if (y_pred == k).any() else 0 for k in (0, 1, 2)]) / 2
