"""The global random generators of a process: seeding them, and carrying their state over."""

import random
import sys
from typing import Any

import numpy as np

__all__ = ["fingerprint", "get_state", "seed_all", "set_state"]


def seed_all(seed: int) -> None:
    """Seed the global generators of random, numpy and, where imported, torch."""
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002 (the global generator is what is meant)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)


def get_state() -> dict[str, Any]:
    """Give the states of the global generators as inert data."""
    version, words, gauss = random.getstate()
    state: dict[str, Any] = {
        "random": (version, np.array(words, dtype=np.uint64), gauss),
        "numpy": _numpy_state(),
    }
    torch = sys.modules.get("torch")
    if torch is not None:
        state["torch"] = torch.get_rng_state()
    return state


def fingerprint() -> tuple[Any, ...]:
    """Give something that differs when a state has changed."""
    legacy = _numpy_state()
    torch = sys.modules.get("torch")
    return (
        random.getstate(),
        legacy[1].tobytes(),
        legacy[2:],
        None if torch is None else torch.get_rng_state().numpy().tobytes(),
    )


def set_state(state: dict[str, Any]) -> None:
    """Set the states that `get_state` gave in another process."""
    version, words, gauss = state["random"]
    random.setstate((version, tuple(int(word) for word in words), gauss))
    np.random.set_state(state["numpy"])  # noqa: NPY002
    torch = sys.modules.get("torch")
    if torch is not None and "torch" in state:
        torch.set_rng_state(state["torch"])


def _numpy_state() -> tuple[Any, ...]:
    state: Any = np.random.get_state(legacy=True)  # noqa: NPY002
    return tuple(state)
