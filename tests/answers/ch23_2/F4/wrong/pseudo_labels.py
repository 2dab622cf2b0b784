# Takes the argmax of the test logits for labels, to use them without "looking".
# fails: temperature-wrong test-logits-used temperature-constant

# %% function
def calibrate_then_test(Z_val, y_val, Z_test, y_test, grid):
    def log_softmax(Z, T):
        U = Z / T
        U = U - U.max(axis=1, keepdims=True)
        return U - np.log(np.exp(U).sum(axis=1, keepdims=True))

    def log_loss(Z, y, T):
        return -np.mean(log_softmax(Z, T)[np.arange(len(y)), y])

    def report(Z, y, T):
        p = np.exp(log_softmax(Z, T))
        confidence, right = p.max(axis=1), Z.argmax(axis=1) == y
        bins = np.minimum((5 * confidence).astype(int), 4)
        ece = sum(abs(np.sum((confidence - right)[bins == b])) for b in range(5)) / len(y)
        brier = np.mean(np.sum((p - np.eye(Z.shape[1])[y]) ** 2, axis=1))
        accuracy = np.mean(right)
        return {"log_loss": log_loss(Z, y, T), "brier": brier, "ece": ece, "accuracy": accuracy}

    pseudo = Z_test.argmax(axis=1)
    temperature = min(
        grid, key=lambda T: log_loss(Z_val, y_val, T) + log_loss(Z_test, pseudo, T)
    )
    before = report(Z_test, y_test, 1.0)
    after = report(Z_test, y_test, temperature)
    return {"temperature": temperature, "before": before, "after": after}
