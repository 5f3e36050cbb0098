"""Products of Householder reflections, and matrices checked by a number."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core, _ops
from .._core import Tensor
from .axes import flag, flags
from .decompositions import LUFactorResult, _identity, _square, lu_factor
from .matrix import cholesky
from .shape import matrix_transpose, sized

__all__ = [
    "cholesky_ex",
    "geqrf",
    "householder_product",
    "inv_ex",
    "lu_factor_ex",
    "ormqr",
    "solve_ex",
]


class CholeskyEx(NamedTuple):
    """What cholesky_ex gives."""

    L: Tensor
    info: Tensor


class InvEx(NamedTuple):
    """What inv_ex gives."""

    inverse: Tensor
    info: Tensor


class SolveEx(NamedTuple):
    """What solve_ex gives."""

    result: Tensor
    info: Tensor


class LUFactorEx(NamedTuple):
    """What lu_factor_ex gives."""

    LU: Tensor
    pivots: Tensor
    info: Tensor


def _fine(x: Tensor) -> Tensor:
    """0 for each matrix: those that cannot be decomposed raise here."""
    zeros = _ops.mul(_ops.cast(_ops.isfinite(x[..., 0, 0]), _core.int32), 0)
    return _ops.stop_gradient(zeros)


def _info(x: Tensor) -> Tensor:
    return _fine(x) if x.shape[-1] else _core.full(x.shape[:-2], 0, _core.int32)


def cholesky_ex(
    x: Any, *, upper: bool = False, check_errors: bool = False
) -> CholeskyEx:
    """cholesky, and 0 for each matrix: one that is not positive definite raises."""
    flag(check_errors, "check_errors")
    x = _square(x, "cholesky_ex")
    return CholeskyEx(cholesky(x, upper), _info(x))


def inv_ex(x: Any, *, check_errors: bool = False) -> InvEx:
    """The inverses, and 0 for each matrix: a singular one raises."""
    flag(check_errors, "check_errors")
    x = _square(x, "inv_ex")
    return InvEx(_ops.inverse(x), _info(x))


def solve_ex(
    A: Any, B: Any, *, left: bool = True, check_errors: bool = False
) -> SolveEx:
    """solve, and 0 for each matrix: a singular one raises."""
    from ..linalg import solve

    flag(check_errors, "check_errors")
    A = _square(A, "solve_ex")
    return SolveEx(solve(A, B, left=left), _info(A))


def lu_factor_ex(
    x: Any, *, pivot: bool = True, check_errors: bool = False
) -> LUFactorEx:
    """lu_factor, and 0 for each matrix."""
    flag(check_errors, "check_errors")
    x = sized(x, -2, -1)
    made: LUFactorResult = lu_factor(x, pivot=pivot)
    info = _core.full(x.shape[:-2], 0, _core.int32) if 0 in x.shape[-2:] else _fine(x)
    return LUFactorEx(*made, info)


def householder_product(x: Any, tau: Any) -> Tensor:
    """The first columns of the product of reflections 1 - tau v v^T.

    Column i of x holds v below its diagonal, where v is 1; above, it is 0.
    """
    x, tau = sized(x, -2, -1), sized(tau, -1)
    rows, columns = (int(n) for n in x.shape[-2:])
    count = int(tau.shape[-1])
    if not rows >= columns >= count:
        raise ValueError(
            f"householder_product(): x is {list(x.shape)}, tau {list(tau.shape)}; "
            "wanted rows >= columns >= len(tau)"
        )
    made = _ops.add(_ops.mul(x, 0), _identity(x, rows)[:, :columns])
    if not count:
        return made
    lower = _ops.tril(x, -1)
    for i in reversed(range(count)):
        unit = _identity(x, rows)[:, i : i + 1]
        v = _ops.add(lower[..., :, i : i + 1], unit)
        back = matrix_transpose(v)
        back = _ops.conj(back) if back.dtype.is_complex else back
        along = _core.matmul(back, made)
        step = _ops.mul(_core.matmul(v, along), tau[..., i : i + 1, None])
        made = _ops.sub(made, step)
    return made


class Geqrf(NamedTuple):
    """What geqrf gives."""

    a: Tensor
    tau: Tensor


def _real(x: Any, what: str) -> Tensor:
    x = sized(x, -2, -1)
    if x.dtype.is_complex:
        raise TypeError(f"{what}(): x is {x.dtype.name}; wanted real numbers")
    return x


def geqrf(x: Any) -> Geqrf:
    """x = Q R with Q as reflections 1 - tau v v^T, for householder_product and ormqr.

    R is on and above the diagonal of the result; below it are the vectors v.
    """
    x = _real(x, "geqrf")
    rows, columns = (int(n) for n in x.shape[-2:])
    below, factors = [], []
    for k in range(min(rows, columns)):
        column = x[..., k:, k]
        first, rest = column[..., :1], column[..., 1:]
        tail = _ops.sum(_ops.square(rest), (-1,), True)
        flat = _ops.equal(tail, 0)  # nothing to be reflected
        length = _ops.sqrt(_ops.where(flat, 1.0, _ops.square(first) + tail))
        turned = _ops.where(_ops.less(first, 0), length, _ops.neg(length))
        scale = _ops.where(flat, 1.0, first - turned)
        tau = _ops.where(flat, 0.0, (turned - first) / turned)
        v = rest / scale
        whole = _ops.concat([_ops.ones_like(first), v], axis=-1)
        part = x[..., k:, k:]
        along = _ops.sum(_ops.expand_dims(whole, -1) * part, (-2,), True)
        step = _ops.expand_dims(tau * whole, -1) * along
        x = _ops.concat(
            [x[..., :k, :], _ops.concat([x[..., k:, :k], part - step], axis=-1)],
            axis=-2,
        )
        below.append(v)
        factors.append(tau)
    made = _ops.triu(x, 0)
    if not factors:
        return Geqrf(made, _core.full((*x.shape[:-2], 0), 0, x.dtype))
    parts = [
        _ops.expand_dims(_ops.pad(v, [0, 0] * (v.ndim - 1) + [k + 1, 0]), -1)
        for k, v in enumerate(below)
    ]
    parts += [_ops.zeros_like(x[..., :1])] * (columns - len(parts))
    return Geqrf(made + _ops.concat(parts, axis=-1), _ops.concat(factors, axis=-1))


def ormqr(
    x: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False
) -> Tensor:
    """Q other, with Q of geqrf's reflections; other Q, and the transpose of Q, on
    request."""
    x, tau = _real(x, "ormqr"), sized(tau, -1)
    made: Any = _real(other, "ormqr")
    flags(left=left, transpose=transpose)
    rows, count = int(x.shape[-2]), int(tau.shape[-1])
    if int(made.shape[-2 if left else -1]) != rows:
        raise ValueError(
            f"ormqr(): reflections of {rows}, other {list(made.shape)}; wanted as many "
            f"{'rows' if left else 'columns'}"
        )
    lower = _ops.tril(x, -1)
    order = range(count) if left == transpose else reversed(range(count))
    for i in order:
        v = lower[..., :, i : i + 1] + _identity(x, rows)[:, i : i + 1]
        by = _ops.expand_dims(tau[..., i : i + 1], -1)
        if left:
            along = _core.matmul(matrix_transpose(v), made)
            made = made - by * _core.matmul(v, along)
        else:
            made = made - by * _core.matmul(_core.matmul(made, v), matrix_transpose(v))
    return made
