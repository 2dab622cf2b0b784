# Copies the printed 0.4266.
# fails: printed-value-copied

# %% values
wrong_macro_f1 = 0.4266
right_macro_f1 = macro_scores(C_z)[2]
