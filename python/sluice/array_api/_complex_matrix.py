"""What linear algebra gives of complex matrices, made of real ops.

A matrix A + iB is also the real one [[A, -B], [B, A]]: products, inverses and
pseudoinverses of those are those of the complex ones, and singular values are there
twice. Decompositions that need more than that are refused in linalg.py.
"""

from __future__ import annotations

from .. import _core, _ops
from .._core import Tensor
from ._complex import joined, parts
from ._linear import bilinear, identity_like, matrix_transpose
from ._operands import filled

__all__: list[str] = []


def as_real(x: Tensor) -> Tensor:
    """The real matrix of twice the size."""
    re, im = parts(x)
    left = _ops.concat([re, im], axis=-2)
    right = _ops.concat([_ops.neg(im), re], axis=-2)
    return _ops.concat([left, right], axis=-1)


def as_complex(x: Tensor) -> Tensor:
    """The complex matrix a real one of twice the size stands for."""
    rows, columns = x.shape[-2] // 2, x.shape[-1] // 2
    return joined(x[..., :rows, :columns], x[..., rows:, :columns])


def singular_values(x: Tensor) -> Tensor:
    """In descending order; each is there twice in the real matrix."""
    both = _ops.svd(as_real(x), full_matrices=False)[1]
    return _ops.cast(both[..., ::2], _core.float32)


def _matmul(a: Tensor, b: Tensor) -> Tensor:
    return bilinear(_core.matmul, a, b)


def _adjoint(x: Tensor) -> Tensor:
    return matrix_transpose(_ops.conj(x))


def householder(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """x = Q R with all of Q, and the determinant of Q: by reflections, a column each.

    A reflection has determinant -1; a column of zeros has none.
    """
    rows, columns = x.shape[-2:]
    square = filled(x, (*x.shape[:-2], rows, rows), 0)
    q, r = identity_like(square), x
    sign = filled(x, x.shape[:-2], 1, _core.float32)
    for k in range(min(rows - 1, columns)):
        column = r[..., k:, k : k + 1]
        size = _ops.complex_abs(column)
        length = _ops.sqrt(_ops.sum(_ops.square(size), (-2,), True))
        head, lead = column[..., :1, :], size[..., :1, :]
        none = _ops.equal(lead, 0.0)
        turn = _ops.div(head, _complex(_ops.where(none, 1.0, lead)))
        turn = _ops.where(none, _core.tensor(1, x.dtype), turn)
        mirror = _ops.concat([_ops.add(head, _ops.mul(turn, _complex(length))),
                              column[..., 1:, :]], axis=-2)  # fmt: skip
        above = filled(x, (*x.shape[:-2], k, 1), 0)
        v = _ops.concat([above, mirror], axis=-2)
        weight = _ops.sum(_ops.square(_ops.complex_abs(v)), (-2,), True)
        empty = _ops.equal(weight, 0.0)
        tau = _complex(_ops.where(empty, 0.0, _ops.div(2.0, weight)))
        r = _ops.sub(r, _ops.mul(tau, _matmul(v, _matmul(_adjoint(v), r))))
        q = _ops.sub(q, _ops.mul(tau, _matmul(_matmul(q, v), _adjoint(v))))
        sign = _ops.mul(sign, _ops.where(empty[..., 0, 0], 1.0, -1.0))
    return q, _ops.triu(r, 0), sign


def _complex(x: Tensor) -> Tensor:
    return _ops.cast(x, _core.complex64)
