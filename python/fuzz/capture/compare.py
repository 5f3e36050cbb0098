"""Compares two snapshots element by element within fixed bounds.

Integers, flags, strings, shapes and dtypes must agree exactly. Floating-point numbers
must agree within the bounds below: a captured program may be fused, and fused kernels
may sum in another order, with a few rounding errors each. The programs are short (tens
of ops) and keep their numbers near 1, so that some hundred rounding errors are far
below the bounds, while a missing term is far above them.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .snapshot import Leaked, Snapshot, TensorSeen

# Relative to the largest element compared, or to 1 if that is larger.
BOUNDS = {"float64": 1e-10, "float32": 1e-4, "float16": 2e-2, "bfloat16": 1e-1}
# A Python float may come from a tensor of either type.
PYTHON_FLOAT = 1e-4


@dataclasses.dataclass(frozen=True)
class Difference:
    path: str
    kind: str  # "value", "requires_grad", "missing" ...
    want: str
    got: str

    def __str__(self) -> str:
        return f"{self.path}: {self.kind}: wanted {self.want}, got {self.got}"


def _close(want: Any, got: Any, bound: float) -> bool:
    want, got = np.asarray(want, np.float64), np.asarray(got, np.float64)
    same = (want == got) | (np.isnan(want) & np.isnan(got))
    if same.all():
        return True
    if not np.array_equal(np.isfinite(want), np.isfinite(got)):
        return False
    finite = np.isfinite(want)
    if not (same | finite).all():
        return False
    largest = max(1.0, float(np.abs(want[finite]).max(initial=0.0)))
    return bool((np.abs(want - got)[finite] <= bound * largest).all())


def _tensors(want: TensorSeen, got: TensorSeen) -> str | None:
    if want.dtype != got.dtype:
        return "dtype"
    if want.shape != got.shape:
        return "shape"
    if want.dtype in BOUNDS:
        if not _close(want.values, got.values, BOUNDS[want.dtype]):
            return "value"
    elif not np.array_equal(want.values, got.values):
        return "value"
    if want.requires_grad != got.requires_grad:
        return "requires_grad"
    if want.leaf != got.leaf:
        return "leaf"
    return None


def _number(value: Any) -> Any:
    """A tensor of one element as that number."""
    if isinstance(value, TensorSeen) and value.shape == ():
        return value.values.item()
    return value


def _kind(want: Any, got: Any, classes: bool) -> str | None:
    if Leaked.GRAPH in (want, got):
        return "graph tensor"
    if isinstance(want, TensorSeen) and isinstance(got, TensorSeen):
        return _tensors(want, got)
    if isinstance(want, TensorSeen):
        return "kind"  # a tensor has become something else
    bound = PYTHON_FLOAT
    if isinstance(got, TensorSeen) and not classes:
        bound = BOUNDS.get(got.dtype, bound)
        got = _number(got)
    elif type(want) is not type(got):
        return "kind"  # an int is no float, and no tensor of one element
    if isinstance(want, str) or isinstance(got, str):
        return None if want == got else "value"
    if isinstance(want, float) or isinstance(got, float):
        return None if _close(want, got, bound) else "value"
    return None if want == got else "value"


def _off(want: Any, got: Any) -> str:
    """The distance of two tensors, if it is defined."""
    if not isinstance(want, TensorSeen) or not isinstance(got, TensorSeen):
        return ""
    if want.dtype not in BOUNDS or want.shape != got.shape or not want.values.size:
        return ""
    far = np.abs(np.asarray(want.values - got.values, np.float64)).max()
    return f" (off by {far:.2g})" if far else ""


def differences(
    want: Snapshot, got: Snapshot, classes: bool = True
) -> list[Difference]:
    """Where two snapshots differ, in the order of the first.

    Without `classes`, a number equals a tensor of that number: for a library without
    tensors.
    """
    found = []
    for path, value in want.items():
        if path not in got:
            found.append(Difference(path, "missing", str(value), "nothing"))
            continue
        kind = _kind(value, got[path], classes)
        if kind:
            text = f"{got[path]}{_off(value, got[path])}"
            found.append(Difference(path, kind, str(value), text))
    for path, value in got.items():
        if path not in want:
            found.append(Difference(path, "unexpected", "nothing", str(value)))
    return found
