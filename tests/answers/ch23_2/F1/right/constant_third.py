# The constant (1/3, 1/3, 1/3) with three equal classes; float32.

# %% calibrated
calibrated_p = np.full((30, 3), 1 / 3, dtype=np.float32)
calibrated_y = np.arange(30) % 3

# %% accurate
accurate_p = np.array([[0.55, 0.25, 0.2]] * 50, dtype=np.float32)
accurate_y = np.zeros(50, dtype=int)

# %% numbers
calibrated_ece = abs(np.float32(1 / 3) - 1 / 3)
calibrated_accuracy = 1 / 3
accurate_ece = 0.45
accurate_accuracy = 1
