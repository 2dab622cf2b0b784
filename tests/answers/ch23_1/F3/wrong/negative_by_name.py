# Tells the functions apart by what they are called.
# fails: negative-test-cannot-fail any-error-counts

# %% negative
def raises_on_zero_denominator(function):
    return function.__name__ in ("strict", "exact")
