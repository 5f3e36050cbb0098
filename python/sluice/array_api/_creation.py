"""New arrays, with the standard's arguments."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array import create as _top
from .._array.device import check_device
from .._array.memory import asarray as _asarray
from .._core import Tensor
from ._operands import array

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None
) -> Tensor:
    """obj as an array: an array, a number, nested lists, or another library's."""
    name = check_device(device)
    if not isinstance(obj, Tensor):
        made = _asarray(obj, dtype, copy=copy)
        return made if name is None else made.to(device=name)
    its = obj.dtype if dtype is None else _core.find_dtype(dtype)
    there = name is None or obj.device == name
    if copy is False and not (there and its == obj.dtype):
        raise ValueError(
            f"asarray(): copy is False, but obj is {obj.dtype.name} on {obj.device}; "
            f"wanted {its.name}" + ("" if name is None else f" on {name}")
        )
    moved = obj if there else obj.to(device=name)
    if moved.dtype != its:
        moved = _ops.cast(moved, its)
    return moved.clone() if copy and moved is obj else moved


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """An array over the elements of another one that has __dlpack__."""
    return asarray(_core.from_dlpack(x), device=device, copy=copy)


def arange(
    start: Any,
    /,
    stop: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """start, start + step, ... before stop; arange(n) counts from 0."""
    if step == 0:
        raise ValueError("arange(): step is 0; wanted another number")
    low, high = (0, start) if stop is None else (start, stop)
    its = None if dtype is None else _core.find_dtype(dtype)
    if (high - low) / step <= 0:
        whole = all(isinstance(v, int) for v in (low, high, step))
        return empty((0,), dtype=its or (_core.int64 if whole else _core.float32),
                     device=device)  # fmt: skip
    return _top.arange(low, high, step, dtype=its, device=device)


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Tensor:
    """num numbers from start to stop at equal distances."""
    made: Tensor = _top.linspace(
        start, stop, num, dtype=dtype, device=device, endpoint=endpoint
    )
    return made


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """A matrix with ones on its k-th diagonal."""
    k = _within(k, n_rows, n_rows if n_cols is None else n_cols)
    made: Tensor = _top.eye(n_rows, n_cols, k=k, dtype=dtype, device=device)
    return made


def _within(k: int, rows: int, columns: int) -> int:
    """A diagonal no further away than where matrices of that size have none."""
    return max(-rows, min(k, columns))


def full(
    shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """An array of that shape, every element fill_value."""
    made: Tensor = _top.full(shape, fill_value, dtype=dtype, device=device)
    return made


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros of that shape."""
    return full(shape, 0, dtype=dtype or _core.float32, device=device)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones of that shape."""
    return full(shape, 1, dtype=dtype or _core.float32, device=device)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """An array to be written to. Its elements are zeros, always."""
    return zeros(shape, dtype=dtype, device=device)


def full_like(
    x: Tensor, /, fill_value: Any, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """An array of x's shape and type, every element fill_value."""
    return _top.full_like(
        array(x, "full_like"), fill_value, dtype=dtype, device=device
    )


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros of x's shape and type."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones of x's shape and type."""
    return full_like(x, 1, dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """An array of x's shape and type, to be written to."""
    return zeros_like(x, dtype=dtype, device=device)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    """The coordinates of a grid, one array for each vector.

    By default the first vector goes along the second axis; PyTorch, and the top of
    the package, have it along the first ("ij").
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid(): indexing is {indexing!r}; wanted xy or ij")
    return list(_top.meshgrid(*arrays, indexing=indexing)) if arrays else []


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The elements on and below a diagonal; the others are 0."""
    x = array(x, "tril")
    return _ops.tril(x, _within(k, *x.shape[-2:]) if x.ndim > 1 else k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The elements on and above a diagonal; the others are 0."""
    x = array(x, "triu")
    return _ops.triu(x, _within(k, *x.shape[-2:]) if x.ndim > 1 else k)
