"""Linear algebra by numpy's names; decompositions are those of sluice.linalg."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .. import linalg as _linalg
from .._array.shape import as_tensor, broadcast_shapes
from .._core import Tensor
from ..linalg import (
    cholesky as cholesky,
    det as det,
    eigh as eigh,
    eigvalsh as eigvalsh,
    inv as inv,
    slogdet as slogdet,
    tensorinv as tensorinv,
    tensorsolve as tensorsolve,
)
from ._arguments import floats, no_out

__all__ = [
    "cholesky",
    "cond",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "tensorinv",
    "tensorsolve",
]


def _eig(a: Any, vectors: bool, what: str) -> tuple[Tensor, Tensor]:
    """Real where all eigenvalues are, as numpy's."""
    x = floats(a)
    if x.symbolic:
        raise NotImplementedError(
            f"{what}(): in a captured function, where the type of the result would "
            "depend on values; wanted sluice.linalg.eig, which gives complex numbers"
        )
    if x.dtype.is_complex:
        raise TypeError(f"{what}(): a is {x.dtype.name}; wanted real numbers")
    wide = _ops.cast(x, _core.float64)
    w, w_im, v, v_im = _ops.eig(wide, compute_v=vectors)
    if bool(_ops.all_of(_ops.equal(w_im, 0))):
        return _ops.cast(w, x.dtype), _ops.cast(v, x.dtype)
    if x.dtype == _core.float64:
        raise TypeError(
            f"{what}(): a is float64, and the result would be complex128, which Sluice "
            "does not have; wanted float32"
        )
    kind = _core.float32
    return (_ops.make_complex(_ops.cast(w, kind), _ops.cast(w_im, kind)),
            _ops.make_complex(_ops.cast(v, kind), _ops.cast(v_im, kind)))  # fmt: skip


def eig(a: Any) -> _linalg.EigResult:
    """Eigenvalues and eigenvectors of square matrices, real where all values are."""
    return _linalg.EigResult(*_eig(a, True, "eig"))


def eigvals(a: Any) -> Tensor:
    """The eigenvalues of square matrices, real where all are."""
    return _eig(a, False, "eigvals")[0]


def norm(
    x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False
) -> Tensor:
    """The norm of vectors or matrices: one axis named, or two."""
    x = floats(x)
    if ord is not None and axis is None and x.ndim not in (1, 2):
        raise ValueError(f"norm(): x has {x.ndim} axes and ord is {ord!r}; wanted 1 or "
                         "2 axes, or to know which")  # fmt: skip
    over = x.ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if ord is not None and over not in (1, 2):
        raise ValueError(f"norm(): axis is {axis!r}; wanted one axis, or two")
    if isinstance(ord, str) and over != 2:
        raise ValueError(f"norm(): ord is {ord!r}; wanted a number for vectors")
    return _linalg.norm(x, ord, axis, keepdims)


def solve(a: Any, b: Any) -> Tensor:
    """x with a x = b, for square matrices a; b: one vector, or matrices."""
    a, b = as_tensor(a), as_tensor(b)
    kind = floats(_ops.cast(b, _core.promote_types(a.dtype, b.dtype))).dtype
    a, b = _ops.cast(a, kind), _ops.cast(b, kind)
    vector = b.ndim == 1
    b = _ops.expand_dims(b, -1) if vector else b
    if a.ndim != b.ndim and min(a.ndim, b.ndim) >= 2:
        many = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a = _ops.broadcast_to(a, (*many, *a.shape[-2:]))
        b = _ops.broadcast_to(b, (*many, *b.shape[-2:]))
    made = _ops.solve(a, b)
    return _ops.squeeze(made, (-1,)) if vector else made


def qr(a: Any, mode: str = "reduced") -> Any:
    """a = Q R, Q with orthonormal columns, R upper triangular; mode "r": R alone."""
    made = _linalg.qr(a, mode)
    return made.R if mode == "r" else made


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """a = U diag(S) Vh; compute_uv=False: S alone."""
    return _linalg.svd(a, full_matrices) if compute_uv else _linalg.svdvals(a)


def cond(x: Any, p: Any = None) -> Tensor:
    """Condition numbers of matrices, by the norms that norm() has for them.

    Infinite where a matrix has no inverse, also that of zeros.
    """
    x = floats(x)
    made = _linalg.cond(x, p)
    whole = _ops.all_of(_ops.logical_not(_ops.isnan(x)), (-2, -1))
    lost = _ops.logical_and(_ops.isnan(made), whole)
    return _ops.where(lost, float("inf"), made)


def matrix_power(a: Any, n: int) -> Tensor:
    """Square matrices multiplied n times with themselves; integers stay integers."""
    a = as_tensor(a)
    if a.dtype.is_floating_point or n < 0 or a.dtype.name not in _WHOLE:
        return _linalg.matrix_power(floats(a), n)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"matrix_power(): a is {list(a.shape)}; wanted square ones")
    eye = _ops.eye(a.shape[-1], a.shape[-1], dtype=a.dtype)
    made = _ops.add(_ops.zeros_like(a), eye)
    while n:
        made = _linalg.matmul(made, a) if n % 2 else made
        a, n = _linalg.matmul(a, a) if n > 1 else a, n // 2
    return made


_WHOLE = ("int32", "int64")  # what products of matrices are of


def _eps(a: Tensor) -> float:
    from .._array.types import finfo

    return float(finfo(a.dtype).eps)


def matrix_rank(
    A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None
) -> Tensor:
    """How many singular values exceed tol, or rtol times the largest."""
    if tol is not None and rtol is not None:
        raise ValueError("matrix_rank(): tol and rtol; wanted one of them")
    A = floats(A)
    if A.ndim < 2:
        return _ops.cast(_ops.any_of(_ops.not_equal(A, 0)), _core.int64)
    values = _ops.abs(_linalg.eigvalsh(A)) if hermitian else _linalg.svdvals(A)
    if tol is None:
        share = max(A.shape[-2:]) * _eps(A) if rtol is None else as_tensor(rtol)
        least = _ops.mul(_ops.max(values, -1, True), _column(share, values))
    else:
        least = _column(as_tensor(tol), values)
    return _ops.sum(_ops.cast(_ops.greater(values, least), _core.int64), -1)


def _column(bound: Any, values: Tensor) -> Any:
    """A bound for each matrix beside its values."""
    if not isinstance(bound, Tensor):
        return bound
    bound = _ops.cast(bound, values.dtype)
    return _ops.expand_dims(bound, -1) if bound.ndim else bound


def pinv(
    a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None
) -> Tensor:
    """The pseudoinverses of matrices; singular values below rcond times the largest
    count as 0."""
    if rcond is not None and rtol is not None:
        raise ValueError("pinv(): rcond and rtol; wanted one of them")
    if hermitian:
        raise NotImplementedError("pinv(): hermitian=True is not supported")
    given = rtol if rcond is None else rcond
    return _linalg.pinv(floats(a), None if given is None else float(given))


def multi_dot(arrays: Any, *, out: None = None) -> Tensor:
    """The product of several matrices; the first and last may be vectors."""
    no_out(out, "multi_dot")
    given = [as_tensor(a) for a in arrays]
    if len(given) < 2:
        raise ValueError(f"multi_dot(): {len(given)} arrays; wanted two or more")
    for at, a in enumerate(given):
        ends = (1, 2) if at in (0, len(given) - 1) else (2,)
        if a.ndim not in ends:
            raise ValueError(f"multi_dot(): array {at} has {a.ndim} axes; wanted 2, or "
                             "1 at an end")  # fmt: skip
    return _linalg.multi_dot(given)


def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Any, ...]:
    """The x for which a x is nearest to b, the squares that are left, the rank of a,
    and its singular values."""
    a, b = floats(a), floats(b)
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise ValueError(f"lstsq(): a is {list(a.shape)}, b {list(b.shape)}; wanted a "
                         "matrix, and a vector or a matrix")  # fmt: skip
    share = max(a.shape) * _eps(a) if rcond is None else float(rcond)
    share = _eps(a) if share < 0 else share
    x = _linalg.lstsq(a, b, share, driver="gels").solution
    rank, values = matrix_rank(a, rtol=share), _linalg.svdvals(a)
    whole = int(rank) == a.shape[1] and a.shape[0] > a.shape[1]
    off = ((a @ x - b) ** 2).sum(0)
    left = (off if b.ndim > 1 else off.reshape(1)) if whole else off.reshape(-1)[:0]
    return x, left, rank, values
