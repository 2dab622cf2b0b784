# Multiplies by the temperature in the value at 1/2.
# fails: temperature-multiplies

# %% values
z = np.array([2.0, 2.0, 1.0])
p_at_1 = np.exp(z) / np.exp(z).sum()
p_at_half = np.exp(z * 0.5) / np.exp(z * 0.5).sum()
