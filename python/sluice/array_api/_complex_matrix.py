"""What linear algebra gives of complex matrices, made of real ops.

A matrix A + iB is also the real one [[A, -B], [B, A]]: products, inverses and
pseudoinverses of those are those of the complex ones, and singular values are there
twice. Decompositions are brought to real matrices of two or three diagonals.
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


def _reflection(column: Tensor, first: int) -> tuple[Tensor, Tensor, Tensor]:
    """v, tau and where there is none: x - tau v v^H x is 0 behind place `first`, for
    x the column. A column of zeros has no reflection."""
    rest = column[..., first:, :]
    size = _ops.complex_abs(rest)
    length = _ops.sqrt(_ops.sum(_ops.square(size), (-2,), True))
    head, lead = rest[..., :1, :], size[..., :1, :]
    first_of = _ops.add(head, _ops.mul(_phase(head, lead), _complex(length)))
    mirror = _ops.concat([first_of, rest[..., 1:, :]], axis=-2)
    above = filled(column, (*column.shape[:-2], first, 1), 0)
    v = _ops.concat([above, mirror], axis=-2)
    weight = _ops.sum(_ops.square(_ops.complex_abs(v)), (-2,), True)
    empty = _ops.equal(weight, 0.0)
    return v, _complex(_ops.where(empty, 0.0, _ops.div(2.0, weight))), empty


def _phase(x: Tensor, size: Tensor) -> Tensor:
    """x / |x|, and 1 of 0."""
    none = _ops.equal(size, 0.0)
    turned = _divided(x, _ops.where(none, 1.0, size))
    return _ops.where(none, _complex(_ops.ones_like(size)), turned)


def _from_left(x: Tensor, v: Tensor, tau: Tensor) -> Tensor:
    return _ops.sub(x, _ops.mul(tau, _matmul(v, _matmul(_adjoint(v), x))))


def _from_right(x: Tensor, v: Tensor, tau: Tensor) -> Tensor:
    return _ops.sub(x, _ops.mul(tau, _matmul(_matmul(x, v), _adjoint(v))))


def _identity(x: Tensor, n: int) -> Tensor:
    return identity_like(filled(x, (*x.shape[:-2], n, n), 0))


def _scaled(x: Tensor) -> tuple[Tensor, Tensor]:
    """x by its largest element, and that: squares of large numbers overflow."""
    size = _ops.complex_abs(x)
    if 0 in x.shape:
        return x, filled(x, (*x.shape[:-2], 1, 1), 1, _core.float32)
    largest = _ops.max(size, (-2, -1), True)
    fit = _ops.logical_and(_ops.isfinite(largest), _ops.greater(largest, 0.0))
    largest = _ops.where(fit, largest, 1.0)
    return _divided(x, largest), largest


def _divided(x: Tensor, by: Tensor) -> Tensor:
    return _ops.make_complex(_ops.div(_ops.real(x), by), _ops.div(_ops.imag(x), by))


def householder(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """x = Q R with all of Q, and the determinant of Q: each reflection has -1."""
    rows, columns = x.shape[-2:]
    r, scale = _scaled(x)
    q = _identity(x, rows)
    sign = filled(x, x.shape[:-2], 1, _core.float32)
    for k in range(min(rows - 1, columns)):
        v, tau, empty = _reflection(r[..., k : k + 1], k)
        r, q = _from_left(r, v, tau), _from_right(q, v, tau)
        sign = _ops.mul(sign, _ops.where(empty[..., 0, 0], 1.0, -1.0))
    return q, _ops.mul(_ops.triu(r, 0), _complex(scale)), sign


def _complex(x: Tensor) -> Tensor:
    return _ops.cast(x, _core.complex64)


def _interleaved(x: Tensor) -> Tensor:
    """The real matrix with every element as a 2 x 2 block."""
    re, im = parts(x)
    n = x.shape[-1]
    upper = _ops.stack([re, _ops.neg(im)], axis=-1)
    lower = _ops.stack([im, re], axis=-1)
    grid = _ops.stack([upper, lower], axis=-3)  # [..., row, 2, column, 2]
    return _ops.reshape(grid, (*x.shape[:-2], 2 * n, 2 * n))


def cholesky(x: Tensor) -> Tensor:
    """That of the real matrix of 2 x 2 blocks has such blocks again: its first is a
    multiple of the identity, and so on with what is left."""
    made = _ops.cholesky(_interleaved(x))
    return joined(made[..., ::2, ::2], made[..., 1::2, ::2])


def _hermitian(x: Tensor) -> Tensor:
    """What the lower triangle says of the matrix."""
    low = _ops.tril(x, -1)
    main = identity_like(x)
    middle = _ops.mul(main, _complex(_ops.real(x)))
    return _ops.add(_ops.add(low, _adjoint(low)), middle)


def _running_phases(steps: list[Tensor]) -> Tensor:
    """Phases d with d_0 = 1 and d_k+1 = d_k times the phase of a step: [..., n]."""
    made = [_complex(_ops.ones_like(_ops.real(steps[0])))] if steps else []
    for step in steps[:-1]:
        made.append(_ops.mul(made[-1], _phase(step, _ops.complex_abs(step))))
    return _ops.stack(made, axis=-1)


def eigh(x: Tensor) -> tuple[Tensor, Tensor]:
    """Reflections from both sides leave three diagonals, phases make those real."""
    n = x.shape[-1]
    a, scale = _scaled(_hermitian(x))
    q = _identity(x, n)
    for k in range(n - 2):
        v, tau, _ = _reflection(a[..., k : k + 1], k + 1)
        a = _from_right(_from_left(a, v, tau), v, tau)
        q = _from_right(q, v, tau)
    if n == 0:
        return _ops.real(x[..., 0]), x
    beside = [a[..., k + 1, k] for k in range(n - 1)]
    turns = _running_phases([*beside, a[..., 0, 0]])
    t = _ops.mul(_ops.mul(_ops.expand_dims(_ops.conj(turns), -1), a),
                 _ops.expand_dims(turns, -2))  # fmt: skip
    values, vectors = _ops.eigh(_ops.cast(_ops.real(t), _core.float64))
    q = _ops.mul(q, _ops.expand_dims(turns, -2))
    values = _ops.mul(_ops.cast(values, _core.float32), scale[..., 0])
    return values, _matmul(q, _complex(vectors))


def svd(x: Tensor, full: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Reflections from both sides leave two diagonals, phases make those real."""
    rows, columns = x.shape[-2:]
    if rows < columns:
        u, s, vh = svd(_adjoint(x), full)
        return _adjoint(vh), s, _adjoint(u)
    b, scale = _scaled(x)
    left, right = _identity(x, rows), _identity(x, columns)
    for k in range(columns):
        if k < rows - 1:
            v, tau, _ = _reflection(b[..., k : k + 1], k)
            b, left = _from_left(b, v, tau), _from_right(left, v, tau)
        if k < columns - 2:
            v, tau, _ = _reflection(_adjoint(b[..., k : k + 1, :]), k + 1)
            b, right = _from_right(b, v, tau), _from_right(right, v, tau)
    b, left, right = _real_diagonals(b, left, right)
    wide = _ops.cast(_ops.real(b), _core.float64)
    u, s, vh = _ops.svd(wide, full_matrices=full)
    s = _ops.mul(_ops.cast(s, _core.float32), scale[..., 0])
    return (_matmul(left, _complex(u)), s,
            _matmul(_complex(vh), _adjoint(right)))  # fmt: skip


def _real_diagonals(
    b: Tensor, left: Tensor, right: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Rows and columns turned in turn, so that both diagonals are real."""
    columns = b.shape[-1]
    for k in range(columns):
        if k > 0:  # a column for what is beside the diagonal, then a row for that
            turn = _only(k, _ops.conj(_at(b, k - 1, k)), right)
            b, right = _ops.mul(b, turn), _ops.mul(right, turn)
        turn = _only(k, _at(b, k, k), left)
        left = _ops.mul(left, turn)
        b = _ops.mul(b, matrix_transpose(_ops.conj(turn)))
    return b, left, right


def _at(b: Tensor, i: int, j: int) -> Tensor:
    """The phase of an element, as a matrix of one."""
    element = b[..., i : i + 1, j : j + 1]
    return _phase(element, _ops.complex_abs(element))


def _only(k: int, phase: Tensor, like: Tensor) -> Tensor:
    """A row of ones as wide as a matrix, but a phase at place k."""
    n = like.shape[-1]
    one = filled(like, (*like.shape[:-2], 1, n), 1)
    return _ops.concat([one[..., :k], phase, one[..., k + 1 :]], axis=-1)
