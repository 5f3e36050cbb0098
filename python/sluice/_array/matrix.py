"""Decompositions at the top of the package, as PyTorch has them there.

Those of `sluice.linalg` have other results: svd there gives Vh, here V.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core, _ops
from .._core import Tensor
from .axes import flag, flags
from .shape import as_tensor, matrix_transpose, sized

__all__ = [
    "cholesky",
    "cholesky_solve",
    "qr",
    "svd",
    "triangular_solve",
]


class QR(NamedTuple):
    """What qr gives: x = Q R."""

    Q: Tensor
    R: Tensor


class SVD(NamedTuple):
    """What svd gives: x = U diag(S) V^T."""

    U: Tensor
    S: Tensor
    V: Tensor


class TriangularSolve(NamedTuple):
    """What triangular_solve gives."""

    solution: Tensor
    cloned_coefficient: Tensor


def cholesky(x: Any, upper: bool = False) -> Tensor:
    """Lower triangular L with L L^T = x; its transpose on request."""
    flag(upper, "upper")
    made = _ops.cholesky(symmetric(matrix_transpose(x) if upper else x))
    return matrix_transpose(made) if upper else made


def symmetric(x: Any) -> Tensor:
    """x, whose gradient is that of a symmetric matrix, as PyTorch has it.

    Ops that read one triangle have all of their gradient there; half of it is what
    flows into the other.
    """
    x = as_tensor(x)
    if not x.symbolic and not (x._tracked and _core.is_grad_enabled()):
        return x
    other = matrix_transpose(x)
    # The same numbers: x - other is 0 where x is symmetric.
    return 0.5 * x + 0.5 * (other + _ops.stop_gradient(x - other))


def cholesky_solve(b: Any, factor: Any, upper: bool = False) -> Tensor:
    """x with L L^T x = b, for what cholesky gives."""
    turned = flag(upper, "upper")
    return _ops.cholesky_solve(matrix_transpose(factor) if turned else factor, b)


def qr(x: Any, some: bool = True) -> QR:
    """x = Q R, Q with orthonormal columns: as many as needed, or all."""
    return QR(*_ops.qr(sized(x, -2, -1), full=not flag(some, "some")))


def svd(x: Any, some: bool = True, compute_uv: bool = True) -> SVD:
    """x = U diag(S) V^T; linalg.svd gives V transposed."""
    flags(some=some, compute_uv=compute_uv)
    if not compute_uv:
        raise NotImplementedError(
            "svd(): compute_uv=False is not supported; linalg.svdvals has the values"
        )
    u, s, vt = _ops.svd(sized(x, -2, -1), full_matrices=not some)
    return SVD(u, s, matrix_transpose(vt))


def triangular_solve(
    b: Any, a: Any, upper: bool = True, transpose: bool = False,
    unitriangular: bool = False,
) -> TriangularSolve:  # fmt: skip
    """x with a x = b for triangular a; linalg.solve_triangular has a first."""
    flags(upper=upper, transpose=transpose, unitriangular=unitriangular)
    made = _ops.triangular_solve(
        a, b, lower=not upper, adjoint=transpose, unit_diagonal=unitriangular
    )
    return TriangularSolve(made, a if isinstance(a, Tensor) else _core.tensor(a))
