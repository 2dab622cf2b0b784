# Rebuilds the samples; a helper cell; a warning.

# %% + counts
import warnings

y_true, y_pred = np.array([(i, j) for i in range(3) for j in range(3) for _ in range(C[i, j])]).T

# %% counts
warnings.warn("counting")
tp = [np.sum((y_true == k) & (y_pred == k)) for k in range(3)]
fp = [np.sum((y_true != k) & (y_pred == k)) for k in range(3)]
fn = [np.sum((y_true == k) & (y_pred != k)) for k in range(3)]
tn = [np.sum((y_true != k) & (y_pred != k)) for k in range(3)]

# %% per-class
precision = np.divide(tp, np.add(tp, fp))
recall = np.divide(tp, np.add(tp, fn))
f1 = 2 * precision * recall / (precision + recall)

# %% overall
accuracy = (y_true == y_pred).mean()
micro = np.full(3, accuracy)
macro = np.array([precision.mean(), recall.mean(), f1.mean()])
zero_denominators = np.array([], dtype=int)
