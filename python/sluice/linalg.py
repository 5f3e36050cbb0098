"""Linear algebra on matrices in the last two axes of tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _core, _ops
from ._array import math as _math
from ._array import matrix as _matrix
from ._array.axes import NOTHING, axes_tuple, flag, flags, one_of
from ._array.decompositions import (
    LUFactorResult as LUFactorResult,
    LUResult as LUResult,
    lu,
    lu_factor,
    lu_solve,
    matrix_exp,
    tensorinv,
    tensorsolve,
    vander,
)
from ._array.householder import (
    cholesky_ex,
    householder_product,
    inv_ex,
    lu_factor_ex,
    solve_ex,
)
from ._array.math import matmul, tensordot, trace
from ._array.reduce import as_floats, axes_of
from ._array.shape import as_tensor, matrix_transpose, may_be, moveaxis, sized
from ._core import Tensor

__all__ = [
    "cholesky",
    "cholesky_ex",
    "cholesky_solve",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
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
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vander",
    "vecdot",
    "vector_norm",
]

outer = _ops.outer


class QRResult(NamedTuple):
    """What qr gives: x = Q R."""

    Q: Tensor
    R: Tensor


class SVDResult(NamedTuple):
    """What svd gives: x = U diag(S) Vh."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class EigResult(NamedTuple):
    """What eig gives."""

    eigenvalues: Tensor
    eigenvectors: Tensor


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
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def inv(x: Any) -> Tensor:
    """The inverses of square matrices."""
    return _ops.inverse(x)


def det(x: Any) -> Tensor:
    """The determinants of square matrices."""
    return _ops.det(x)


def slogdet(x: Any) -> SlogdetResult:
    """Sign and logarithm of the absolute value of determinants."""
    return SlogdetResult(*_ops.log_det(x))


def diagonal(x: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A diagonal of the matrices in two axes, by default the last two."""
    return _math.diagonal(x, offset, dim1, dim2)


def cross(a: Any, b: Any, *, dim: Any = NOTHING, axis: Any = NOTHING) -> Tensor:
    """Cross products of vectors of three along an axis, by default the last."""
    return _math.cross(a, b, one_of(axis, dim, -1))


def vecdot(x: Any, y: Any, *, dim: Any = NOTHING, axis: Any = NOTHING) -> Tensor:
    """Inner products of vectors along an axis; of complex ones the first conjugated."""
    return _math.vecdot(x, y, one_of(axis, dim, -1))


def cholesky(x: Any, *, upper: bool = False) -> Tensor:
    """Lower triangular L with L L^T = x; its transpose on request."""
    return _matrix.cholesky(x, upper)


def cholesky_solve(b: Any, factor: Any, upper: bool = False) -> Tensor:
    """x with L L^T x = b, for what cholesky gives."""
    return _matrix.cholesky_solve(b, factor, upper)


def solve(A: Any, B: Any, *, left: bool = True) -> Tensor:
    """x with A x = B, for square matrices A; B: a vector, one for each matrix, or
    matrices. left=False: x with x A = B.
    """
    A, B, left = as_tensor(A), as_tensor(B), flag(left, "left")
    each = A.ndim > 2 and B.ndim == A.ndim - 1 and all(
        may_be(n, m) for n, m in zip(B.shape, A.shape[:-1]))  # fmt: skip
    if B.ndim == 1 or each:
        turned = A if left else matrix_transpose(A)
        return _ops.squeeze(_ops.solve(turned, _ops.expand_dims(B, -1)), (-1,))
    if left:
        return _ops.solve(A, B)
    return matrix_transpose(_ops.solve(matrix_transpose(A), matrix_transpose(B)))


def solve_triangular(
    a: Any, b: Any, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """x with a x = b for triangular matrices a, or x a = b."""
    flags(upper=upper, left=left, unitriangular=unitriangular)
    return _ops.triangular_solve(
        a, b, left=left, lower=not upper, unit_diagonal=unitriangular
    )


_DRIVERS = (None, "gels", "gelsy", "gelsd", "gelss")


def lstsq(
    a: Any, b: Any, rcond: float | None = None, *, driver: str | None = None
) -> LstsqResult:
    """x for which a x is nearest to b; of several the shortest.

    Beside it: the squares of what is left, summed over each column, where a has more
    rows than columns and none of those too many (in a function that is captured, by
    its sizes alone); the rank; the singular values. A driver says which of these
    there are, as in PyTorch: "gelsy", the default, the rank, "gels" the squares,
    "gelsd" and "gelss" all three. x is the same; what is not there is empty.
    """
    if driver not in _DRIVERS:
        raise ValueError(
            f"lstsq(): driver is {driver!r}; wanted one of gels, gelsy, gelsd, gelss"
        )
    a, b = as_tensor(a), as_tensor(b)
    vector = b.ndim == 1
    columns = _ops.expand_dims(b, -1) if vector else b
    made = _ops.least_squares(a, columns, rcond=rcond)
    rows, unknowns = a.shape[-2:]
    none = _core.full((0,), 0, a.dtype)
    rank, values = _core.full((0,), 0, _core.int64), none
    full = True
    if driver != "gels":
        from ._array.types import finfo

        values = svdvals(a.detach())
        cut = finfo(a.dtype).eps * max(rows, unknowns) if rcond is None else rcond
        kept = _ops.greater(values, _ops.mul(_ops.max(values, -1, True), cut)) if (
            0 not in a.shape) else _ops.greater(values, 0)  # fmt: skip
        rank = _ops.sum(_ops.cast(kept, _core.int64), -1)
        full = rank.symbolic or bool(_ops.all_of(_ops.equal(rank, unknowns)))
    left = none
    if rows > unknowns and full and driver not in (None, "gelsy"):
        off = _ops.sub(_core.matmul(a, made), columns)
        left = _ops.sum(_ops.square(off), (-2,))
    if driver not in ("gelsd", "gelss"):
        values = none
    solution = _ops.squeeze(made, (-1,)) if vector else made
    return LstsqResult(solution, left, rank, values)


def qr(x: Any, mode: str = "reduced") -> QRResult:
    """x = Q R, Q with orthonormal columns, R upper triangular; mode "r": R alone."""
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"qr(): mode is {mode!r}; wanted reduced, complete or r")
    if mode == "r":
        made = _ops.qr(sized(x, -2, -1), full=False)[1]
        return QRResult(_core.full((0,), 0, made.dtype), made)
    return QRResult(*_ops.qr(sized(x, -2, -1), full=mode == "complete"))


def svd(x: Any, full_matrices: bool = True) -> SVDResult:
    """x = U diag(S) Vh, singular values in descending order."""
    flag(full_matrices, "full_matrices")
    return SVDResult(*_ops.svd(sized(x, -2, -1), full_matrices=full_matrices))


def svdvals(x: Any) -> Tensor:
    """The singular values alone."""
    return _ops.svd(x, full_matrices=False)[1]


def _lower(x: Any, UPLO: str) -> Any:
    """The matrix such that its lower triangle is the one to read."""
    if UPLO not in ("L", "U", "l", "u"):
        raise ValueError(f"UPLO is {UPLO!r}; wanted L or U")
    return x if UPLO in "Ll" else matrix_transpose(x)


def _general(x: Any, what: str) -> Tensor:
    x = sized(x, -2, -1)
    if x.dtype == _core.float32:
        return _ops.cast(x, _core.float64)  # rounded once
    reason = {
        "float64": "the result would be complex128, which Sluice does not have; "
        "wanted float32",
        "complex64": "wanted real numbers, or eigh for Hermitian matrices",
    }.get(x.dtype.name, "wanted float32")
    raise TypeError(f"{what}(): x is {x.dtype.name}; {reason}")


def _joined(re: Tensor, im: Tensor) -> Tensor:
    kind = _core.float32
    return _ops.make_complex(_ops.cast(re, kind), _ops.cast(im, kind))


def eig(x: Any) -> EigResult:
    """Eigenvalues and eigenvectors of square matrices, which are complex.

    Eigenvalues are ordered by their real parts, then their imaginary ones. Vectors
    have length 1 and a largest component that is positive.
    """
    made = _ops.eig(_general(x, "eig"))
    return EigResult(_joined(*made[:2]), _joined(*made[2:]))


def eigvals(x: Any) -> Tensor:
    """The eigenvalues of square matrices, by real parts, then imaginary ones."""
    return _joined(*_ops.eig(_general(x, "eigvals"), compute_v=False)[:2])


def eigh(x: Any, UPLO: str = "L") -> EighResult:
    """Eigenvalues (ascending) and eigenvectors of symmetric matrices."""
    return EighResult(*_ops.eigh(_matrix.symmetric(_lower(x, UPLO))))


def eigvalsh(x: Any, UPLO: str = "L") -> Tensor:
    """The eigenvalues of symmetric matrices, ascending."""
    return _ops.eigh(_matrix.symmetric(_lower(x, UPLO)))[0]


def pinv(
    x: Any, rcond: float | None = None, hermitian: bool = False, *,
    atol: Any = None, rtol: Any = None,
) -> Tensor:  # fmt: skip
    """The pseudoinverses of matrices.

    Singular values up to atol, or rtol (rcond) times the largest, count as 0.
    hermitian=True: of symmetric matrices, of which the lower triangles are read.
    """
    if rcond is not None and rtol is not None:
        raise TypeError("pinv(): rcond beside rtol; wanted one of them")
    rtol = rcond if rtol is None else rtol
    if flag(hermitian, "hermitian"):
        x = sized(x, -2, -1)
        x = _ops.add(_ops.tril(x, 0), matrix_transpose(_ops.tril(x, -1)))
    numbers = rtol is None or isinstance(rtol, (int, float))
    for name, value in (("atol", atol), ("rtol", rtol)):
        if isinstance(value, (int, float)) and not value >= 0:
            raise ValueError(f"pinv(): {name} is {value}; wanted it 0 or more")
    if atol is None and numbers:
        return _ops.pinv(x) if rtol is None else _ops.pinv(x, rtol)
    from ._array.types import finfo

    x = sized(x, -2, -1)
    u, values, vh = svd(x, False)
    if rtol is None:
        positive = isinstance(atol, (int, float)) and atol > 0
        rtol = 0.0 if positive else max(x.shape[-2:]) * finfo(x.dtype).eps
    bound = _ops.mul(_ops.max(values, -1, True), _last(rtol))
    bound = bound if atol is None else _ops.maximum(bound, _last(atol))
    kept = _ops.greater(values, bound)
    turned = _ops.where(kept, _ops.reciprocal(_ops.where(kept, values, 1.0)), 0.0)
    left = _ops.mul(matrix_transpose(vh), _ops.expand_dims(turned, -2))
    return matmul(left, matrix_transpose(u))


def _last(bound: Any) -> Any:
    """A bound for each matrix, against its singular values."""
    return _ops.expand_dims(bound, -1) if isinstance(bound, Tensor) else bound


def matrix_power(x: Any, n: int) -> Tensor:
    """Square matrices multiplied n times with themselves."""
    return _ops.matrix_power(sized(x, -2, -1), n)


def matrix_rank(
    x: Any, tol: float | None = None, hermitian: bool = False, *,
    atol: float | None = None, rtol: float | None = None,
) -> Tensor:  # fmt: skip
    """How many singular values exceed atol and rtol times the largest.

    tol: the older name of atol. hermitian=True: those of symmetric matrices, by their
    eigenvalues.
    """
    from ._array.types import finfo

    if tol is not None and (atol is not None or rtol is not None):
        raise TypeError("matrix_rank(): tol beside atol or rtol; wanted one of them")
    x = as_tensor(x)
    least = tol if atol is None else atol
    symmetric = flag(hermitian, "hermitian")
    values = _ops.abs(eigvalsh(x)) if symmetric else svdvals(x)
    if rtol is None:
        rtol = 0.0 if least else max(x.shape[-2:]) * finfo(x.dtype).eps
    bound = _ops.mul(_ops.max(values, -1, True), rtol)
    bound = bound if least is None else _ops.maximum(bound, least)
    return _ops.sum(_ops.cast(_ops.greater(values, bound), _core.int64), -1)


def multi_dot(xs: Any) -> Tensor:
    """The product of several matrices, from left to right."""
    made = as_tensor(xs[0])
    for x in xs[1:]:
        made = matmul(made, x)
    return made


def vector_norm(
    x: Any,
    ord: float = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The norm of vectors: all elements, or those along some axes."""
    x = as_floats(x, dtype, "vector_norm")
    axes = axes_of(x, dim, keepdim, axis, keepdims)
    if axes.nothing:  # vectors of one
        sizes = _ops.abs(x)
        return _ops.cast(_ops.not_equal(x, 0), sizes.dtype) if ord == 0 else sizes
    return _ops.norm(x, axes.over, axes.keep, p=float(ord))


def matrix_norm(
    x: Any,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
    keepdims: bool = False,
) -> Tensor:
    """Norms of matrices in two axes: "fro", "nuc", 1, -1, 2, -2, inf, -inf."""
    x = as_floats(x, dtype, "matrix_norm")
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise TypeError(f"matrix_norm(): dim is {dim!r}; wanted two axes")
    keep = flag(keepdim, "keepdim") or flag(keepdims, "keepdims")
    a, b = axes_tuple(dim, x.ndim, "matrix_norm")
    if (a, b) == (x.ndim - 2, x.ndim - 1):
        return _matrix_norm(x, ord, keep)
    made = _matrix_norm(moveaxis(x, (a, b), (-2, -1)), ord, keep)
    return moveaxis(made, (-2, -1), (a, b)) if keep else made


def _matrix_norm(x: Tensor, ord: Any, keepdims: bool) -> Tensor:
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


def cond(x: Any, p: Any = None) -> Tensor:
    """Condition numbers of matrices: of the norm p of x times that of its inverse.

    p: None and 2 (the largest singular value over the smallest), -2, and the other
    norms of matrices, of square ones. A singular one is infinite where the norm is of
    singular values, and refused for 1, -1, inf and -inf.
    """
    x = as_tensor(x)
    if p in (None, 2, -2, "fro", "nuc"):
        if p in ("fro", "nuc") and not _may_be_square(x):
            raise ValueError(f"cond(): x is {list(x.shape)}; wanted square matrices")
        values = svdvals(x)
        if p in (None, 2):
            return _ops.div(_ops.max(values, -1), _ops.min(values, -1))
        if p == -2:
            return _ops.div(_ops.min(values, -1), _ops.max(values, -1))
        over = _ops.norm if p == "fro" else _ops.sum
        return _ops.mul(over(values, -1), over(_ops.reciprocal(values), -1))
    return _ops.mul(matrix_norm(x, p), matrix_norm(_ops.inverse(x), p))


def _may_be_square(x: Tensor) -> bool:
    return x.ndim >= 2 and may_be(x.shape[-1], x.shape[-2])


def norm(
    x: Any,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Any = NOTHING,
    keepdims: Any = NOTHING,
) -> Tensor:
    """The norm of vectors or matrices: one axis named, or two."""
    x = as_floats(x, dtype, "norm")
    axes = axes_of(x, dim, keepdim, axis, keepdims)
    for given in (dim, axis):
        if isinstance(given, (tuple, list)) and not given:
            raise ValueError(f"norm(): dim is {given!r}; wanted one axis, or two")
    if ord is None:
        return _ops.norm(x, axes.over, axes.keep)
    if axes.over is None and x.ndim > 2:
        raise ValueError(f"norm(): x has {x.ndim} axes and ord is {ord!r}; wanted 1 or "
                         "2 axes, or dim")  # fmt: skip
    matrices = isinstance(ord, str) or (axes.over is None and x.ndim == 2)
    if isinstance(axes.over, (tuple, list)):
        matrices = len(axes.over) == 2
    if not matrices:
        return _ops.norm(x, axes.over, axes.keep, p=float(ord))
    return matrix_norm(x, ord, (-2, -1) if axes.over is None else axes.over, axes.keep)


_REFUSED = {
    "ldl_factor": "factors of LAPACK's own form; lu_factor and lu_solve take matrices "
    "that are not definite, too",
}
_REFUSED["ldl_factor_ex"] = _REFUSED["ldl_solve"] = _REFUSED["ldl_factor"]


def __getattr__(name: str) -> Any:
    if name in _REFUSED:
        raise AttributeError(f"there is no linalg.{name}: {_REFUSED[name]}")
    raise AttributeError(f"module 'sluice.linalg' has no attribute {name!r}")
