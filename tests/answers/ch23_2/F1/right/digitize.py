# Two confidences that cancel within a bin; bins by digitize; a plot.

# %% calibrated
calibrated_p = np.array([[0.45, 0.30, 0.25], [0.25, 0.55, 0.20]] * 20)
calibrated_y = np.array([0, 0, 1, 1] * 10)

# %% accurate
accurate_p = np.array([[0.7, 0.2, 0.1]] * 100)
accurate_y = np.repeat([0, 2], [85, 15])

# %% numbers
import matplotlib.pyplot as plt


def ece(p, y):
    confidence, right = p.max(axis=1), p.argmax(axis=1) == y
    which = np.digitize(confidence, [0.2, 0.4, 0.6, 0.8])
    return sum(
        np.mean(which == b) * abs(confidence[which == b].mean() - right[which == b].mean())
        for b in set(which)
    )


figure = plt.figure()
plt.plot([0, 1], [0, 1])
plt.close(figure)
calibrated_ece, accurate_ece = ece(calibrated_p, calibrated_y), ece(accurate_p, accurate_y)
calibrated_accuracy = (calibrated_p.argmax(1) == calibrated_y).mean()
accurate_accuracy = 0.85
