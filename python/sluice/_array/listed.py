"""Choices and places listed in order: combinations, products, runs, indices."""

from __future__ import annotations

import itertools
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import NOTHING, flag, flags, one_axis, whole
from .create import meshgrid
from .device import beside
from .pick import nonzero, take
from .reduce import sum as total
from .shape import as_tensor, moveaxis, ravel, sized, stack

__all__ = [
    "cartesian_prod",
    "combinations",
    "nonzero_static",
    "scalar_tensor",
    "sum_to_size",
    "unique_consecutive",
    "unravel_index",
]


def combinations(x: Any, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of r elements of a vector, in order, one a row."""
    x = as_tensor(x)
    if x.ndim != 1:
        raise ValueError(f"combinations(): x has {x.ndim} axes; wanted a vector")
    if r < 0:
        raise ValueError(f"combinations(): r is {r}; wanted 0 or more")
    if r == 0:
        return x[:0]
    x = sized(x, -1)
    flag(with_replacement, "with_replacement")
    choose = itertools.combinations_with_replacement if with_replacement else None
    rows = list((choose or itertools.combinations)(range(int(x.shape[0])), r))
    if not rows:
        return _ops.reshape(x[:0], (0, r))
    return take(x, beside(x, _core.tensor(rows, _core.int64)), 0)


def cartesian_prod(*tensors: Any) -> Tensor:
    """All choices of one element of each vector, one a row; of one vector itself."""
    xs = [as_tensor(x) for x in tensors]
    for x in xs:
        if x.ndim != 1:
            raise ValueError(f"cartesian_prod(): {x.ndim} axes; wanted vectors")
    if len(xs) == 1:
        return xs[0]
    return stack([ravel(grid) for grid in meshgrid(*xs, indexing="ij")], 1)


def scalar_tensor(
    s: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor without axes of one number, by default of floats."""
    from .create import full

    if dtype is None:
        dtype = _core.complex64 if isinstance(s, complex) else _core.default_float()
    return full((), s, dtype=dtype, device=device, requires_grad=requires_grad)


def sum_to_size(x: Any, *sizes: Any, size: Any = ()) -> Tensor:
    """Summed over the axes along which this shape would be stretched to x's."""
    wanted = sizes or size
    if len(wanted) == 1 and not isinstance(wanted[0], int):
        wanted = wanted[0]
    x, wanted = as_tensor(x), tuple(wanted)
    front = x.ndim - len(wanted)
    fits = front >= 0 and all(
        n in (1, m) for n, m in zip(wanted, x.shape[front:]))  # fmt: skip
    if not fits:
        raise ValueError(f"sum_to_size(): {list(wanted)} of {list(x.shape)}; wanted a "
                         "shape that stretches to it")  # fmt: skip
    over = [i for i in range(x.ndim)
            if i < front or (wanted[i - front] == 1 and x.shape[i] != 1)]  # fmt: skip
    if not wanted:
        return total(x)
    return _ops.reshape(total(x, tuple(over), True) if over else x, wanted)


def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    """The index along each axis of elements counted over all axes of a shape."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    indices = as_tensor(indices)
    if indices.dtype.is_floating_point or indices.dtype == _core.bool:
        raise TypeError(f"unravel_index(): indices are {indices.dtype.name}; wanted "
                        "integers")  # fmt: skip
    indices = _ops.cast(indices, _core.int64)
    made = []
    for n in reversed(sizes):
        if n < 0:
            raise ValueError(f"unravel_index(): shape is {list(sizes)}; wanted sizes "
                             "of 0 or more")  # fmt: skip
        made.append(_ops.mod(indices, n))
        indices = _ops.floor_div(indices, n)
    return tuple(reversed(made))


def unique_consecutive(
    x: Any, return_inverse: bool = False, return_counts: bool = False, dim: Any = None,
    *, axis: Any = NOTHING,
) -> Any:  # fmt: skip
    """x without elements, or slices, that equal the one before them.

    return_inverse: also which of these each one is. return_counts: how many there
    were of each.
    """
    flags(return_inverse=return_inverse, return_counts=return_counts)
    dim = dim if axis is NOTHING else axis
    x = as_tensor(x)
    given = x.shape
    if dim is None:
        rows = line = ravel(x)
    else:
        at = one_axis(dim, x.ndim, "unique_consecutive")
        line = moveaxis(x, at, 0)
        rows = _ops.reshape(line, (line.shape[0], -1)) if line.numel() else line
    n = int(rows.shape[0])
    if not n:
        none = _core.full((0,) if dim is not None else given, 0, _core.int64)
        made: list[Tensor] = [x, none, _core.full((0,), 0, _core.int64)]
    else:
        differs = _ops.not_equal(rows[1:], rows[:-1])
        if differs.ndim > 1:
            differs = _ops.any_of(differs, tuple(range(1, differs.ndim)))
        first = beside(x, _core.full((1,), True, _core.bool))
        begins = _ops.concat([first, differs], axis=0)
        places = ravel(nonzero(begins))
        kept = take(line, places, 0)
        number = _ops.sub(_ops.cumsum(_ops.cast(begins, _core.int64), 0), 1)
        ends = _ops.concat([places[1:], beside(x, _core.tensor([n]))], axis=0)
        made = [
            kept if dim is None else moveaxis(kept, 0, at),
            _ops.reshape(number, given) if dim is None else number,
            _ops.sub(ends, places),
        ]
    wanted = [made[0]] + [made[1]] * return_inverse + [made[2]] * return_counts
    return wanted[0] if len(wanted) == 1 else tuple(wanted)


def nonzero_static(x: Any, *, size: int, fill_value: int = -1) -> Tensor:
    """The places of the first `size` elements that are not 0, filled up if fewer."""
    x = as_tensor(x)
    if size < 0:
        raise ValueError(f"nonzero_static(): size is {size}; wanted 0 or more")
    there = ravel(_ops.not_equal(x, 0))
    # Those that are not 0 first, each in its place: a size that values do not decide.
    order = _ops.arg_sort(_ops.cast(_ops.logical_not(there), _core.int32), 0)[:size]
    few = int(order.shape[0])
    count = _ops.sum(_ops.cast(there, _core.int64))
    kept = _ops.less(beside(x, _ops.range(0, few, 1)), count)
    none = _ops.expand_dims(order, 1)[:, :0]
    places = stack(unravel_index(order, x.shape), 1) if x.ndim else none
    fill = _core.full((), whole(fill_value, "fill_value"), _core.int64)
    made = _ops.where(_ops.expand_dims(kept, 1), places, beside(x, fill))
    rest = _core.full((size - few, x.ndim), fill_value, _core.int64)
    return _ops.concat([made, beside(x, rest)], axis=0)
