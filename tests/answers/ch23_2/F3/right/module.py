# A Module with a parameter, in inference mode; the answer as a Fraction.

# %% function
class Scaler(torch.nn.Module):
    def __init__(self, T):
        super().__init__()
        self.T = torch.nn.Parameter(torch.tensor(float(T), dtype=torch.float64))

    def forward(self, logits):
        return logits / self.T


@torch.inference_mode()
def fit_temperature(Z, y, grid):
    if len(grid) < 1:
        raise ValueError("no temperature")
    for T in grid:
        if not np.isfinite(T):
            raise ValueError("temperature is not finite")
        if T <= 0:
            raise ValueError("temperature is not positive")
    if Z.ndim != 2:
        raise ValueError("Z is not 2-D")
    if y.ndim != 1:
        raise ValueError("y is not 1-D")
    if Z.shape[0] != y.shape[0]:
        raise ValueError("lengths")
    if y.lt(0).any() or y.ge(Z.shape[1]).any():
        raise ValueError("labels")
    if Z.isnan().any():
        raise ValueError("NaN")
    criterion = torch.nn.CrossEntropyLoss(reduction="sum")
    table = {}
    for T in grid:
        table.setdefault(float(criterion(Scaler(T)(Z.double()), y)), T)
    return table[sorted(table)[0]]

# %% three-samples-answer
from fractions import Fraction

expected_T_star = Fraction(3, 4)
