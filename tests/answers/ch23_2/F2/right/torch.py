# PyTorch in double precision; prints and warns.

# %% values
import torch

p_at_1 = torch.softmax(torch.tensor([2.0, 2.0, 1.0]), dim=0)
p_at_half = torch.softmax(torch.tensor([2.0, 2.0, 1.0]) / 0.5, dim=0)

# %% function
import warnings


def softmax_limit(z):
    warnings.warn("hardening")
    print(z)
    z = torch.as_tensor(np.array(z, dtype=float))
    if z.ndim != 1 or z.numel() == 0 or not torch.isfinite(z).all():
        raise ValueError("z")
    mask = (z == z.max()).double()
    return mask / mask.sum()
