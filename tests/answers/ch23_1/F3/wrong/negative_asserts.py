# Raises an AssertionError instead of answering False.
# fails: negative-test-cannot-fail any-error-counts

# %% negative
def raises_on_zero_denominator(function):
    try:
        function(C_z, "raise")
    except ZeroDivisionError:
        print("raises as it should")
    else:
        raise AssertionError("no ZeroDivisionError")
