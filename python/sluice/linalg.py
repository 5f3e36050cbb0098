"""Linear algebra on matrices in the last two axes of tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _core, _ops
from ._array.axes import NOTHING, one_of
from ._array.math import diagonal, matmul, tensordot, vecdot
from ._array.shape import as_tensor, matrix_transpose
from ._core import Tensor

__all__ = [
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "lstsq",
    "lu_factor",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

outer = _ops.outer
trace = _ops.trace
cross = _ops.cross


class QRResult(NamedTuple):
    """What qr gives: x = Q R."""

    Q: Tensor
    R: Tensor


class SVDResult(NamedTuple):
    """What svd gives: x = U diag(S) Vh."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class EighResult(NamedTuple):
    """What eigh gives."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class SlogdetResult(NamedTuple):
    """What slogdet gives."""

    sign: Tensor
    logabsdet: Tensor


class LstsqResult(NamedTuple):
    """What lstsq gives."""

    solution: Tensor


def inv(x: Any) -> Tensor:
    """The inverses of square matrices."""
    return _ops.inverse(x)


def det(x: Any) -> Tensor:
    """The determinants of square matrices."""
    return _ops.det(x)


def slogdet(x: Any) -> SlogdetResult:
    """Sign and logarithm of the absolute value of determinants."""
    return SlogdetResult(*_ops.log_det(x))


def cholesky(x: Any, *, upper: bool = False) -> Tensor:
    """Lower triangular L with L L^T = x; its transpose on request."""
    made = _ops.cholesky(x)
    return matrix_transpose(made) if upper else made


def cholesky_solve(b: Any, factor: Any, upper: bool = False) -> Tensor:
    """x with L L^T x = b, for what cholesky gives."""
    return _ops.cholesky_solve(matrix_transpose(factor) if upper else factor, b)


def solve(a: Any, b: Any) -> Tensor:
    """x with a x = b, for square matrices a; b: a vector, or matrices."""
    a, b = as_tensor(a), as_tensor(b)
    if b.ndim == 1:
        return _ops.squeeze(_ops.solve(a, _ops.expand_dims(b, -1)), (-1,))
    return _ops.solve(a, b)


def solve_triangular(
    a: Any, b: Any, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """x with a x = b for triangular matrices a, or x a = b."""
    return _ops.triangular_solve(
        a, b, left=left, lower=not upper, unit_diagonal=unitriangular
    )


def lstsq(a: Any, b: Any, rcond: float | None = None) -> LstsqResult:
    """x for which a x is nearest to b; of several the shortest."""
    a, b = as_tensor(a), as_tensor(b)
    vector = b.ndim == 1
    made = _ops.least_squares(a, _ops.expand_dims(b, -1) if vector else b, rcond=rcond)
    return LstsqResult(_ops.squeeze(made, (-1,)) if vector else made)


def qr(x: Any, mode: str = "reduced") -> QRResult:
    """x = Q R, Q with orthonormal columns, R upper triangular."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr(): mode is {mode!r}; wanted reduced or complete")
    return QRResult(*_ops.qr(x, full=mode == "complete"))


def svd(x: Any, full_matrices: bool = True) -> SVDResult:
    """x = U diag(S) Vh, singular values in descending order."""
    return SVDResult(*_ops.svd(x, full_matrices=full_matrices))


def svdvals(x: Any) -> Tensor:
    """The singular values alone."""
    return _ops.svd(x, full_matrices=False)[1]


def eigh(x: Any) -> EighResult:
    """Eigenvalues (ascending) and eigenvectors of symmetric matrices."""
    return EighResult(*_ops.eigh(x))


def eigvalsh(x: Any) -> Tensor:
    """The eigenvalues of symmetric matrices, ascending."""
    return _ops.eigh(x)[0]


def lu_factor(x: Any) -> Any:
    """L and U in one matrix, and the order of the rows: x[p] = L U."""
    return _ops.lu(x)


def pinv(x: Any, rcond: float | None = None) -> Tensor:
    """The pseudoinverses of matrices."""
    return _ops.pinv(x) if rcond is None else _ops.pinv(x, rcond)


def matrix_power(x: Any, n: int) -> Tensor:
    """Square matrices multiplied n times with themselves."""
    return _ops.matrix_power(x, n)


def matrix_rank(x: Any, rtol: float | None = None) -> Tensor:
    """How many singular values exceed rtol times the largest."""
    from ._array.types import finfo

    x = as_tensor(x)
    values = svdvals(x)
    if rtol is None:
        rtol = max(x.shape[-2:]) * finfo(x.dtype).eps
    largest = _ops.max(values, -1, True)
    return _ops.sum(_ops.cast(_ops.greater(values, largest * rtol), _core.int64), -1)


def multi_dot(xs: Any) -> Tensor:
    """The product of several matrices, from left to right."""
    made = as_tensor(xs[0])
    for x in xs[1:]:
        made = matmul(made, x)
    return made


def vector_norm(
    x: Any,
    ord: float = 2,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """The norm of vectors: all elements, or those along some axes."""
    keep = bool(keepdims or (keepdim is not NOTHING and keepdim))
    return _ops.norm(x, one_of(axis, dim), keep, p=float(ord))


def matrix_norm(x: Any, ord: Any = "fro", keepdims: bool = False) -> Tensor:
    """Norms of matrices: "fro", "nuc", 1, -1, 2, -2, inf, -inf."""
    x = as_tensor(x)
    if ord == "fro":
        return _ops.norm(x, (-2, -1), keepdims)
    if ord in ("nuc", 2, -2):
        values = svdvals(x)
        over = {"nuc": _ops.sum, 2: _ops.max, -2: _ops.min}[ord]
        made = over(values, -1)
        if not keepdims:
            return made
        return _ops.expand_dims(_ops.expand_dims(made, -1), -1)
    if ord in (1, -1, float("inf"), float("-inf")):
        summed, other = (-2, -1) if ord in (1, -1) else (-1, -2)
        sums = _ops.sum(_ops.abs(x), summed, True)
        made = (_ops.max if ord > 0 else _ops.min)(sums, other, True)
        return made if keepdims else _ops.squeeze(made, (-2, -1))
    raise ValueError(f"matrix_norm(): ord is {ord!r}, which is no norm of matrices")


def norm(
    x: Any,
    ord: Any = None,
    axis: Any = None,
    keepdims: bool = False,
    *,
    dim: Any = NOTHING,
    keepdim: Any = NOTHING,
) -> Tensor:
    """The norm of vectors or matrices: one axis named, or two."""
    axis = one_of(axis, dim)
    keep = bool(keepdims or (keepdim is not NOTHING and keepdim))
    if ord is None:
        return vector_norm(x, 2, axis, keep)
    x = as_tensor(x)
    matrices = isinstance(ord, str) or (axis is None and x.ndim == 2)
    if isinstance(axis, (tuple, list)):
        matrices = len(axis) == 2
    if not matrices:
        return vector_norm(x, ord, axis, keep)
    if axis is not None and tuple(a % x.ndim for a in axis) != (x.ndim - 2, x.ndim - 1):
        raise ValueError("norm(): axes of matrices; wanted the last two")
    return matrix_norm(x, ord, keep)
