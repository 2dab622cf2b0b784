"""The README's table of results is what the shipped files give."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from glyphlab import dataset

ROOT = Path(__file__).parents[2]
FORM = {"accuracy": ".4f", "log_loss": ".6f", "brier": ".6f", "ece": ".4f"}
TITLE = {"accuracy": "accuracy", "log_loss": "log loss", "brier": "Brier score", "ece": "ECE"}


def cell(value: dict, form: str) -> str:
    lower, upper = value["interval"]
    return f"{value['value']:{form}} [{lower:{form}}, {upper:{form}}]"


@pytest.fixture(scope="module")
def results() -> dict:
    files = [str(dataset.data_path(f"{name}_preds.npz")) for name in ("val", "test")]
    command = [sys.executable, "-m", "glyphlab", "calibrate", *files, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("name", FORM)
@pytest.mark.parametrize("split", ["val", "test"])
def test_row_of_the_readme(results: dict, split: str, name: str) -> None:
    part, form = results[split], FORM[name]
    before, after = (cell(part[when][name], form) for when in ("before", "after"))
    change = cell(part["difference"][name], "+" + form)
    title = {"val": "validation", "test": "test"}[split]
    row = f"| {title} | {TITLE[name]} | {before} | {after} | {change} |"
    assert row in (ROOT / "README.md").read_text().splitlines()


def test_temperature_of_the_readme(results: dict) -> None:
    assert f"T* = {results['temperature']['exact']:.6f}" in (ROOT / "README.md").read_text()
