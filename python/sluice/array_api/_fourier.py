"""Discrete Fourier transforms, made of matrix products: as many as factors.

A transform of n = p q points is q of p points, turned, then p of q points. Primes up
to a limit are one product with their matrix; a larger one is a convolution, which is
a transform of a power of two (Bluestein). Computed in float64.
"""

from __future__ import annotations

import math
from functools import lru_cache

from .. import _core, _ops
from .._array.device import device_like
from .._core import Tensor
from ._complex import Parts
from ._operands import filled

__all__: list[str] = []

# Up to this size a product with the whole matrix is quickest, and primes have one.
_DIRECT = 64


@lru_cache(maxsize=32)
def _cis(n: int, sign: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """cos and sin of sign 2 pi k / n for k < n. Kept as numbers: a tensor made while
    a function is recorded belongs to it."""
    angles = [2.0 * math.pi * k / n for k in range(n)]
    return tuple(map(math.cos, angles)), tuple(sign * math.sin(t) for t in angles)


def _turns(places: list[int], n: int, sign: int, like: Tensor) -> Parts:
    """cis(sign 2 pi k / n) of these k, where `like` is."""
    re, im = ([part[k % n] for k in places] for part in _cis(n, sign))
    return _there(re, like), _there(im, like)


def _there(numbers: list[float], like: Tensor) -> Tensor:
    made = _core.tensor(numbers, _core.float64)
    device = device_like(like, None)
    return made if device is None else made.to(device=device)


def _matrix(p: int, q: int, n: int, sign: int, like: Tensor) -> Parts:
    """cis(sign 2 pi j k / n) for j < p and k < q."""
    flat = _turns([j * k for j in range(p) for k in range(q)], n, sign, like)
    return _ops.reshape(flat[0], (p, q)), _ops.reshape(flat[1], (p, q))


def _times(a: Parts, b: Parts) -> Parts:
    (ar, ai), (br, bi) = a, b
    return (_ops.sub(_ops.mul(ar, br), _ops.mul(ai, bi)),
            _ops.add(_ops.mul(ar, bi), _ops.mul(ai, br)))  # fmt: skip


def _product(a: Parts, b: Parts) -> Parts:
    (ar, ai), (br, bi) = a, b
    return (_ops.sub(_core.matmul(ar, br), _core.matmul(ai, bi)),
            _ops.add(_core.matmul(ar, bi), _core.matmul(ai, br)))  # fmt: skip


def _factor(n: int) -> int:
    """The largest factor that is done at once; 1 where there is none."""
    return next((p for p in range(_DIRECT, 1, -1) if n % p == 0), 1)


def transform(x: Parts, sign: int) -> Parts:
    """The sums of x_j cis(sign 2 pi j k / n) over the last axis, not scaled."""
    n = int(x[0].shape[-1])  # the plan depends on it: decided, while recording
    if n <= _DIRECT:
        return x if n == 1 else _product(x, _matrix(n, n, n, sign, x[0]))
    p = _factor(n)
    if p == 1:
        return _prime(x, sign)
    q, batch = n // p, tuple(x[0].shape[:-1])
    grid = tuple(_ops.reshape(part, (*batch, p, q)) for part in x)
    short = _product(_matrix(p, p, p, sign, x[0]), (grid[0], grid[1]))
    re, im = transform(_times(short, _matrix(p, q, n, sign, x[0])), sign)
    back = (*range(len(batch)), len(batch) + 1, len(batch))
    return (_ops.reshape(_ops.transpose(re, back), (*batch, n)),
            _ops.reshape(_ops.transpose(im, back), (*batch, n)))  # fmt: skip


def _prime(x: Parts, sign: int) -> Parts:
    """2 j k = j^2 + k^2 - (k - j)^2 makes the transform a convolution."""
    n = int(x[0].shape[-1])
    size = 1 << (2 * n - 2).bit_length()
    chirp = _turns([j * j for j in range(n)], 2 * n, sign, x[0])
    behind = (chirp[0], _ops.neg(chirp[1]))
    around = tuple(
        _ops.concat([part, filled(part, (size - 2 * n + 1,), 0),
                     _ops.reverse(part[1:], (0,))], axis=0)
        for part in behind
    )  # fmt: skip
    turned = _times(x, chirp)
    padded = tuple(_end_zeros(part, size - n) for part in turned)
    spectrum = _times(transform((padded[0], padded[1]), -1),
                      transform((around[0], around[1]), -1))  # fmt: skip
    re, im = transform(spectrum, 1)
    scale = _core.tensor(1.0 / size, _core.float64)
    folded = (_ops.mul(re[..., :n], scale), _ops.mul(im[..., :n], scale))
    return _times(folded, chirp)


def _end_zeros(x: Tensor, count: int) -> Tensor:
    return _ops.concat([x, filled(x, (*x.shape[:-1], count), 0)], axis=-1)
