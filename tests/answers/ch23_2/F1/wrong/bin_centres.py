# Takes the centre of a bin for its mean confidence.
# fails: ece-other-formula

# %% numbers
def ece(p, y):
    confidence, right = p.max(axis=1), p.argmax(axis=1) == y
    bins = np.minimum((5 * confidence).astype(int), 4)
    return sum(
        np.mean(bins == b) * abs((2 * b + 1) / 10 - right[bins == b].mean()) for b in set(bins)
    )


calibrated_ece, accurate_ece = ece(calibrated_p, calibrated_y), ece(accurate_p, accurate_y)
calibrated_accuracy = np.mean(calibrated_p.argmax(axis=1) == calibrated_y)
accurate_accuracy = np.mean(accurate_p.argmax(axis=1) == accurate_y)
