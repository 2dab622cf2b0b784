# Rounds to four decimals.
# fails: printed-value-copied mended-value-wrong

# %% values
wrong_macro_f1 = round(given_macro_scores(C_z)[2], 4)
right_macro_f1 = round(macro_scores(C_z)[2], 4)
