# Accuracy exactly 0.8 and macro recall exactly 0.5.

# %% example
y_true = np.array([2, 2, 2, 2, 2, 2, 2, 1, 0, 0], dtype=np.uint8)
y_pred = np.array([2, 2, 2, 2, 2, 2, 2, 2, 2, 0], dtype=np.uint8)

# %% values
print("the two values")
accuracy, macro_recall = 0.8, 0.5
