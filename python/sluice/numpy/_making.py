"""New arrays, by numpy's names."""

from __future__ import annotations

import math
from typing import Any

from .. import _core, _ops
from .._array import create
from .._array.shape import as_tensor, own_copy, stack
from .._core import Tensor
from ..signal import windows as _windows

__all__ = [
    "array",
    "ascontiguousarray",
    "bartlett",
    "blackman",
    "bool_",
    "copy",
    "fromfunction",
    "fromiter",
    "geomspace",
    "hamming",
    "hanning",
    "identity",
    "indices",
    "isscalar",
    "kaiser",
    "linspace",
    "meshgrid",
    "ndarray",
    "ndim",
    "shape",
    "size",
    "tri",
]

ndarray, bool_ = Tensor, _core.bool


def array(data: Any, dtype: Any = None, *, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A tensor of its own with the elements of data."""
    if isinstance(data, range):
        data = list(data)
    made = _core.tensor(data, dtype)
    while made.ndim < ndmin:
        made = _ops.expand_dims(made, 0)
    return made


def ascontiguousarray(a: Any, dtype: Any = None) -> Tensor:
    """With its elements in order in memory."""
    made = as_tensor(a) if dtype is None else _ops.cast(as_tensor(a), dtype)
    return made.contiguous()


def copy(a: Any) -> Tensor:
    """A tensor of its own with the same elements."""
    return own_copy(as_tensor(a))


def identity(n: int, dtype: Any = None) -> Tensor:
    """Ones along the diagonal of n x n zeros."""
    return create.eye(n, dtype=dtype or _core.default_float())


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Ones at and below a diagonal, zeros above."""
    ones = create.ones((N, N if M is None else M), dtype=dtype or _core.default_float())
    return _ops.tril(ones, k)


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None
) -> Tensor:
    """num numbers from start to stop, at equal distances."""
    steps = max(num - 1 if endpoint else num, 1)
    places = _ops.cast(_ops.range(0, num, 1), _core.float64)
    made = _ops.add(_ops.mul(places, (stop - start) / steps), start)
    return _ops.cast(made, dtype or _core.default_float())


def geomspace(
    start: float, stop: float, num: int = 50, endpoint: bool = True
) -> Tensor:
    """num numbers from start to stop, each the same multiple of the one before."""
    made = linspace(math.log(start), math.log(stop), num, endpoint, _core.float64)
    return _ops.cast(_ops.exp(made), _core.default_float())


def fromiter(iterable: Any, dtype: Any, count: int = -1) -> Tensor:
    """The elements that an iterator gives."""
    found = list(iterable)
    return _core.tensor(found if count < 0 else found[:count], dtype)


def indices(dimensions: Any, dtype: Any = _core.int64) -> Tensor:
    """The index along each axis of every place of a shape."""
    lines = [_ops.cast(_ops.range(0, n, 1), dtype) for n in dimensions]
    return stack(create.meshgrid(*lines, indexing="ij"))


def fromfunction(function: Any, shape: Any, *, dtype: Any = _core.float32) -> Any:
    """A function of the indices of every place of a shape."""
    return function(*indices(shape, dtype))


def meshgrid(*xs: Any, indexing: str = "xy") -> list[Tensor]:
    """The coordinates of a grid; "xy" has the first vector along the second axis."""
    return list(create.meshgrid(*(as_tensor(x) for x in xs), indexing=indexing))


def shape(a: Any) -> tuple[Any, ...]:
    """The sizes of the axes."""
    return as_tensor(a).shape


def ndim(a: Any) -> int:
    """How many axes there are."""
    return as_tensor(a).ndim


def size(a: Any, axis: int | None = None) -> Any:
    """How many elements there are, in all or along an axis."""
    return as_tensor(a).numel() if axis is None else as_tensor(a).shape[axis]


def isscalar(element: Any) -> bool:
    """Whether it is a number, or text, of Python."""
    return isinstance(element, (bool, int, float, complex, str, bytes))


def hanning(M: int) -> Tensor:
    """(1 - cos(t)) / 2, t from 0 to 2 pi."""
    return _windows.hann(M)


def hamming(M: int) -> Tensor:
    """0.54 - 0.46 cos(t), t from 0 to 2 pi."""
    return _windows.hamming(M)


def blackman(M: int) -> Tensor:
    """0.42 - 0.5 cos(t) + 0.08 cos(2 t), t from 0 to 2 pi."""
    return _windows.blackman(M)


def bartlett(M: int) -> Tensor:
    """A triangle from 0 to 1 and back."""
    return _windows.bartlett(M)


def kaiser(M: int, beta: float) -> Tensor:
    """i0(beta sqrt(1 - t^2)) / i0(beta), t from -1 to 1."""
    return _windows.kaiser(M, beta=beta)
