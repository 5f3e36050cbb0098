"""Polynomials by their weights, the highest power first."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array.decompositions import vander
from .._array.shape import as_tensor
from .._core import Tensor

__all__ = ["poly1d", "polyfit", "polyval"]


def polyval(p: Any, x: Any) -> Tensor:
    """The value at x of the polynomial with these weights."""
    p, x = as_tensor(p), as_tensor(x)
    made = _ops.zeros_like(_ops.mul(x, p[0]))
    for weight in p:
        made = _ops.add(_ops.mul(made, x), weight)
    return made


def polyfit(x: Any, y: Any, deg: int) -> Tensor:
    """The weights of the polynomial nearest to points, by least squares."""
    from .. import linalg

    x, y = (_ops.cast(as_tensor(v), _core.float64) for v in (x, y))
    powers = vander(x, N=deg + 1).flip(1)
    made = linalg.lstsq(powers, y).solution
    return _ops.cast(made, _core.default_float())


class poly1d:
    """A polynomial that can be called."""

    def __init__(self, c: Any) -> None:
        self.coeffs = as_tensor(c)

    @property
    def order(self) -> int:
        """The highest power."""
        return int(self.coeffs.shape[0]) - 1

    def __call__(self, x: Any) -> Tensor:
        return polyval(self.coeffs, x)
