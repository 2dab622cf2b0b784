# The negative test takes a matrix without any counts, whose denominators are all zero.

# %% negative
def raises_on_zero_denominator(function):
    try:
        function(np.zeros((3, 3), int), zero_division="raise")
    except ZeroDivisionError:
        return True
    except Exception:
        return False
    return False
