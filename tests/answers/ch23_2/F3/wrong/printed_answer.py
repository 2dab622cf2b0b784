# Believes the printed 1.0.
# fails: printed-temperature

# %% three-samples-answer
expected_T_star = 1.0
