# Returns True when nothing was raised.
# fails: negative-test-cannot-fail

# %% negative
def raises_on_zero_denominator(function):
    try:
        function(C_z, zero_division="raise")
    except ZeroDivisionError:
        pass
    except Exception:
        return False
    return True
