# Loops and dictionaries turned into lists.

# %% counts
tp, fp, fn, tn = [], [], [], []
for i in range(3):
    tp.append(C[i][i])
    fp.append(sum(C[j][i] for j in range(3) if j != i))
    fn.append(sum(C[i][j] for j in range(3) if j != i))
    tn.append(sum(C[j][k] for j in range(3) for k in range(3) if j != i and k != i))

# %% per-class
precision = [tp[i] / (tp[i] + fp[i]) for i in range(3)]
recall = [tp[i] / (tp[i] + fn[i]) for i in range(3)]
f1 = [2 * tp[i] / (2 * tp[i] + fp[i] + fn[i]) for i in range(3)]

# %% overall
accuracy = sum(tp) / 15
micro = [sum(tp) / (sum(tp) + sum(fp)), sum(tp) / (sum(tp) + sum(fn)), accuracy]
macro = [sum(precision) / 3, sum(recall) / 3, sum(f1) / 3]
zero_denominators = ()
