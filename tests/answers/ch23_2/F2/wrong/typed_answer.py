# Knows the chapter's example.
# fails: first-of-ties limit-not-hard softmax-overflows maximum-starts-at-zero
# fails: empty-vector-accepted not-finite-accepted not-a-vector-accepted

# %% function
def softmax_limit(z):
    return [1 / 2, 1 / 2, 0]
