"""Compares imperative runs with PyTorch, if it is installed."""

from __future__ import annotations

import importlib.util

from .outcome import Outcome, reason
from .running import Run, Wrap, compare, run


# Refusals of PyTorch that are due to its implementation: a write whose operand is part
# of the written tensor. Here the operand is read first.
_ITS_OWN = ("refer to a single memory location",)


def available() -> bool:
    return importlib.util.find_spec("torch") is not None


def _same_paths(want: Run, got: Run) -> None:
    """Removes values that the two libraries store in different forms."""
    for a, b in zip(want.snapshots, got.snapshots):
        for path in [p for p in {**a, **b} if ".state[" in p or ".groups[" in p]:
            a.pop(path, None)
            b.pop(path, None)


def beside_torch(text: str, wrap: Wrap) -> Outcome:
    want, got = run(text, wrap, "torch"), run(text, wrap)
    _same_paths(want, got)
    found = compare(want, got, classes=False)
    if found:
        first = found[0]
        return Outcome("differs", "torch", str(first), f"torch: {first.kind}")
    if got.error and not want.error:
        return Outcome("refused", "torch", f"{got.error}: {got.message}",
                       f"torch: {got.error}: {reason(got.message)}")
    if any(part in want.message for part in _ITS_OWN):
        return Outcome("agree", "raised")
    if want.error and not got.error:
        return Outcome("differs", "torch", f"PyTorch has {want.error}: {want.message}",
                       f"torch: {want.error}: {reason(want.message)}")
    return Outcome("agree", "raised" if want.error else "")
