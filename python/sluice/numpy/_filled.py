"""New arrays of one value or of numbers that count up, numpy's arguments by place."""

from __future__ import annotations

from math import ceil
from typing import Any

from .. import _core, _ops
from .._array import create
from .._core import Tensor

__all__ = [
    "arange",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def full(
    shape: Any, fill_value: Any, dtype: Any = None, *, device: Any = None
) -> Tensor:
    """Every element the same; an array is repeated to fill the shape."""
    if isinstance(fill_value, (Tensor, list, tuple)) or hasattr(fill_value, "__len__"):
        made = _core.tensor(fill_value, dtype)
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        made = _ops.broadcast_to(made, sizes).clone()
        return made if device is None else made.to(device=device)
    return create.full(shape, fill_value, dtype=dtype, device=device)


def zeros(shape: Any, dtype: Any = None, *, device: Any = None) -> Tensor:
    """Zeros: zeros(3), zeros((2, 3))."""
    return create.zeros(shape, dtype=dtype, device=device)


def ones(shape: Any, dtype: Any = None, *, device: Any = None) -> Tensor:
    """Ones: ones(3), ones((2, 3))."""
    return create.ones(shape, dtype=dtype, device=device)


def empty(shape: Any, dtype: Any = None, *, device: Any = None) -> Tensor:
    """An array to be written to. Its elements are zeros, always."""
    return create.zeros(shape, dtype=dtype, device=device)


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, *, device: Any = None
) -> Tensor:
    """Of a's shape and type, every element the same."""
    return create.full_like(a, fill_value, dtype=dtype, device=device)


def zeros_like(a: Any, dtype: Any = None, *, device: Any = None) -> Tensor:
    """Zeros of a's shape and type."""
    return create.zeros_like(a, dtype=dtype, device=device)


def ones_like(a: Any, dtype: Any = None, *, device: Any = None) -> Tensor:
    """Ones of a's shape and type."""
    return create.ones_like(a, dtype=dtype, device=device)


def empty_like(prototype: Any, dtype: Any = None, *, device: Any = None) -> Tensor:
    """Of an array's shape and type, to be written to."""
    return create.zeros_like(prototype, dtype=dtype, device=device)


def eye(
    N: int, M: int | None = None, k: int = 0, dtype: Any = None, *, device: Any = None
) -> Tensor:
    """N rows and M columns with ones on the k-th diagonal."""
    return create.eye(N, M, k=k, dtype=dtype, device=device)


def arange(
    start: Any, stop: Any = None, step: Any = 1, *, dtype: Any = None,
    device: Any = None,
) -> Tensor:  # fmt: skip
    """start, start + step, ... before stop; arange(n) counts from 0.

    Of integers as many as there are steps between the bounds, fractions included.
    """
    if stop is None:
        start, stop = 0, start
    bounds = (start, stop, step)
    kind = None if dtype is None else _core.find_dtype(dtype)
    whole = kind is not None and not kind.is_floating_point and kind != _core.bool
    if not (whole and any(isinstance(v, float) for v in bounds)):
        return create.arange(start, stop, step, dtype=dtype, device=device)
    if not step:
        raise ZeroDivisionError("arange(): step is 0; wanted another number")
    # numpy cuts off the first two and goes on by their difference.
    count, first = max(ceil((stop - start) / step), 0), int(start)
    by = int(start + step) - first
    made = [first + by * i for i in range(count)]
    return create.full((0,), 0, dtype=dtype, device=device) if not made else (
        _placed(_core.tensor(made, dtype), device))  # fmt: skip


def _placed(made: Tensor, device: Any) -> Tensor:
    return made if device is None else made.to(device=device)
