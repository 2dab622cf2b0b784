# Counts any exception.
# fails: any-error-counts

# %% negative
def raises_on_zero_denominator(function):
    try:
        function(C_z, "raise")
    except Exception:
        return True
    return False
