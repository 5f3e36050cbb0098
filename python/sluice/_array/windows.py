"""Windows along an axis, distances within a set, slices of a bounded norm."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import flag, one_axis, whole
from .device import beside
from .pick import places_in, take
from .shape import as_tensor, moveaxis, sized

__all__ = ["pdist", "put", "renorm", "unfold"]


def unfold(x: Any, dimension: int, size: int, step: int) -> Tensor:
    """Windows of a size along an axis, every `step` elements, as a new last axis.

    A copy: PyTorch's method gives a view.
    """
    x = as_tensor(x)
    size, step = whole(size, "unfold(): size"), whole(step, "unfold(): step")
    line = _ops.reshape(x, (1,)) if x.ndim == 0 else x
    at = one_axis(dimension, line.ndim, "unfold")
    length = line.shape[at]
    if size < 0 or step <= 0:
        raise ValueError(
            f"unfold(): size is {size} and step {step}; wanted them 0 or more and 1 "
            "or more"
        )
    if length is None:
        raise ValueError(f"unfold() needs to know the size of axis {dimension}")
    if length < size:
        raise ValueError(
            f"unfold(): size is {size}; wanted at most {length}, the size of axis "
            f"{dimension}"
        )
    if x.ndim == 0:
        return line[:size]
    count = (length - size) // step + 1
    begins = _ops.mul(_ops.range(0, count, 1), step)
    places = _ops.add(_ops.expand_dims(begins, 1), _ops.range(0, size, 1))
    # By take: the gradient of gather would be sparse.
    return moveaxis(take(line, beside(x, places), at), at + 1, -1)


def put(x: Any, index: Any, source: Any, accumulate: bool = False) -> Tensor:
    """x with elements, counted over all axes, set to those of source, or added."""
    x, source = as_tensor(x), as_tensor(source)
    index = places_in(x, index)
    if x.dtype != source.dtype:
        raise TypeError(
            f"put(): x is {x.dtype.name}, source {source.dtype.name}; wanted one type"
        )
    flat, places = _ops.reshape(x, (-1,)), _ops.reshape(index, (-1,))
    values = _ops.reshape(source, (-1,))
    if values.shape[0] != places.shape[0]:
        raise ValueError(
            f"put(): {places.shape[0]} indices, {values.shape[0]} elements of source; "
            "wanted as many"
        )
    if flag(accumulate, "accumulate"):
        places = _ops.where(_ops.less(places, 0), places + _ops.size(flat), places)
        made = _ops.index_add(flat, places, values, axis=0)
    else:
        made = _core.with_item(flat, places, values)
    return _ops.reshape(made, _ops.shape(x) if x.symbolic else x.shape)


def renorm(x: Any, p: float, dim: int, maxnorm: float) -> Tensor:
    """Slices along an axis made smaller where their p-norm is above maxnorm."""
    x = as_tensor(x)
    if not x.dtype.is_floating_point:
        raise TypeError(f"renorm(): x is {x.dtype.name}; wanted real floats")
    if x.ndim < 2:
        raise ValueError(f"renorm(): x has {x.ndim} axes; wanted 2 or more")
    if p <= 0:
        raise ValueError(f"renorm(): p is {p}; wanted it above 0")
    if not maxnorm >= 0:  # nor NaN
        raise ValueError(f"renorm(): maxnorm is {maxnorm}; wanted it 0 or more")
    at = one_axis(dim, x.ndim, "renorm")
    others = tuple(i for i in range(x.ndim) if i != at)
    wide = x.dtype if x.dtype == _core.float64 else _core.float32
    rows = _ops.cast(x, wide)
    size = _ops.norm(rows, others, True, p=float(p))
    above = _ops.greater(size, maxnorm)
    # PyTorch's formula, which keeps the quotient finite.
    factor = _ops.div(maxnorm, _ops.add(_ops.where(above, size, 1.0), 1e-7))
    made = _ops.mul(rows, _ops.where(above, factor, _ops.ones_like(factor)))
    return _ops.cast(made, x.dtype)


def pdist(x: Any, p: float = 2.0) -> Tensor:
    """The p-norm distances of every row of a matrix to every later one."""
    x = as_tensor(x)
    if x.ndim != 2:
        raise ValueError(f"pdist(): x has {x.ndim} axes; wanted a matrix")
    x = sized(x, -2)
    if not x.dtype.is_floating_point:
        raise TypeError(f"pdist(): x is {x.dtype.name}; wanted real floats")
    if p < 0:
        raise ValueError(f"pdist(): p is {p}; wanted it 0 or more")
    n = int(x.shape[0])
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    if not pairs:
        return _ops.sum(x[:0], -1)
    first, second = (
        beside(x, _core.tensor([pair[k] for pair in pairs], _core.int64))
        for k in (0, 1)
    )
    apart = _ops.sub(take(x, first, 0), take(x, second, 0))
    return _ops.norm(apart, (-1,), False, p=float(p))
