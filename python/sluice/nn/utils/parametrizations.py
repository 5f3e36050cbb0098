"""Norms of weights as parametrizations."""

from __future__ import annotations

from typing import Any

from ..._autograd import no_grad
from ..._core import Tensor
from .._module import Module
from ._norm_of_weights import (
    as_matrix,
    directions,
    follow,
    largest,
    lengths,
    spectral_axis,
)
from .parametrize import register_parametrization

__all__ = ["spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, g: Any, v: Any) -> Tensor:
        made: Tensor = v * (g / lengths(v, self.dim))
        return made

    def right_inverse(self, weight: Any) -> tuple[Tensor, Tensor]:
        return lengths(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Make a parameter the product of its lengths (original0) and directions
    (original1), which are learnt in its place."""
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, times: int, dim: int, eps: float) -> None:
        super().__init__()
        self.n_power_iterations, self.dim, self.eps = times, dim, eps
        with no_grad():
            u, v = directions(as_matrix(weight.detach(), dim), eps)
        self.register_buffer("_u", u)
        self.register_buffer("_v", v)

    def forward(self, weight: Any) -> Tensor:
        matrix = as_matrix(weight, self.dim)
        if self.training:
            turned = matrix.detach().t()  # so that the right vector is updated last
            follow(turned, self._v, self._u, self.n_power_iterations, self.eps)
        made: Tensor = weight / largest(matrix, self._u.clone(), self._v.clone())
        return made

    def right_inverse(self, value: Any) -> Tensor:
        made: Tensor = value
        return made


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a parameter by the largest factor by which it stretches a vector;
    while training each use comes closer to that."""
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"{type(module).__name__} has no parameter {name!r}")
    along = spectral_axis(module, n_power_iterations, dim)
    made = _SpectralNorm(weight, n_power_iterations, along, eps)
    return register_parametrization(module, name, made)
