# Compares the probability with the ratio of the costs.
# fails: threshold-from-other-costs boundary-excluded
# with: own_split own_experiment

# %% decide-function
def decide_by_cost(p, false_positive_cost, false_negative_cost):
    p = np.asarray(p)
    return p >= false_positive_cost / false_negative_cost
