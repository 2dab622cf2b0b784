# Calls the own function instead of the one given.
# fails: negative-test-cannot-fail any-error-counts

# %% negative
def raises_on_zero_denominator(function):
    try:
        precision_recall_from_confusion(C_z, "raise")
    except ZeroDivisionError:
        return True
    return False
