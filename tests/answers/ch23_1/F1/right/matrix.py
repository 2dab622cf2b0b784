# Values from a confusion matrix; a plot and a warning on the way.

# %% example
import warnings

y_true = np.repeat([0, 1, 2], [90, 5, 5])
y_pred = np.where(y_true == 2, 1, 0)

# %% values
import matplotlib.pyplot as plt

warnings.warn("no fault")
counts = np.zeros((3, 3))
np.add.at(counts, (y_true, y_pred), 1)
figure = plt.figure()
plt.imshow(counts)
plt.close(figure)
accuracy = np.trace(counts) / counts.sum()
macro_recall = (counts.diagonal() / counts.sum(axis=1)).mean()
