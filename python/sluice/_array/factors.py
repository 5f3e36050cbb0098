"""Matrices from their factors, by PyTorch's older names, and a few of low rank."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from . import decompositions
from .axes import flag, flags
from .decompositions import LUResult, _identity, _order, _permutation, _square
from .device import beside
from .draws import randn
from .householder import geqrf, householder_product as orgqr, ormqr
from .matrix import SVD, cholesky_solve
from .shape import as_tensor, matrix_transpose, sized

__all__ = [
    "cholesky_inverse",
    "geqrf",
    "lu_solve",
    "lu_unpack",
    "orgqr",
    "ormqr",
    "pca_lowrank",
    "pinverse",
    "svd_lowrank",
]


def cholesky_inverse(L: Any, upper: bool = False) -> Tensor:
    """The inverse of the matrix that cholesky gave L of."""
    L = _square(L, "cholesky_inverse")
    ones = _ops.add(_ops.zeros_like(L), _identity(L, int(L.shape[-1])))
    return cholesky_solve(_ops.stop_gradient(ones), L, upper)


def pinverse(x: Any, rcond: float = 1e-15) -> Tensor:
    """The pseudoinverses of matrices."""
    if not rcond >= 0:
        raise ValueError(f"pinverse(): rcond is {rcond}; wanted it 0 or more")
    return _ops.pinv(x, rcond)


def lu_solve(b: Any, LU_data: Any, LU_pivots: Any) -> Tensor:
    """The x with A x = b, of what linalg.lu_factor gave for A."""
    return decompositions.lu_solve(LU_data, LU_pivots, b)


def lu_unpack(
    LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True
) -> LUResult:
    """P, L and U of what linalg.lu_factor gave; empty where not asked for."""
    flags(unpack_data=unpack_data, unpack_pivots=unpack_pivots)
    both = sized(LU_data, -2, -1)
    rows, few = int(both.shape[-2]), min(int(n) for n in both.shape[-2:])
    none = _core.full((0,), 0, both.dtype)
    P, L, U = none, none, none
    if unpack_data:
        ones = beside(both, _ops.eye(rows, few, dtype=both.dtype))
        L = _ops.add(_ops.tril(both[..., :, :few], -1), ones)
        U = _ops.triu(both[..., :few, :])
    if unpack_pivots:
        P = _permutation(_order(sized(LU_pivots, -1), rows), both.dtype)
    return LUResult(P, L, U)


def svd_lowrank(A: Any, q: int = 6, niter: int = 2, M: Any = None) -> SVD:
    """About the q largest singular values of matrices, and their vectors.

    Drawn at random: A (less M) is multiplied with q vectors, niter times over.
    """
    A = as_tensor(A) if M is None else _ops.sub(A, M)
    A = sized(A, -2, -1)
    if q < 0 or q > min(A.shape[-2:]):
        raise ValueError(f"svd_lowrank(): q is {q}; wanted 0 to {min(A.shape[-2:])}")
    rows, columns = A.shape[-2:]
    if rows < columns:
        u, s, v = svd_lowrank(matrix_transpose(A), q, niter)
        return SVD(v, s, u)
    drawn = beside(A, randn(columns, q, dtype=A.dtype))
    base = _ops.qr(_core.matmul(A, drawn), full=False)[0]
    for _ in range(niter):
        other = _ops.qr(_core.matmul(matrix_transpose(A), base), full=False)[0]
        base = _ops.qr(_core.matmul(A, other), full=False)[0]
    u, s, vt = _ops.svd(_core.matmul(matrix_transpose(base), A), full_matrices=False)
    return SVD(_core.matmul(base, u), s, matrix_transpose(vt))


def pca_lowrank(
    A: Any, q: int | None = None, center: bool = True, niter: int = 2
) -> SVD:
    """About the q principal components of rows, by default 6: svd_lowrank of the rows
    less their mean."""
    A = as_tensor(A)
    if q is None:
        q = min(6, *A.shape[-2:])
    if flag(center, "center"):
        A = _ops.sub(A, _ops.mean(A, (-2,), True))
    return svd_lowrank(A, q, niter)
