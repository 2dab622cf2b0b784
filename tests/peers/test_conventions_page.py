"""What the book's conventions page says that the peers give is what they give.

The page holds these values, in one cell, because the peers are not installed where it is built.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import torchmetrics.functional.classification as tm
from netcal.metrics import ECE
from netcal.scaling import TemperatureScaling as NetcalTemperature

import glyphlab_core as g
from glyphlab import dataset

sys.path.insert(0, str(Path(__file__).parent))
import test_peers as peers

PAGE = Path(__file__).parents[2] / "book" / "reference" / "conventions.md"


def stated(name):
    """The dictionary that the page calls `name`."""
    source = re.search(
        rf"^{name} = \{{.*?^\}}$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    namespace = {"nan": None}
    exec(source[0], namespace)
    return namespace[name]


SEEN = stated("SEEN")
RATES = {"precision": "precision", "recall": "recall", "F1": "f1_score"}


def macros(zero_division):
    def of(name):
        return lambda: peers.torchmetrics_score(name, zero_division)

    return {f"torchmetrics {rate}": of(name) for rate, name in RATES.items()}


def accuracy(**options):
    labels = torch.tensor(peers.PREDICTED), torch.tensor(peers.TRUE)
    return lambda: tm.multiclass_accuracy(*labels, 3, **options)


def cell(label):
    def found():
        predicted, true = torch.tensor([0, label]), torch.tensor([0, 1])
        matrix = tm.multiclass_confusion_matrix(predicted, true, 3).numpy()
        matrix[0, 0] -= 1  # the sample that is right
        ((row, column),) = np.argwhere(matrix)
        return f"row {row}, column {column}"

    return {"torchmetrics": found}


def errors(edge):
    confidence, correct, n = peers.ON_EDGES[edge][:3]
    return {
        name: lambda peer=peer: peer(confidence, correct, n) for name, peer in peers.PEERS.items()
    }


def axes():
    predicted, true = torch.tensor(peers.PREDICTED), torch.tensor(peers.TRUE)
    matrix = tm.multiclass_confusion_matrix(predicted, true, 3).tolist()
    return " / ".join(" ".join(map(str, row)) for row in matrix)


def decided(is_right):
    def found():
        (label,) = (k for k in range(3) if is_right(k))
        return f"class {label}"

    return found


def float32_sums():
    confidence = torch.full((2**25,), 0.85)
    return tm.binary_calibration_error(confidence, torch.ones(2**25, dtype=torch.int64), n_bins=10)


def netcal_attribute():
    val = dataset.load_predictions("val")
    model = NetcalTemperature()
    model.fit(g.softmax(val.logits.astype(float)), val.labels)
    return model.temperature.item()


#: Confidence 2/5: the gap is 3/5 where the decision is right, 2/5 where it is wrong.
TIED = np.array([[0.4, 0.4, 0.2]])

GIVEN = {
    "axes": {"torchmetrics": axes},
    "ties": {
        "torchmetrics accuracy": decided(
            lambda k: tm.multiclass_accuracy(torch.tensor(TIED), torch.tensor([k]), 3, "micro") == 1
        ),
        "torchmetrics calibration error": decided(
            lambda k: (
                tm.multiclass_calibration_error(torch.tensor(TIED), torch.tensor([k]), 3, n_bins=5)
                > 0.5
            )
        ),
        # netcal infers the classes from the labels: three sure samples show them, with no gap.
        "netcal calibration error": decided(
            lambda k: ECE(5).measure(np.vstack([TIED, np.eye(3)]), np.array([k, 0, 1, 2])) > 1 / 8
        ),
    },
    "macro, nan": macros(peers.NAN),
    "macro, zero": macros(0),
    "macro, one": macros(1),
    "never true": {
        "torchmetrics recall": lambda: peers.torchmetrics_score(
            "recall", 0, [0, 0, 1, 1], [0, 2, 1, 1]
        )
    },
    "accuracy": {
        "torchmetrics as it comes": accuracy(),
        "torchmetrics micro": accuracy(average="micro"),
    },
    "predicted label 5": cell(5),
    "predicted label -1": cell(-1),
    "confidence 0.8": errors("0.8"),
    "confidence 1": errors("1.0"),
    "confidence 0": errors("0.0"),
    "confidence 0.6": errors("0.6"),
    "float32 sums": {"torchmetrics": float32_sums},
    "temperature": {"netcal attribute, validation": netcal_attribute},
}


def test_the_page_states_the_versions_that_are_pinned():
    assert stated("SEEN_WITH").items() <= peers.SEEN.items()


@pytest.mark.parametrize(("what", "who"), [(what, who) for what in SEEN for who in SEEN[what]])
def test_what_the_page_states_is_what_the_peer_gives(what, who):
    wanted = SEEN[what][who]
    if wanted == "ValueError":
        with pytest.raises(ValueError, match=r"."):
            GIVEN[what][who]()
        return
    found = GIVEN[what][who]()
    if isinstance(wanted, str):
        assert found == wanted
    else:
        wanted = np.nan if wanted is None else wanted
        np.testing.assert_allclose(float(found), wanted, rtol=1e-5, atol=1e-6)
