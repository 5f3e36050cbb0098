"""Polynomials by their weights, the highest power first."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array.error_functions import floats as real_floats
from .._array.observations import vander
from .._array.shape import as_tensor
from .._core import Tensor
from .linalg import eigvals

__all__ = ["poly1d", "polyfit", "polyval", "roots"]


def polyval(p: Any, x: Any) -> Tensor:
    """The value at x of the polynomial with these weights."""
    p, x = as_tensor(p.coeffs if isinstance(p, poly1d) else p), as_tensor(x)
    if p.ndim != 1:
        raise ValueError(f"polyval(): p has {p.ndim} axes; wanted a vector")
    if not p.shape[0]:
        return _ops.zeros_like(x)
    kind = _core.promote_types(p.dtype, x.dtype)
    p, x = _ops.cast(p, kind), _ops.cast(x, kind)
    made = _ops.zeros_like(_ops.mul(x, p[0]))
    for weight in p:
        made = _ops.add(_ops.mul(made, x), weight)
    return made


def roots(p: Any) -> Tensor:
    """Where the polynomial with these weights is 0: eigenvalues, the largest first."""
    p = real_floats(p, "roots")
    if p.ndim != 1:
        raise ValueError(f"roots(): p has {p.ndim} axes; wanted a vector")
    there = p.nonzero()
    if not len(there):
        return p[:0]
    first, last = int(there[0]), int(there[-1])
    zeros = p[last + 1 :]
    p = p[first : last + 1]
    n = int(p.shape[0]) - 1
    if n == 0:
        return zeros
    top = _ops.neg(_ops.div(p[1:], p[0]))
    below = _ops.eye(n, dtype=p.dtype)[: n - 1]
    made = eigvals(_ops.concat([_ops.expand_dims(top, 0), below], axis=0))
    made = made.flip(0)
    return _ops.concat([made, _ops.cast(zeros, made.dtype)], axis=0)


def polyfit(x: Any, y: Any, deg: int) -> Tensor:
    """The weights of the polynomial nearest to points, by least squares."""
    from .. import linalg

    kind = _core.promote_types(*(real_floats(v, "polyfit").dtype for v in (x, y)))
    x, y = (_ops.cast(as_tensor(v), _core.float64) for v in (x, y))
    if deg < 0 or x.ndim != 1 or y.ndim not in (1, 2) or x.shape[0] != y.shape[0]:
        raise ValueError(f"polyfit(): x is {list(x.shape)}, y {list(y.shape)}, deg "
                         f"{deg}; wanted a vector, as many rows, and 0 or more")
    powers = vander(x, deg + 1)
    made = linalg.lstsq(powers, y).solution
    return _ops.cast(made, kind)


class poly1d:
    """A polynomial that can be called. Zeros before its highest power are left out."""

    def __init__(self, c: Any) -> None:
        c = as_tensor(c.coeffs if isinstance(c, poly1d) else c)
        c = _ops.reshape(c, (1,)) if c.ndim == 0 else c
        if c.ndim != 1:
            raise ValueError(f"poly1d(): c has {c.ndim} axes; wanted a vector")
        there = [i for i, v in enumerate(c.tolist()) if v]
        last = int(c.shape[0]) - 1
        self.coeffs = c[(there[0] if there else max(last, 0)) :]

    @property
    def order(self) -> int:
        """The highest power."""
        return int(self.coeffs.shape[0]) - 1

    def __call__(self, x: Any) -> Tensor:
        return polyval(self.coeffs, x)
