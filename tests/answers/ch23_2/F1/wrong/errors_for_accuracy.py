# Hands in error rates.
# fails: accuracy-not-trace

# %% numbers
def ece(p, y):
    confidence, right = p.max(axis=1), p.argmax(axis=1) == y
    bins = np.minimum((5 * confidence).astype(int), 4)
    return sum(abs(np.sum(confidence[bins == b] - right[bins == b])) for b in range(5)) / len(y)


calibrated_ece, accurate_ece = ece(calibrated_p, calibrated_y), ece(accurate_p, accurate_y)
calibrated_accuracy = np.mean(calibrated_p.argmax(axis=1) != calibrated_y)
accurate_accuracy = np.mean(accurate_p.argmax(axis=1) != accurate_y)
