# PyTorch, losses by cross_entropy.

# %% function
def calibrate_then_test(Z_val, y_val, Z_test, y_test, grid):
    F = torch.nn.functional
    Z_val, y_val = torch.tensor(Z_val).double(), torch.tensor(y_val)
    Z_test, y_test = torch.tensor(Z_test).double(), torch.tensor(y_test)
    losses = torch.tensor([F.cross_entropy(Z_val / T, y_val) for T in grid])
    temperature = grid[int(losses.argmin())]

    def scores(T):
        p = torch.softmax(Z_test / T, dim=1)
        confidence, prediction = p.max(dim=1)
        right = (prediction == y_test).double()
        ece = torch.zeros(())
        for low in (0.0, 0.2, 0.4, 0.6, 0.8):
            high = {0.0: 0.2, 0.2: 0.4, 0.4: 0.6, 0.6: 0.8, 0.8: 2.0}[low]
            chosen = (confidence >= low) & (confidence < high)
            if chosen.any():
                gap = confidence[chosen].mean() - right[chosen].mean()
                ece = ece + chosen.double().mean() * gap.abs()
        return {
            "log_loss": F.cross_entropy(Z_test / T, y_test),
            "brier": ((p - F.one_hot(y_test, p.shape[1])) ** 2).sum(dim=1).mean(),
            "ece": ece,
            "accuracy": right.mean(),
        }

    return {"temperature": temperature, "before": scores(1.0), "after": scores(temperature)}
