"""Products of Householder reflections, and matrices checked by a number."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core, _ops
from .._core import Tensor
from .axes import flag
from .decompositions import LUFactorResult, _identity, _square, lu_factor
from .matrix import cholesky
from .shape import matrix_transpose, sized

__all__ = [
    "cholesky_ex",
    "householder_product",
    "inv_ex",
    "lu_factor_ex",
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
        along = _core.matmul(matrix_transpose(v), made)
        step = _ops.mul(_core.matmul(v, along), tau[..., i : i + 1, None])
        made = _ops.sub(made, step)
    return made
