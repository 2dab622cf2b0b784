# Three decimals, as one of the sources prints them.
# fails: softmax-value-wrong temperature-multiplies

# %% values
p_at_1 = [0.422, 0.422, 0.156]
p_at_half = [0.468, 0.468, 0.064]
