"""Arrays written as slices: mgrid[0:2, 0:3], r_[a, b], c_[a, b]."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array.create import arange, meshgrid
from .._array.shape import as_tensor, concat, stack
from .._core import Tensor
from ._making import linspace

__all__ = ["c_", "ix_", "mgrid", "ogrid", "r_"]


def _line(part: slice) -> Tensor:
    """a:b:c as numbers; a step of 5j is how many, both ends included."""
    first = 0 if part.start is None else part.start
    if isinstance(part.step, complex):
        return linspace(first, part.stop, int(abs(part.step)))
    made: Tensor = arange(first, part.stop, 1 if part.step is None else part.step)
    return made


class _Grid:
    """Coordinates of every place, or lines that broadcast to them."""

    def __init__(self, whole: bool) -> None:
        self._whole = whole

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _line(key)
        lines = [_line(part) for part in key]
        if self._whole:
            return stack(meshgrid(*lines, indexing="ij"))
        return ix_(*lines)


class _Joined:
    """Arrays and slices put one after the other, or as columns."""

    def __init__(self, columns: bool) -> None:
        self._columns = columns

    def __getitem__(self, key: Any) -> Tensor:
        parts = key if isinstance(key, tuple) else (key,)
        made = [_line(p) if isinstance(p, slice) else as_tensor(p) for p in parts]
        if not self._columns:
            return concat([_ops.reshape(m, (1,)) if m.ndim == 0 else m for m in made])
        columns = [m if m.ndim > 1 else _ops.reshape(m, (-1, 1)) for m in made]
        return concat(columns, -1)


mgrid, ogrid = _Grid(True), _Grid(False)
r_, c_ = _Joined(False), _Joined(True)


def ix_(*vectors: Any) -> tuple[Tensor, ...]:
    """Vectors of indices, each along an axis of its own."""
    made = []
    for at, v in enumerate(vectors):
        v = as_tensor(list(v) if isinstance(v, range) else v)
        if v.ndim != 1:
            raise ValueError(f"ix_(): {v.ndim} axes; wanted vectors")
        if not v.shape[0]:
            v = _ops.cast(v, _core.int64)
        if v.dtype == _core.bool:
            v = _ops.reshape(_ops.non_zero(v), (-1,))
        made.append(_ops.reshape(
            v, tuple(-1 if i == at else 1 for i in range(len(vectors)))))  # fmt: skip
    return tuple(made)
