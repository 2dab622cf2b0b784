# Calls the function with a matrix that has no zero denominator.
# fails: negative-test-cannot-fail any-error-counts

# %% negative
def raises_on_zero_denominator(function):
    try:
        function([[5, 1, 0], [0, 3, 1], [1, 0, 2]], "raise")
    except ZeroDivisionError:
        return True
    except Exception:
        return False
    return False
