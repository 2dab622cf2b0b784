# Tensors; a bin at the edge 0.8; prints and warns.

# %% calibrated
import warnings

import torch

warnings.warn("building")
calibrated_p = torch.tensor([[0.8, 0.1, 0.1]] * 100, dtype=torch.float64)
calibrated_y = torch.tensor([0] * 80 + [1] * 10 + [2] * 10)

# %% accurate
accurate_p = torch.tensor([[0.9, 0.1]] * 30 + [[0.1, 0.9]] * 30, dtype=torch.float64)
accurate_y = torch.tensor([0] * 30 + [1] * 30)

# %% numbers
calibrated_ece = torch.tensor(0.0)
calibrated_accuracy = (calibrated_p.argmax(1) == calibrated_y).double().mean()
accurate_ece = (1 - accurate_p.max(dim=1).values.mean()).item()
accurate_accuracy = torch.ones(1)[0]
print(calibrated_ece, calibrated_accuracy, accurate_ece, accurate_accuracy)
