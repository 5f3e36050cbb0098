"""Matrices as products, exponentials and condition numbers, made of other ops."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .. import _core, _ops
from .._core import Tensor
from .axes import axes_tuple, flag, flags
from .device import beside
from .shape import as_tensor, matrix_transpose, may_be, moveaxis, sized

__all__ = [
    "LUFactorResult",
    "LUResult",
    "lu",
    "lu_factor",
    "lu_solve",
    "matrix_exp",
    "tensorinv",
    "tensorsolve",
    "vander",
]


class LUResult(NamedTuple):
    """What lu gives: x = P L U."""

    P: Tensor
    L: Tensor
    U: Tensor


def _permutation(order: Tensor, dtype: Any) -> Tensor:
    """Matrices that put row i of what they multiply in row order[i]."""
    n = order.shape[-1]
    rows = beside(order, _ops.expand_dims(_ops.range(0, n, 1), 1))
    return _ops.cast(_ops.equal(rows, _ops.expand_dims(order, -2)), dtype)


def _identity(like: Tensor, n: int) -> Tensor:
    return beside(like, _ops.eye(n, n, dtype=like.dtype))


def _square(x: Any, what: str) -> Tensor:
    x = as_tensor(x)
    if x.ndim < 2 or not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise ValueError(
            f"{what}(): x is {x.dtype.name} of {list(x.shape)}; wanted matrices "
            "of floats"
        )
    x = sized(x, -2, -1)
    if x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{what}(): x is {list(x.shape)}; wanted square matrices")
    return x


def lu(x: Any, *, pivot: bool = True) -> LUResult:
    """x = P L U: P orders rows, L is lower with ones on its diagonal, U upper."""
    if not flag(pivot, "pivot"):
        raise NotImplementedError("lu(): pivot=False is not supported; wanted True")
    x = as_tensor(x)
    if x.ndim < 2:
        raise ValueError(f"lu(): x has {x.ndim} axes; wanted matrices")
    x = sized(x, -2, -1)
    both, order = _ops.lu(x)
    few = min(both.shape[-2:])
    lower = _ops.tril(both[..., :, :few], -1)
    ones = beside(x, _ops.eye(both.shape[-2], few, dtype=both.dtype))
    return LUResult(
        _permutation(order, both.dtype), _ops.add(lower, ones),
        _ops.triu(both[..., :few, :]),
    )  # fmt: skip


class LUFactorResult(NamedTuple):
    """What lu_factor gives: row i was swapped with row pivots[i] - 1, in turn."""

    LU: Tensor
    pivots: Tensor


def _swapped(rows: Tensor, column: Tensor, i: int, at: Tensor, there: Tensor) -> Tensor:
    """Rows with those at i and `at` swapped; `there` is the one at `at`."""
    here = rows[..., i : i + 1]
    rows = _ops.where(_ops.equal(column, at), here, rows)
    return _ops.where(_ops.equal(column, i), there, rows)


def _swaps(order: Tensor, count: int) -> Tensor:
    """The swaps, one a row and counted from 1, that put rows in this order."""
    column = beside(order, _ops.range(0, order.shape[-1], 1))
    rows = _ops.add(_ops.mul(order, 0), column)
    made = []
    for i in range(count):
        wanted = order[..., i : i + 1]
        at = _ops.sum(_ops.where(_ops.equal(rows, wanted), column, 0), -1, True)
        made.append(_ops.add(at, 1))
        rows = _swapped(rows, column, i, at, wanted)
    return _ops.concat(made, axis=-1) if made else rows[..., :0]


def lu_factor(x: Any, *, pivot: bool = True) -> LUFactorResult:
    """L and U in one matrix, and the swaps of rows on the way to it."""
    if not flag(pivot, "pivot"):
        raise NotImplementedError("lu_factor(): pivot=False is not supported")
    x = as_tensor(x)
    if x.ndim < 2:
        raise ValueError(f"lu_factor(): x has {x.ndim} axes; wanted matrices")
    made, order = _ops.lu(sized(x, -2, -1))
    pivots = _swaps(_ops.cast(order, _core.int64), min(made.shape[-2:]))
    return LUFactorResult(made, _ops.cast(pivots, _core.int32))


def _order(pivots: Tensor, rows: int | None = None) -> Tensor:
    """Where each row comes from, of swaps in turn: row i with row pivots[i] - 1."""
    count = int(pivots.shape[-1])
    n = count if rows is None else rows
    column = beside(pivots, _ops.range(0, n, 1))
    zeros = _ops.mul(_ops.cast(pivots, _core.int64), 0)
    order = _ops.add(zeros if n == count else _ops.sum(zeros, -1, True), column)
    for i in range(count):
        at = _ops.cast(pivots[..., i : i + 1], _core.int64) - 1
        there = _ops.sum(_ops.where(_ops.equal(column, at), order, 0), -1, True)
        order = _swapped(order, column, i, at, there)
    return order


def lu_solve(
    LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False
) -> Tensor:
    """The X with A X = B, of what lu_factor gave for A; left=False: X A = B.

    adjoint: of A with its axes swapped.
    """
    flags(left=left, adjoint=adjoint)
    LU, pivots, B = _square(LU, "lu_solve"), sized(pivots, -1), as_tensor(B)
    if LU.dtype.is_complex:
        raise NotImplementedError("lu_solve(): complex numbers; wanted real ones")
    if not may_be(B.shape[-2 if left else -1], LU.shape[-1]):
        raise ValueError(
            f"lu_solve(): LU is {list(LU.shape)}, B {list(B.shape)}; wanted sizes "
            "that fit"
        )
    n = LU.shape[-1]
    lower = _ops.add(_ops.tril(LU, -1), _identity(LU, n))
    product = _core.matmul(lower, _ops.triu(LU))
    A = _core.matmul(_permutation(_order(pivots), LU.dtype), product)
    A = matrix_transpose(A) if adjoint else A
    if left:
        return _ops.solve(A, B)
    return matrix_transpose(_ops.solve(matrix_transpose(A), matrix_transpose(B)))


def matrix_exp(x: Any) -> Tensor:
    """The exponential of square matrices, 1 + x + x x / 2 + ..."""
    x = _square(x, "matrix_exp")
    if x.dtype.is_complex:
        raise NotImplementedError("matrix_exp(): complex numbers; wanted real ones")
    if 0 in x.shape[-2:]:
        return _ops.add(x, 0)
    kind = x.dtype
    x = x if kind == _core.float64 else _ops.cast(x, _core.float32)
    # Halved until the series is short, and squared as often afterwards.
    size = _ops.max(_ops.sum(_ops.abs(x), -2, True), -1, True)
    known = _ops.logical_and(_ops.isfinite(size), _ops.greater(size, 1.0))
    size = _ops.where(known, _ops.stop_gradient(size), 1.0)
    halved = _ops.ceil(_ops.log2(size))
    small = _ops.div(x, _ops.exp2(halved))
    one = _identity(x, x.shape[-1])
    made = _ops.add(one, _ops.div(small, 18.0))
    for i in range(17, 0, -1):
        made = _ops.add(one, _ops.div(_core.matmul(small, made), float(i)))
    return _ops.cast(_squared(made, _ops.cast(halved, _core.int64)), kind)


def _squared(x: Tensor, times: Tensor) -> Tensor:
    """Matrices multiplied with themselves, each as often as it says."""
    from .._control_flow import while_loop

    most = _ops.max(_ops.reshape(times, (-1,)), 0) if times.ndim else times

    def more(i: Tensor, now: Tensor) -> Tensor:
        return _ops.less(i, most)

    def step(i: Tensor, now: Tensor) -> tuple[Tensor, Tensor]:
        again = _ops.less(i, times)
        return i + 1, _ops.where(again, _core.matmul(now, now), now)

    start = _ops.zeros_like(most)
    done: Tensor = while_loop(more, step, (start, x))[1]
    return done


def _flat(sizes: Any) -> int:
    return math.prod(int(n) for n in sizes)


def tensorinv(x: Any, ind: int = 2) -> Tensor:
    """The inverse of the linear map from the last axes of x to its first `ind`."""
    x = as_tensor(x)
    if not 0 < ind < x.ndim:
        raise ValueError(f"tensorinv(): ind is {ind}; wanted 1 to {x.ndim - 1}")
    first, last = x.shape[:ind], x.shape[ind:]
    if _flat(first) != _flat(last):
        raise ValueError(
            f"tensorinv(): axes {list(first)} and {list(last)}; wanted as many elements"
        )
    flat = _ops.reshape(x, (_flat(first), _flat(last)))
    return _ops.reshape(_ops.inverse(flat), (*last, *first))


def tensorsolve(x: Any, b: Any, dims: Any = None) -> Tensor:
    """The y with tensordot(x, y, y.ndim) = b; dims of x go to its end before."""
    x, b = as_tensor(x), as_tensor(b)
    if dims is not None:
        moved = axes_tuple(dims, x.ndim, "tensorsolve")
        x = moveaxis(x, moved, tuple(range(-len(moved), 0)))
    rest = x.shape[b.ndim :]
    if tuple(x.shape[: b.ndim]) != tuple(b.shape) or _flat(rest) != _flat(b.shape):
        raise ValueError(
            f"tensorsolve(): x is {list(x.shape)}, b {list(b.shape)}; wanted x to be "
            "square between its first axes, those of b, and the others"
        )
    flat = _ops.reshape(x, (_flat(b.shape), _flat(rest)))
    return _ops.reshape(_ops.solve(flat, _ops.reshape(b, (-1, 1))), rest)


def vander(x: Any, *, N: int | None = None) -> Tensor:
    """Powers 0 to N - 1 of each element along a new last axis; N: the last size."""
    x = sized(x, -1) if N is None else as_tensor(x)
    if x.ndim == 0:
        raise ValueError("vander(): x has no axes; wanted one or more")
    count = int(x.shape[-1]) if N is None else N
    if count <= 1 and N is not None:
        raise ValueError(f"vander(): N is {N}; wanted 2 or more")
    if x.dtype == _core.bool or not (x.dtype.is_floating_point or x.dtype.is_complex):
        x = _ops.cast(x, _core.int64)
    powers = [_ops.ones_like(x)]
    for _ in range(count - 1):
        powers.append(_ops.mul(powers[-1], x))
    return _ops.stack(powers[:count], axis=-1)
