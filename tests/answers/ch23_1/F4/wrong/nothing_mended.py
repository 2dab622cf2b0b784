# Hands the given function in.
# fails: swapped-axes macro-f1-harmonic mended-value-wrong

# %% function
macro_scores = given_macro_scores
