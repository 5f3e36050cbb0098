"""Distributions of vectors."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .. import _core, _ops
from .._array.create import arange
from .._array.device import beside
from .._array.shape import as_tensor, broadcast_shapes
from .._core import Tensor
from . import constraints as c
from ._base import Distribution, normal, parameters
from ._draws import gamma_draws

__all__ = ["Dirichlet", "MultivariateNormal"]


class Dirichlet(Distribution):
    """Shares that add up to 1."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {"concentration": c.positive}
    support = c.simplex
    has_rsample = True

    def __init__(self, concentration: Any, validate_args: Any = None) -> None:
        (self.concentration,) = parameters(concentration)
        shape = self.concentration.shape
        if not shape:
            raise ValueError("Dirichlet: concentration has no axes; wanted a vector")
        super().__init__(shape[:-1], shape[-1:], validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        shape = self._extended_shape(sample_shape)
        drawn = gamma_draws(_ops.broadcast_to(self.concentration, shape))
        return drawn / _ops.sum(drawn, (-1,), True)

    def _total(self, keep: bool = False) -> Tensor:
        return _ops.sum(self.concentration, (-1,), keep)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        a = self.concentration
        return (_ops.sum(_ops.xlogy(a - 1, self._value(value)), (-1,))
                + _ops.lgamma(self._total())
                - _ops.sum(_ops.lgamma(a), (-1,)))  # fmt: skip

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        a, total = self.concentration, self._total()
        parts = _ops.sum((a - 1) * _ops.digamma(a), (-1,))
        return (_ops.sum(_ops.lgamma(a), (-1,)) - _ops.lgamma(total)
                - (int(a.shape[-1]) - total) * _ops.digamma(total) - parts)  # fmt: skip

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.concentration / self._total(True)

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density; a corner where none is inside."""
        a = self.concentration
        less = _ops.maximum(a - 1, 0.0)
        made = less / _ops.sum(less, (-1,), True)
        corner = _ops.equal(beside(a, arange(int(a.shape[-1]))),
                            _ops.expand_dims(a.argmax(-1), -1))
        at_all = _ops.expand_dims(_ops.all_of(a < 1, (-1,)), -1)
        return _ops.where(at_all, _ops.cast(corner, a.dtype), made)

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        total = self._total(True)
        a = self.concentration
        return a * (total - a) / (total**2 * (total + 1))


class MultivariateNormal(Distribution):
    """Normal vectors of a mean and a covariance: its matrix, the inverse of that, or
    its lower triangular factor."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "loc": c.real_vector,
        "covariance_matrix": c.positive_definite,
        "precision_matrix": c.positive_definite,
        "scale_tril": c.lower_cholesky,
    }
    support = c.real_vector
    has_rsample = True

    def __init__(
        self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None,
        scale_tril: Any = None, validate_args: Any = None,
    ) -> None:  # fmt: skip
        given = [covariance_matrix, precision_matrix, scale_tril]
        if sum(m is not None for m in given) != 1:
            raise ValueError(
                "MultivariateNormal: wanted one of covariance_matrix, precision_matrix "
                "and scale_tril"
            )
        loc = as_tensor(loc)
        matrix = as_tensor(next(m for m in given if m is not None))
        if loc.ndim < 1 or matrix.ndim < 2:
            raise ValueError("MultivariateNormal: wanted a vector and a matrix")
        event = tuple(loc.shape[-1:])
        batch = tuple(broadcast_shapes(loc.shape[:-1], matrix.shape[:-2]))
        self.loc = _ops.broadcast_to(loc, (*batch, *event))
        matrix = _ops.broadcast_to(matrix, (*batch, *matrix.shape[-2:]))
        if covariance_matrix is not None:
            self.covariance_matrix = matrix
        elif precision_matrix is not None:
            self.precision_matrix = matrix
        else:
            self.scale_tril = matrix
        super().__init__(batch, event, validate_args)
        if "scale_tril" not in vars(self):
            whole = matrix if precision_matrix is None else _ops.inverse(matrix)
            self.scale_tril = _ops.cholesky(whole)

    def __getattr__(self, name: str) -> Any:
        if name in ("covariance_matrix", "precision_matrix"):
            tril = vars(self)["scale_tril"]
            made = _core.matmul(tril, tril.mT)
            return made if name == "covariance_matrix" else _ops.inverse(made)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        drawn = normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + _core.matmul(self.scale_tril, drawn[..., None])[..., 0]

    def _half_log_det(self) -> Tensor:
        return _ops.sum(_ops.log(self.scale_tril.diagonal(0, -2, -1)), (-1,))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        off = (self._value(value) - self.loc)[..., None]
        tril = _ops.broadcast_to(self.scale_tril,
                                 (*off.shape[:-2], *self.scale_tril.shape[-2:]))
        z = _ops.triangular_solve(tril, off, left=True, lower=True,
                                  unit_diagonal=False)[..., 0]  # fmt: skip
        n = int(self.event_shape[0])
        return (-(_ops.sum(z**2, (-1,)) + n * math.log(2 * math.pi)) / 2
                - self._half_log_det())  # fmt: skip

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        n = int(self.event_shape[0])
        return self._half_log_det() + n * (1 + math.log(2 * math.pi)) / 2

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        return _ops.sum(self.scale_tril**2, (-1,))

