# Compares expected costs without the probabilities of the other class.
# fails: threshold-from-other-costs boundary-excluded
# with: own_split own_experiment

# %% decide-function
def decide_by_cost(p, false_positive_cost, false_negative_cost):
    p = np.asarray(p)
    return p * false_negative_cost >= false_positive_cost
