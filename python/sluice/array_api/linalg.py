"""The standard's extension for linear algebra, on matrices in the last two axes.

Real matrices go to the ops for them; complex ones are in _complex_matrix.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core, _ops
from .. import linalg as _top
from .._array.types import finfo
from .._core import Tensor
from . import _complex_matrix as _cm
from ._complex import joined, parts, sign as _sign
from ._linear import (
    cross as cross,
    matmul as matmul,
    matrix_transpose as matrix_transpose,
    outer as outer,
    tensordot as tensordot,
    vecdot as vecdot,
    identity_like,
)
from ._operands import array, as_type, of_kind, pair
from ._statistics import prod, wide_type
from .._array.axes import axes_tuple

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


def _matrices(x: Any, what: str, *, square: bool = False) -> Tensor:
    """x, which is to be matrices of floating point numbers."""
    x = of_kind(array(x, what), what, 2, 3)
    if x.ndim < 2:
        raise ValueError(f"{what}(): x has {x.ndim} axes; wanted 2 or more")
    if square and x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{what}(): x is {list(x.shape)}; wanted square matrices")
    return x


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """Lower triangular L with L L^H = x; its adjoint on request."""
    x = _matrices(x, "cholesky", square=True)
    if not x.dtype.is_complex:
        return _top.cholesky(x, upper=upper)
    given = _ops.conj(matrix_transpose(x)) if upper else x  # the triangle that is read
    made = _cm.cholesky(given)
    return _ops.conj(matrix_transpose(made)) if upper else made


def det(x: Tensor, /) -> Tensor:
    """The determinants of square matrices."""
    x = _matrices(x, "det", square=True)
    if not x.dtype.is_complex:
        return _ops.det(x)
    _, r, reflected = _cm.householder(x)
    return _ops.mul(prod(diagonal(r), axis=-1), as_type(reflected, x.dtype))


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """A diagonal of the matrices in the last two axes."""
    return _top.diagonal(array(x, "diagonal"), offset=offset)


EighResult = _top.EighResult
QRResult = _top.QRResult
SVDResult = _top.SVDResult


class SlogdetResult(NamedTuple):
    """What slogdet gives."""

    sign: Tensor
    logabsdet: Tensor


def eigh(x: Tensor, /) -> EighResult:
    """Eigenvalues (ascending) and eigenvectors of Hermitian matrices."""
    x = _matrices(x, "eigh", square=True)
    return EighResult(*_cm.eigh(x)) if x.dtype.is_complex else _top.eigh(x)


def eigvalsh(x: Tensor, /) -> Tensor:
    """The eigenvalues of Hermitian matrices, ascending."""
    x = _matrices(x, "eigvalsh", square=True)
    return _cm.eigh(x)[0] if x.dtype.is_complex else _top.eigvalsh(x)


def inv(x: Tensor, /) -> Tensor:
    """The inverses of square matrices."""
    x = _matrices(x, "inv", square=True)
    if not x.dtype.is_complex:
        return _ops.inverse(x)
    return _cm.as_complex(_ops.inverse(_cm.as_real(x)))


def matrix_norm(
    x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro"
) -> Tensor:
    """Norms of matrices: "fro", "nuc", 1, -1, 2, -2, inf, -inf."""
    x = _matrices(x, "matrix_norm")
    if ord is None:
        ord = "fro"
    if not x.dtype.is_complex:
        return _top.matrix_norm(x, ord, keepdims=keepdims)
    if ord not in ("nuc", 2, -2):  # the others are norms of the absolute values
        return _top.matrix_norm(_ops.complex_abs(x), ord, keepdims=keepdims)
    values = _cm.singular_values(x)
    over = {"nuc": _ops.sum, 2: _ops.max, -2: _ops.min}[ord]
    made = over(values, (-1,))
    return _ops.reshape(made, (*made.shape, 1, 1)) if keepdims else made


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Square matrices multiplied n times with themselves; of negative n inverses."""
    x = _matrices(x, "matrix_power", square=True)
    if n < 0:
        x, n = inv(x), -n
    if n == 0:
        return identity_like(x)
    made: Tensor | None = None
    while True:
        if n & 1:
            made = x if made is None else matmul(made, x)
        n >>= 1
        if n == 0:
            assert made is not None
            return made.clone() if made is x else made
        x = matmul(x, x)


def _relative(rtol: Any, x: Tensor, kind: Any) -> Any:
    """What is small beside a matrix's largest singular value: a number each."""
    if rtol is None:
        return max(x.shape[-2:]) * finfo(x.dtype).eps
    return _ops.expand_dims(as_type(rtol, kind), -1) if isinstance(rtol, Tensor) else (
        rtol)  # fmt: skip


def _kept(values: Tensor, rtol: Any, x: Tensor) -> Tensor:
    """Which singular values count."""
    if values.shape[-1] == 0:
        return _ops.cast(values, _core.bool)
    allowed = _ops.mul(_ops.max(values, (-1,), True), _relative(rtol, x, values.dtype))
    return _ops.greater(values, allowed)


def matrix_rank(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """How many singular values exceed rtol times the largest."""
    x = _matrices(x, "matrix_rank")
    kept = _kept(svdvals(x), rtol, x)
    return _ops.sum(_ops.cast(kept, _core.int64), (-1,))


def pinv(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """The pseudoinverses of matrices."""
    x = _matrices(x, "pinv")
    given = _cm.as_real(x) if x.dtype.is_complex else x
    u, s, vh = _ops.svd(given, full_matrices=False)
    kept = _kept(s, rtol, x)
    flipped = _ops.where(kept, _ops.reciprocal(_ops.where(kept, s, 1.0)), 0.0)
    flipped = as_type(flipped, s.dtype)
    scaled = _ops.mul(matrix_transpose(vh), _ops.expand_dims(flipped, -2))
    made = matmul(scaled, matrix_transpose(u))
    return _cm.as_complex(made) if x.dtype.is_complex else made


def qr(x: Tensor, /, *, mode: str = "reduced") -> QRResult:
    """x = Q R, Q with orthonormal columns, R upper triangular."""
    x = _matrices(x, "qr")
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr(): mode is {mode!r}; wanted reduced or complete")
    if not x.dtype.is_complex:
        return _top.qr(x, mode)
    q, r, _ = _cm.householder(x)
    if mode == "complete":
        return QRResult(q, r)
    few = min(x.shape[-2:])
    return QRResult(q[..., :few].clone(), r[..., :few, :].clone())


def slogdet(x: Tensor, /) -> SlogdetResult:
    """Sign and logarithm of the absolute value of determinants."""
    x = _matrices(x, "slogdet", square=True)
    if not x.dtype.is_complex:
        return SlogdetResult(*_ops.log_det(x))
    _, r, reflected = _cm.householder(x)
    found = diagonal(r)
    turns = prod(joined(*_sign(*parts(found))), axis=-1)
    logs = _ops.sum(_ops.log(_ops.complex_abs(found)), (-1,))
    return SlogdetResult(_ops.mul(turns, as_type(reflected, x.dtype)), logs)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """x with x1 x = x2, for square matrices x1; x2: one vector, or matrices."""
    a, b = pair(array(x1, "solve", "x1"), array(x2, "solve", "x2"), "solve")
    a = _matrices(a, "solve", square=True)
    right = _ops.expand_dims(b, -1) if b.ndim == 1 else b
    batch = _batch(a, right)
    a = _ops.broadcast_to(a, (*batch, *a.shape[-2:]))
    right = _ops.broadcast_to(right, (*batch, *right.shape[-2:]))
    if a.dtype.is_complex:
        made = _cm.as_complex(_ops.solve(_cm.as_real(a), _cm.as_real(right)))
    else:
        made = _ops.solve(a, right)
    return _ops.squeeze(made, (-1,)) if b.ndim == 1 else made


def _batch(a: Tensor, b: Tensor) -> tuple[int, ...]:
    from .._array.shape import broadcast_shapes

    return broadcast_shapes(a.shape[:-2], b.shape[:-2])


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """x = U diag(S) Vh, singular values in descending order."""
    x = _matrices(x, "svd")
    if x.dtype.is_complex:
        return SVDResult(*_cm.svd(x, full_matrices))
    return _top.svd(x, full_matrices)


def svdvals(x: Tensor, /) -> Tensor:
    """The singular values alone."""
    x = _matrices(x, "svdvals")
    return _cm.singular_values(x) if x.dtype.is_complex else _top.svdvals(x)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """The sums of a diagonal; integers are added in 64 bits."""
    x = of_kind(array(x, "trace"), "trace", 1, 3)
    return _ops.sum(as_type(diagonal(x, offset=offset), wide_type(x, dtype)), (-1,))


def vector_norm(
    x: Tensor, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> Tensor:
    """The norm of vectors: all elements, or those along some axes."""
    x = of_kind(array(x, "vector_norm"), "vector_norm", 2, 3)
    sizes = _ops.complex_abs(x) if x.dtype.is_complex else x
    every = tuple(range(x.ndim))
    axes = every if axis is None else axes_tuple(axis, x.ndim, "vector_norm")
    if not axes:  # vectors of one
        if ord == 0:
            return as_type(_ops.not_equal(sizes, 0), sizes.dtype)
        return _ops.abs(sizes)
    return _ops.norm(sizes, axes, keepdims, p=float(ord))
