"""Products of matrices and vectors added to a tensor, and products of other kinds."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .math import conj, matmul, rounded_sum, tensordot
from .reduce import truth
from .shape import as_tensor

__all__ = [
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "block_diag",
    "cdist",
    "chain_matmul",
    "dist",
    "ger",
    "inner",
    "kron",
    "logdet",
    "vdot",
]

ger = _ops.outer


def addmm(x: Any, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta x + alpha mat1 @ mat2, of two matrices."""
    return rounded_sum(_ops.matmul, x, mat1, mat2, beta, alpha)


def addmv(x: Any, mat: Any, vec: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta x + alpha mat @ vec, of a matrix and a vector."""
    return rounded_sum(_ops.mat_vec, x, mat, vec, beta, alpha)


def addr(x: Any, vec1: Any, vec2: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta x + alpha times the outer product of two vectors."""
    made = rounded_sum(_outer, x, vec1, vec2, beta, alpha)
    bools = {as_tensor(v).dtype for v in (x, vec1, vec2)} == {_core.bool}
    return truth(made) if bools else made


def _outer(a: Tensor, b: Tensor) -> Tensor:
    for name, v in (("vec1", a), ("vec2", b)):
        if v.ndim != 1:
            raise ValueError(f"addr(): {name} has {v.ndim} axes; wanted a vector")
    return _ops.expand_dims(a, 1) * _ops.expand_dims(b, 0)


def addbmm(
    x: Any, batch1: Any, batch2: Any, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """beta x + alpha times the sum of the products of stacks of matrices."""

    def summed(a: Tensor, b: Tensor) -> Tensor:
        return _ops.sum(_core.matmul(a, b), (0,))

    return rounded_sum(summed, x, batch1, batch2, beta, alpha)


def inner(x: Any, other: Any) -> Tensor:
    """Products summed over the last axis of both; numbers multiply."""
    x, other = as_tensor(x), as_tensor(other)
    if 0 in (x.ndim, other.ndim):
        return _ops.mul(x, other)
    return tensordot(x, other, dims=([-1], [-1]))


def vdot(x: Any, other: Any) -> Tensor:
    """The inner product of two vectors; of complex ones the first conjugated."""
    x, other = as_tensor(x), as_tensor(other)
    if (x.ndim, other.ndim) != (1, 1):
        raise ValueError(f"vdot(): {x.ndim} and {other.ndim} axes; wanted two vectors")
    if x.dtype.is_complex:
        return _ops.sum(_ops.mul(conj(x), other))
    return _ops.dot(x, other)


def kron(x: Any, other: Any) -> Tensor:
    """Every element of x times all of other, side by side: Kronecker's product."""
    x, other = as_tensor(x), as_tensor(other)
    ndim = max(x.ndim, other.ndim)
    of_a = [1] * (ndim - x.ndim) + list(x.shape)
    of_b = [1] * (ndim - other.ndim) + list(other.shape)
    spread_a = [n for size in of_a for n in (size, 1)]
    spread_b = [n for size in of_b for n in (1, size)]
    made = _ops.mul(_ops.reshape(x, spread_a), _ops.reshape(other, spread_b))
    return _ops.reshape(made, [n * m for n, m in zip(of_a, of_b)])


def block_diag(*xs: Any) -> Tensor:
    """A matrix with these matrices along its diagonal, and zeros elsewhere."""
    before, blocks = 0, []
    for x in xs:
        x = as_tensor(x)
        if x.ndim > 2:
            raise ValueError(f"block_diag(): {x.ndim} axes; wanted 2 at most")
        blocks.append(_ops.reshape(x, (1,) * (2 - x.ndim) + tuple(x.shape)))
    width = sum(b.shape[1] for b in blocks)
    made = []
    for block in blocks:
        behind = width - before - block.shape[1]
        made.append(_ops.pad(block, [0, 0, before, behind]))
        before += block.shape[1]
    if not made:
        return _core.full((1, 0), 0, _core.default_float())
    return _ops.concat(made, axis=0)


def chain_matmul(*matrices: Any) -> Tensor:
    """The product of several matrices, from left to right."""
    made = as_tensor(matrices[0])
    for x in matrices[1:]:
        made = matmul(made, x)
    return made


_CDIST_MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


def cdist(
    x1: Any, x2: Any, p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:  # fmt: skip
    """The p-norm distances of every row of x1 to every row of x2.

    Differences are taken in every mode, which is exact; PyTorch's modes are names.
    """
    if compute_mode not in _CDIST_MODES:
        raise ValueError(f"cdist(): compute_mode is {compute_mode!r}; wanted one of "
                         + ", ".join(_CDIST_MODES))  # fmt: skip
    if not p >= 0:
        raise ValueError(f"cdist(): p is {p}; wanted it 0 or more")
    x1, x2 = as_tensor(x1), as_tensor(x2)
    apart = _ops.sub(_ops.expand_dims(x1, -2), _ops.expand_dims(x2, -3))
    return _ops.norm(apart, (-1,), False, p=float(p))


def dist(x: Any, other: Any, p: float = 2) -> Tensor:
    """The p-norm of x - other, over all elements."""
    return _ops.norm(_ops.sub(x, other), None, False, p=float(p))


def logdet(x: Any) -> Tensor:
    """The logarithm of determinants; NaN of negative ones."""
    sign, size = _ops.log_det(x)
    nan = _core.tensor(float("nan"), size.dtype)
    return _ops.where(_ops.less(sign, 0), nan, size)
