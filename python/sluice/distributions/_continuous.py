"""Distributions of real numbers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .. import _ops
from .._array.shape import as_tensor
from .._core import Tensor
from . import constraints as c
from ._base import Distribution, Shape, normal, parameters, uniform

__all__ = [
    "Cauchy",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Laplace",
    "LogNormal",
    "Normal",
    "Uniform",
]

_LOG_TWO_PI = math.log(2 * math.pi)
_EULER = 0.57721566490153286


class _LocScale(Distribution):
    """The base of scaled and shifted standard distributions."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "loc": c.real,
        "scale": c.positive,
    }
    support = c.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: Any = None) -> None:
        self.loc, self.scale = parameters(loc, scale)
        super().__init__(self.loc.shape, (), validate_args)

    def _standard(self, shape: Shape) -> Tensor:
        raise NotImplementedError

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        drawn = self._standard(self._extended_shape(sample_shape))
        return self.loc + self.scale * drawn

    def _scaled(self, value: Any) -> Tensor:
        return (self._value(value) - self.loc) / self.scale

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        return self.loc


class Normal(_LocScale):
    """Normal numbers of a mean and a standard deviation."""

    def _standard(self, shape: Shape) -> Tensor:
        return normal(shape, self.loc)

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.scale**2

    @property
    def stddev(self) -> Tensor:
        """The root of the variance."""
        return self.scale

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        z = self._scaled(value)
        return -(z**2) / 2 - _ops.log(self.scale) - _LOG_TWO_PI / 2

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        return _ops.erfc(self._scaled(value) * -math.sqrt(0.5)) / 2

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        from ..special import ndtri

        return self.loc + self.scale * ndtri(as_tensor(value))

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return _ops.log(self.scale) + (0.5 + _LOG_TWO_PI / 2)


class LogNormal(Normal):
    """e to normal numbers; loc and scale are those of the logarithm."""

    support = c.positive

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        return _ops.exp(super().rsample(sample_shape))

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return _ops.exp(self.loc + self.scale**2 / 2)

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        return _ops.exp(self.loc - self.scale**2)

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        square = self.scale**2
        return _ops.expm1(square) * _ops.exp(2 * self.loc + square)

    @property
    def stddev(self) -> Tensor:
        """The root of the variance."""
        return _ops.sqrt(self.variance)

    def _scaled(self, value: Any) -> Tensor:
        return (_ops.log(self._value(value)) - self.loc) / self.scale

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        return super().log_prob(value) - _ops.log(as_tensor(value))

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        return _ops.exp(super().icdf(value))

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return super().entropy() + self.loc


class Laplace(_LocScale):
    """Two exponential distributions, back to back."""

    def _standard(self, shape: Shape) -> Tensor:
        u = uniform(shape, self.loc) * 2 - 1
        return -_ops.sign(u) * _ops.log1p(-_ops.abs(u))

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return 2 * self.scale**2

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        return -_ops.abs(self._scaled(value)) - _ops.log(2 * self.scale)

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        z = self._scaled(value)
        return 0.5 - 0.5 * _ops.sign(z) * _ops.expm1(-_ops.abs(z))

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        half = as_tensor(value) - 0.5
        return self.loc - self.scale * _ops.sign(half) * _ops.log1p(-2 * _ops.abs(half))

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return 1 + _ops.log(2 * self.scale)


class Cauchy(_LocScale):
    """The quotient of two normal numbers: it has no mean."""

    def _standard(self, shape: Shape) -> Tensor:
        return _ops.tan((uniform(shape, self.loc) - 0.5) * math.pi)

    @property
    def mean(self) -> Tensor:
        """NaN: there is none."""
        return _ops.zeros_like(self.loc) + math.nan

    @property
    def variance(self) -> Tensor:
        """Infinite."""
        return _ops.zeros_like(self.loc) + math.inf

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        z = self._scaled(value)
        return -math.log(math.pi) - _ops.log(self.scale) - _ops.log1p(z**2)

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        return _ops.atan(self._scaled(value)) / math.pi + 0.5

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        return self.loc + self.scale * _ops.tan(math.pi * (as_tensor(value) - 0.5))

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return math.log(4 * math.pi) + _ops.log(self.scale)


class Gumbel(_LocScale):
    """The largest of many numbers: -log(-log(u)) of a uniform u."""

    def _standard(self, shape: Shape) -> Tensor:
        return -_ops.log(-_ops.log(uniform(shape, self.loc)))

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.loc + self.scale * _EULER

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.scale**2 * (math.pi**2 / 6)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        z = -self._scaled(value)
        return z - _ops.exp(z) - _ops.log(self.scale)

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        return _ops.exp(-_ops.exp(-self._scaled(value)))

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        return self.loc - self.scale * _ops.log(-_ops.log(as_tensor(value)))

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return _ops.log(self.scale) + (1 + _EULER)


class _Half(Distribution):
    """The absolute value of what is around 0."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {"scale": c.positive}
    support = c.nonnegative
    has_rsample = True
    _whole: type[_LocScale]

    def __init__(self, scale: Any, validate_args: Any = None) -> None:
        (self.scale,) = parameters(scale)
        self._base = self._whole(_ops.zeros_like(self.scale), self.scale, False)
        super().__init__(self.scale.shape, (), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        return _ops.abs(self._base.rsample(sample_shape))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        value = self._value(value)
        made = self._base.log_prob(value) + math.log(2)
        return _ops.where(value >= 0, made, -math.inf)

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        return 2 * self._base.cdf(self._value(value)) - 1

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        return self._base.icdf((as_tensor(value) + 1) / 2)

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return self._base.entropy() - math.log(2)

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        return _ops.zeros_like(self.scale)


class HalfNormal(_Half):
    """The absolute value of normal numbers around 0."""

    _whole = Normal

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.scale**2 * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """The absolute value of Cauchy's numbers around 0."""

    _whole = Cauchy

    @property
    def mean(self) -> Tensor:
        """Infinite."""
        return _ops.zeros_like(self.scale) + math.inf

    @property
    def variance(self) -> Tensor:
        """Infinite."""
        return _ops.zeros_like(self.scale) + math.inf


class Uniform(Distribution):
    """Numbers from low up to high, all alike."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {"low": c.real, "high": c.real}
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: Any = None) -> None:
        self.low, self.high = parameters(low, high)
        super().__init__(self.low.shape, (), validate_args)
        if self._validate_args:
            self._want(self.high - self.low, c.positive, "high - low")

    @property
    def support(self) -> Any:  # type: ignore[override]
        """The values there are."""
        return c.interval(self.low, self.high)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        drawn = uniform(self._extended_shape(sample_shape), self.low)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        value = self._value(value)
        inside = _ops.logical_and(value >= self.low, value < self.high)
        return _ops.where(inside, -_ops.log(self.high - self.low), -math.inf)

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        share = (self._value(value) - self.low) / (self.high - self.low)
        return _ops.clip(share, 0.0, 1.0)

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        return self.low + as_tensor(value) * (self.high - self.low)

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return _ops.log(self.high - self.low)

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return (self.low + self.high) / 2

    @property
    def mode(self) -> Tensor:
        """NaN: all values have the same density."""
        return self.low + math.nan

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return (self.high - self.low) ** 2 / 12
