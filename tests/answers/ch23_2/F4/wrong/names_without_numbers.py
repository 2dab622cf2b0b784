# The temperature of the worked example, and names without a number.
# fails: temperature-wrong test-labels-used test-logits-used temperature-constant
# fails: log-loss-wrong brier-wrong ece-other-formula accuracy-not-trace numbers-from-validation
# fails: after-not-scaled

# %% function
def calibrate_then_test(Z_val, y_val, Z_test, y_test, grid):
    names = dict.fromkeys(("log_loss", "brier", "ece", "accuracy"))
    return {"temperature": 0.75, "before": names, "after": names}
