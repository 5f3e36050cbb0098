"""New arrays, by numpy's names."""

from __future__ import annotations

import math
from itertools import islice
from numbers import Number
from typing import Any

from .. import _core, _ops
from .._array import create
from .._array.axes import whole
from .._array.memory import asarray
from .._array.shape import as_tensor, moveaxis, own_copy, stack
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
    "logspace",
    "meshgrid",
    "ndarray",
    "ndim",
    "shape",
    "size",
    "tri",
]

ndarray, bool_ = Tensor, _core.bool


def array(
    data: Any, dtype: Any = None, *, copy: bool | None = True, ndmin: int = 0
) -> Tensor:
    """A tensor of its own with the elements of data.

    copy=None: their own memory where it can be shared; False: that, or an error.
    """
    if isinstance(data, range):
        data = list(data)
    made = _core.tensor(data, dtype) if copy else asarray(data, dtype, copy=copy)
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


def _count(num: Any, what: str) -> int:
    num = whole(num, f"{what}(): num")
    if num < 0:
        raise ValueError(f"{what}(): num is {num}; wanted 0 or more")
    return num


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    """num numbers from start to stop, at equal distances, along a new axis.

    retstep=True: also the distance. Integers are rounded down.
    """
    num = _count(num, "linspace")
    axis = whole(axis, "linspace(): axis")
    complex_ends = any(as_tensor(v).dtype.is_complex for v in (start, stop))
    wide = _core.complex64 if complex_ends else _core.float64
    first, last = (_ops.cast(v, wide) if isinstance(v, Tensor) else
                   _core.tensor(v, wide) for v in (start, stop))  # fmt: skip
    steps = num - 1 if endpoint else num
    step = _ops.div(_ops.sub(last, first), steps if steps > 0 else math.nan)
    common = _ops.add(first, last)
    places = _ops.reshape(_ops.range(0, num, 1), (-1, *(1,) * common.ndim))
    share = _ops.cast(places, wide)
    made = _ops.add(first, _ops.mul(share, step if steps > 0 else last - first))
    if endpoint and num > 1:  # the end itself, without rounding on the way
        made = _ops.where(_ops.equal(places, num - 1), last, made)
    kind = _core.find_dtype(dtype) if dtype is not None else (
        wide if complex_ends else _core.default_float())  # fmt: skip
    if not (kind.is_floating_point or kind.is_complex):
        made = _ops.floor(made)
    made = _ops.cast(made, kind)
    made = moveaxis(made, 0, axis) if axis else made
    asked = step if complex_ends else _ops.cast(step, _core.default_float())
    return (made, asked) if retstep else made


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0,
    dtype: Any = None, axis: int = 0,
) -> Tensor:  # fmt: skip
    """base to the powers from start to stop at equal distances."""
    if any(as_tensor(v).dtype.is_complex for v in (start, stop)):
        raise TypeError("logspace(): complex numbers; wanted real ones")
    powers = linspace(start, stop, num, endpoint, False, _core.float64, axis)
    made = _ops.pow(_core.tensor(float(base), _core.float64), powers)
    return _ops.cast(made, dtype or _core.default_float())


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None
) -> Tensor:
    """num numbers from start to stop, each the same multiple of the one before."""
    num = _count(num, "geomspace")
    for name, end in (("start", start), ("stop", stop)):
        if not isinstance(end, (int, float)) or end == 0:
            raise ValueError(f"geomspace(): {name} is {end!r}; wanted a real number "
                             "other than 0")  # fmt: skip
    if (start < 0) != (stop < 0):
        raise ValueError(f"geomspace(): start is {start} and stop {stop}; wanted both "
                         "above 0, or both below")  # fmt: skip
    sign = -1.0 if start < 0 else 1.0
    ends = (math.log10(abs(start)), math.log10(abs(stop)))
    made = _ops.mul(logspace(*ends, num, endpoint, 10.0, _core.float64), sign)
    places = _ops.range(0, num, 1)
    made = _ops.where(_ops.equal(places, 0), float(start), made)
    if endpoint and num > 1:
        made = _ops.where(_ops.equal(places, num - 1), float(stop), made)
    return _ops.cast(made, dtype or _core.default_float())


def fromiter(iterable: Any, dtype: Any, count: int = -1) -> Tensor:
    """The elements that an iterator gives, or its first `count`."""
    found = list(iterable) if count < 0 else list(islice(iterable, count))
    if len(found) < count:
        raise ValueError(f"fromiter(): {len(found)} elements; wanted {count}")
    return _core.tensor(found, dtype)


def indices(dimensions: Any, dtype: Any = _core.int64) -> Tensor:
    """The index along each axis of every place of a shape."""
    if not len(dimensions):
        return _core.full((0,), 0, dtype)
    lines = [_ops.cast(_ops.range(0, n, 1), dtype) for n in dimensions]
    return stack(create.meshgrid(*lines, indexing="ij"))


def fromfunction(function: Any, shape: Any, *, dtype: Any = _core.float32) -> Any:
    """A function of the indices of every place of a shape."""
    return function(*indices(shape, dtype))


def meshgrid(*xs: Any, indexing: str = "xy") -> list[Tensor]:
    """The coordinates of a grid; "xy" has the first vector along the second axis."""
    given = [as_tensor(x) for x in xs]
    made = create.meshgrid(*given, indexing=indexing)
    return [_ops.cast(m, x.dtype) for m, x in zip(made, given)]


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
    """Whether it is a number, of Python or numpy, or text; no array."""
    of_numpy = any(kind.__name__ == "generic" for kind in type(element).__mro__)
    return of_numpy or isinstance(element, (Number, str, bytes))


def hanning(M: int) -> Tensor:
    """(1 - cos(t)) / 2, t from 0 to 2 pi."""
    return _windows.hann(int(M))


def hamming(M: int) -> Tensor:
    """0.54 - 0.46 cos(t), t from 0 to 2 pi."""
    return _windows.hamming(int(M))


def blackman(M: int) -> Tensor:
    """0.42 - 0.5 cos(t) + 0.08 cos(2 t), t from 0 to 2 pi."""
    return _windows.blackman(int(M))


def bartlett(M: int) -> Tensor:
    """A triangle from 0 to 1 and back."""
    return _windows.bartlett(int(M))


def kaiser(M: int, beta: float) -> Tensor:
    """i0(beta sqrt(1 - t^2)) / i0(beta), t from -1 to 1."""
    return _windows.kaiser(int(M), beta=float(beta))
