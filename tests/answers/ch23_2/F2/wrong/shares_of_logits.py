# Shares of the logits, without the exponential, at T = 1.
# fails: softmax-value-wrong

# %% values
p_at_1 = np.array([2, 2, 1]) / 5
e = np.exp([4, 4, 2])
p_at_half = e / e.sum()
