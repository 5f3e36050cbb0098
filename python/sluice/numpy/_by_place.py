"""Names of the top of the package whose arguments are others in numpy."""

from __future__ import annotations

from math import prod
from typing import Any

from .. import _core, _ops
from .._array import intervals, math as _math, pick, products
from .._array import shape as _shape
from .._array.axes import axes_tuple, one_axis
from .._array.observations import corrcoef as _corrcoef, vander as _vander
from .._array.reduce import widened
from .._array.shape import as_tensor
from .._core import Tensor
from ._arguments import floats, no_out
from ._choosing import in_range
from ._statistics import variables

__all__ = [
    "abs",
    "absolute",
    "angle",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "corrcoef",
    "cross",
    "diagonal",
    "heaviside",
    "imag",
    "nan_to_num",
    "outer",
    "ravel",
    "reciprocal",
    "reshape",
    "rot90",
    "searchsorted",
    "squeeze",
    "take_along_axis",
    "trapezoid",
    "unravel_index",
    "vander",
    "vdot",
]


def _of_each(f: Any, arys: tuple[Any, ...]) -> Any:
    made = tuple(f(as_tensor(a)) for a in arys)
    return made[0] if len(made) == 1 else made


def atleast_1d(*arys: Any) -> Any:
    """An array with an axis if it has none; of several a tuple."""
    return _of_each(_shape.atleast_1d, arys)


def atleast_2d(*arys: Any) -> Any:
    """An array with axes added in front until it has two; of several a tuple."""
    return _of_each(_shape.atleast_2d, arys)


def atleast_3d(*arys: Any) -> Any:
    """An array with axes added until it has three; of several a tuple."""
    return _of_each(_shape.atleast_3d, arys)


def squeeze(a: Any, axis: Any = None) -> Tensor:
    """Without axes of size 1: all of them, or those named, which are to be."""
    a = as_tensor(a)
    if axis is not None:
        for at in axes_tuple(axis, a.ndim, "squeeze"):
            if not _shape.may_be(a.shape[at], 1):
                raise ValueError(
                    f"squeeze(): axis {at} has size {a.shape[at]}; wanted 1"
                )
    return _shape.squeeze(a, axis)


def reshape(
    a: Any, shape: Any, order: str = "C", *, copy: bool | None = None
) -> Tensor:
    """The same elements in order under another shape; one size may be -1.

    order "F": the first index runs fastest, in both.
    """
    a = as_tensor(a)
    sizes = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    if copy is not None:
        raise TypeError(f"reshape(): copy is {copy}; wanted None, a copy where needed")
    if order == "F":
        turned = _ops.reshape(_ops.transpose(a), sizes[::-1])
        return _ops.transpose(turned)
    if order not in ("C", "A"):
        raise ValueError(f"reshape(): order is {order!r}; wanted C, F or A")
    return _ops.reshape(a, sizes)


def ravel(a: Any, order: str = "C") -> Tensor:
    """All elements in order along one axis; order "F": the first index fastest."""
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"ravel(): order is {order!r}; wanted C, F, A or K")
    return reshape(a, -1, "F" if order == "F" else "C")


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """Turned by 90 degrees k times, from the first of two axes to the second."""
    return _shape.rot90(m, k, axes)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """A diagonal of the matrices in two axes, by default the first two."""
    return _math.diagonal(a, offset, axis1, axis2)


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Tensor:
    """Where values belong in a sorted vector: before its equals, or behind them.

    sorter: what argsort gives of a vector that is not in order.
    """
    a = as_tensor(a)
    if a.ndim != 1:
        raise ValueError(f"searchsorted(): a has {a.ndim} axes; wanted a vector")
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted(): side is {side!r}; wanted left or right")
    if sorter is not None:
        a = pick.take(a, as_tensor(sorter), 0)
    v = as_tensor(v)
    kind = _core.promote_types(a.dtype, v.dtype)
    return pick.searchsorted(_ops.cast(a, kind), _ops.cast(v, kind), side=side)


def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Tensor:
    """NaN and infinities replaced by numbers, by default 0 and the largest ones."""
    if not copy:
        raise TypeError("nan_to_num(): copy is False; wanted True, results are new "
                        "tensors")  # fmt: skip
    return _math.nan_to_num(x, nan, posinf, neginf)


def angle(z: Any, deg: bool = False) -> Tensor:
    """The angles of complex numbers in radians, or in degrees."""
    from .. import angle as of, rad2deg

    z = floats(z)
    made = of(z) if z.dtype.is_complex else _ops.atan2(_ops.zeros_like(z), z)
    return rad2deg(made) if deg else made


def abs(x: Any) -> Tensor:
    """|x|, elementwise; of complex numbers, too. Bools are as they are."""
    x = as_tensor(x)
    return _shape.own_copy(x) if x.dtype == _core.bool else _math.abs(x)


absolute = abs


def imag(val: Any) -> Tensor:
    """The imaginary part, 0 of real numbers."""
    val = as_tensor(val)
    return _ops.imag(val) if val.dtype.is_complex else _ops.zeros_like(val)


def reciprocal(x: Any) -> Tensor:
    """1 / x, of integers without its fraction."""
    x = as_tensor(x)
    if x.dtype.is_floating_point or x.dtype.is_complex:
        return _ops.reciprocal(x)
    return _ops.where(_ops.equal(_math.abs(x), 1), x, _ops.zeros_like(x))


def heaviside(x1: Any, x2: Any) -> Tensor:
    """0 below 0, 1 above, and x2 at 0, as floats."""
    from .. import heaviside as of

    return of(floats(x1), floats(x2))


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of a vector's elements, a column each; the highest first."""
    x = as_tensor(x)
    if x.ndim != 1:
        raise ValueError(f"vander(): x has {x.ndim} axes; wanted a vector")
    return _vander(widened(x, None), N, increasing)


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Tensor:
    """Elements along an axis, others at the same place: what argsort gives, used.

    Both are stretched to fit each other along the other axes.
    """
    a, indices = as_tensor(arr), as_tensor(indices)
    kind = indices.dtype
    if kind == _core.bool or kind.is_floating_point or kind.is_complex:
        raise TypeError(f"take_along_axis(): indices are {kind.name}; wanted integers")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError(f"take_along_axis(): indices have {indices.ndim} axes; "
                             "wanted a vector, or an axis")  # fmt: skip
        return pick.take_along_axis(a, indices, None)
    if a.ndim != indices.ndim:
        raise ValueError(f"take_along_axis(): arr has {a.ndim} axes, indices have "
                         f"{indices.ndim}; wanted as many")  # fmt: skip
    at = one_axis(axis, a.ndim, "take_along_axis")
    behind = _ops.less(indices, 0)
    indices = _ops.where(behind, _ops.add(indices, a.shape[at]), indices)
    return pick.take_along_dim(a, indices, at)


def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    """The index along each axis of places counted over all axes of a shape."""
    from .. import unravel_index as of

    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    places = in_range(as_tensor(indices), prod(sizes), "raise", "unravel_index")
    return tuple(of(places, sizes))


def outer(a: Any, b: Any, out: None = None) -> Tensor:
    """All products of an element of a and one of b, both as vectors."""
    no_out(out, "outer")
    a, b = (_ops.reshape(as_tensor(v), (-1,)) for v in (a, b))
    return _ops.mul(_ops.expand_dims(a, 1), _ops.expand_dims(b, 0))


def vdot(a: Any, b: Any) -> Tensor:
    """The inner product of both as vectors; of complex ones the first conjugated."""
    a, b = (_ops.reshape(as_tensor(v), (-1,)) for v in (a, b))
    if a.dtype != b.dtype:
        kind = _core.promote_types(a.dtype, b.dtype)
        a, b = _ops.cast(a, kind), _ops.cast(b, kind)
    return products.vdot(a, b)


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1,
    axis: int | None = None,
) -> Tensor:  # fmt: skip
    """Cross products of vectors of three along an axis, by default the last."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = as_tensor(a), as_tensor(b)
    a = _shape.moveaxis(a, axisa, -1) if a.ndim else a
    b = _shape.moveaxis(b, axisb, -1) if b.ndim else b
    for name, t in (("a", a), ("b", b)):
        if t.ndim == 0 or not _shape.may_be(t.shape[-1], 3):
            raise ValueError(f"cross(): {name} is {list(t.shape)} with its vectors "
                             "last; wanted three elements in each")  # fmt: skip
    return _shape.moveaxis(_math.cross(a, b, -1), -1, axisc)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Tensor:
    """The area below lines from point to point along an axis."""
    return intervals.trapezoid(y, x, dx=dx, dim=axis)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Tensor:
    """The correlations of variables, one a row; y has more of them.

    rowvar=False: one a column.
    """
    return _corrcoef(variables(floats(x), y, rowvar, "corrcoef"))
