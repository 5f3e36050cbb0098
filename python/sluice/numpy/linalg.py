"""Linear algebra by numpy's names; decompositions are those of sluice.linalg."""

from __future__ import annotations

from typing import Any

from .. import linalg as _linalg
from .._array.shape import as_tensor
from .._core import Tensor
from ..linalg import (
    cholesky as cholesky,
    cond as cond,
    det as det,
    eigh as eigh,
    eigvalsh as eigvalsh,
    inv as inv,
    matrix_power as matrix_power,
    matrix_rank as matrix_rank,
    multi_dot as multi_dot,
    pinv as pinv,
    qr as qr,
    slogdet as slogdet,
    solve as solve,
    tensorinv as tensorinv,
    tensorsolve as tensorsolve,
)

__all__ = [
    "cholesky",
    "cond",
    "det",
    "eigh",
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


def norm(
    x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False
) -> Tensor:
    """The norm of vectors or matrices: one axis named, or two."""
    return _linalg.norm(as_tensor(x), ord, axis, keepdims)


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """a = U diag(S) Vh; compute_uv=False: S alone."""
    return _linalg.svd(a, full_matrices) if compute_uv else _linalg.svdvals(a)


def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Any, ...]:
    """The x for which a x is nearest to b, the squares that are left, the rank of a,
    and its singular values."""
    a, b = as_tensor(a), as_tensor(b)
    x = _linalg.lstsq(a, b, rcond).solution
    rank, values = _linalg.matrix_rank(a), _linalg.svdvals(a)
    whole = int(rank) == a.shape[1] and a.shape[0] > a.shape[1]
    off = ((a @ x - b) ** 2).sum(0)
    left = (off if b.ndim > 1 else off.reshape(1)) if whole else off.reshape(-1)[:0]
    return x, left, rank, values
