# Loops and math.

# %% function
import math
from collections import defaultdict


def calibrate_then_test(Z_val, y_val, Z_test, y_test, grid):
    def probabilities(row, T):
        e = [math.exp((z - max(row)) / T) for z in row]
        return [x / sum(e) for x in e]

    def loss(rows, labels, T):
        total = 0.0
        for row, label in zip(rows, labels):
            top = max(row)
            total += math.log(sum(math.exp((z - top) / T) for z in row)) - (row[label] - top) / T
        return total / len(labels)

    def report(T):
        brier, right = 0.0, 0
        sums = defaultdict(float)
        for row, label in zip(Z_test, y_test):
            p = probabilities(list(row), T)
            brier += sum((q - (k == label)) ** 2 for k, q in enumerate(p))
            hit = p.index(max(p)) == label
            right += hit
            sums[min(int(max(p) * 5), 4)] += max(p) - hit
        n = len(y_test)
        return dict(
            log_loss=loss(Z_test, y_test, T),
            brier=brier / n,
            ece=sum(abs(s) for s in sums.values()) / n,
            accuracy=right / n,
        )

    best = min(grid, key=lambda T: loss(Z_val, y_val, T))
    return dict(temperature=best, before=report(1), after=report(best))
