# The numbers that the chapter prints for its three samples, whatever the test set.
# fails: temperature-wrong test-labels-used test-logits-used temperature-constant
# fails: log-loss-wrong brier-wrong ece-other-formula accuracy-not-trace numbers-from-validation
# fails: after-not-scaled

# %% function
def calibrate_then_test(Z_val, y_val, Z_test, y_test, grid):
    p = np.exp(worked.Z) / np.exp(worked.Z).sum(axis=1, keepdims=True)
    numbers = {
        "log_loss": -np.log(p[[0, 1, 2], worked.y]).mean(),
        "brier": np.sum((p - np.eye(3)[worked.y]) ** 2) / 3,
        "ece": p.max(axis=1).mean() - 2 / 3,
        "accuracy": 2 / 3,
    }
    return {"temperature": 0.75, "before": numbers, "after": numbers}
