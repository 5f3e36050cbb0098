"""Diagonals put into matrices, and the places of triangles."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import axes_tuple, whole
from .device import device_like, placed
from .math import diag
from .shape import as_tensor, moveaxis, own_copy, ravel

__all__ = ["adjoint", "diag_embed", "diagflat", "t", "tril_indices", "triu_indices"]


def diag_embed(x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices in two axes with the last axis of x on a diagonal, zeros elsewhere."""
    x = as_tensor(x)
    a, b = axes_tuple((dim1, dim2), x.ndim + 1, "diag_embed")
    size = x.shape[-1] + abs(offset)
    pads = [0, 0] * (x.ndim - 1) + [0, abs(offset)]
    line = _ops.pad(x, pads) if offset else x
    mask = _ops.cast(_ops.eye(size, size, k=offset, dtype=_core.int32), _core.bool)
    device = device_like(x, None)
    mask = mask if device is None else mask.to(device=device)
    spread = _ops.expand_dims(line, -1 if offset >= 0 else -2)
    made = _ops.where(mask, spread, _core.tensor(0, x.dtype))
    if a > b:  # the first of the two has the rows
        return moveaxis(made, (-2, -1), (a, b))
    return made if b == x.ndim and a == b - 1 else moveaxis(made, (-2, -1), (a, b))


def diagflat(x: Any, offset: int = 0) -> Tensor:
    """A matrix with all elements on a diagonal."""
    return diag(ravel(x), offset)


def t(x: Any) -> Tensor:
    """A matrix with its axes swapped; a vector as it is."""
    x = as_tensor(x)
    if x.ndim > 2:
        raise ValueError(f"t(): x has {x.ndim} axes; wanted 2 at most")
    return _ops.transpose(x) if x.ndim == 2 else x


def adjoint(x: Any) -> Tensor:
    """The last two axes swapped, complex numbers conjugated."""
    x = as_tensor(x)
    if x.ndim == 1:
        raise ValueError("adjoint(): x has 1 axis; wanted matrices")
    made: Tensor = x.H if x.ndim else own_copy(x)
    return made


def _places(keep: Any, row: int, col: int, dtype: Any) -> Tensor:
    row, col = whole(row, "row"), whole(col, "col")
    if row < 0 or col < 0:
        raise ValueError(f"{row} rows and {col} columns; wanted 0 or more")
    found = [(i, j) for i in range(row) for j in range(col) if keep(j - i)]
    if not found:
        return _core.full((2, 0), 0, dtype)
    return _core.tensor([[i for i, _ in found], [j for _, j in found]], dtype)


@placed
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = _core.int64,
    device: Any = None,
) -> Tensor:  # fmt: skip
    """Rows and columns of the elements on and below a diagonal."""
    least = whole(offset, "offset")
    return _places(lambda d: d <= least, row, col, dtype)


@placed
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = _core.int64,
    device: Any = None,
) -> Tensor:  # fmt: skip
    """Rows and columns of the elements on and above a diagonal."""
    least = whole(offset, "offset")
    return _places(lambda d: d >= least, row, col, dtype)
