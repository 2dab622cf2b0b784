# Tensors in float32; prints.

# %% counts
import torch

counts = torch.tensor(C, dtype=torch.float32)
tp = counts.diag()
fp, fn = counts.sum(0) - tp, counts.sum(1) - tp
tn = counts.sum() - tp - fp - fn
print(tp, fp, fn, tn)

# %% per-class
precision, recall = tp / (tp + fp), tp / (tp + fn)
f1 = 2 / (1 / precision + 1 / recall)

# %% overall
accuracy = tp.sum() / counts.sum()
micro = torch.stack([accuracy] * 3)
macro = torch.stack([precision.mean(), recall.mean(), f1.mean()])
zero_denominators = torch.nonzero((tp + fp) * (tp + fn) == 0).flatten().tolist()
