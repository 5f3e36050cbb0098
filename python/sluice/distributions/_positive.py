"""Distributions of positive numbers, of shares, and of quotients of such."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .. import _ops
from .._array.shape import as_tensor
from .._core import Tensor
from . import constraints as c
from ._base import Distribution, normal, parameters, uniform
from ._draws import gamma_draws

__all__ = [
    "Beta",
    "Chi2",
    "Exponential",
    "FisherSnedecor",
    "Gamma",
    "InverseGamma",
    "Pareto",
    "StudentT",
    "Weibull",
]

_EULER = 0.57721566490153286


class Exponential(Distribution):
    """Times between events that happen at a rate."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {"rate": c.positive}
    support = c.nonnegative
    has_rsample = True

    def __init__(self, rate: Any, validate_args: Any = None) -> None:
        (self.rate,) = parameters(rate)
        super().__init__(self.rate.shape, (), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        drawn = uniform(self._extended_shape(sample_shape), self.rate)
        return -_ops.log1p(-drawn) / self.rate

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        return _ops.log(self.rate) - self.rate * self._value(value)

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        return -_ops.expm1(-self.rate * self._value(value))

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        return -_ops.log1p(-as_tensor(value)) / self.rate

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return 1 - _ops.log(self.rate)

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return 1 / self.rate

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        return _ops.zeros_like(self.rate)

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.rate**-2


class Gamma(Distribution):
    """The gamma distribution of a concentration (the shape) and a rate."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "concentration": c.positive,
        "rate": c.positive,
    }
    support = c.nonnegative
    has_rsample = True

    def __init__(
        self, concentration: Any, rate: Any, validate_args: Any = None
    ) -> None:
        self.concentration, self.rate = parameters(concentration, rate)
        super().__init__(self.concentration.shape, (), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        shape = self._extended_shape(sample_shape)
        return gamma_draws(_ops.broadcast_to(self.concentration, shape)) / self.rate

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        value, a = self._value(value), self.concentration
        return (_ops.xlogy(a, self.rate) + _ops.xlogy(a - 1, value)
                - self.rate * value - _ops.lgamma(a))  # fmt: skip

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        return _ops.igamma(self.concentration, self.rate * self._value(value))

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        a = self.concentration
        return a - _ops.log(self.rate) + _ops.lgamma(a) + (1 - a) * _ops.digamma(a)

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        return _ops.maximum(self.concentration - 1, 0.0) / self.rate

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.concentration / self.rate**2


class Chi2(Gamma):
    """The sum of the squares of df normal numbers."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {"df": c.positive}

    def __init__(self, df: Any, validate_args: Any = None) -> None:
        (df,) = parameters(df)
        super().__init__(df / 2, _ops.ones_like(df) / 2, False)
        self.df = df
        Distribution.__init__(self, df.shape, (), validate_args)


class InverseGamma(Gamma):
    """One over numbers of the gamma distribution."""

    support = c.positive

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        return 1 / super().rsample(sample_shape)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        value = self._value(value)
        return super().log_prob(1 / value) - 2 * _ops.log(value)

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        return _ops.igammac(self.concentration, self.rate / self._value(value))

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        a = self.concentration
        return a + _ops.log(self.rate) + _ops.lgamma(a) - (1 + a) * _ops.digamma(a)

    @property
    def mean(self) -> Tensor:
        """The mean of draws: infinite up to a concentration of 1."""
        a = self.concentration
        return _ops.where(a > 1, self.rate / (a - 1), math.inf)

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        """The variance of draws: infinite up to a concentration of 2."""
        a = self.concentration
        made = self.rate**2 / ((a - 1) ** 2 * (a - 2))
        return _ops.where(a > 2, made, math.inf)


class Beta(Distribution):
    """Shares: a / (a + b) of two numbers of gamma distributions."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "concentration1": c.positive,
        "concentration0": c.positive,
    }
    support = c.unit_interval
    has_rsample = True

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: Any = None
    ) -> None:
        self.concentration1, self.concentration0 = parameters(
            concentration1, concentration0
        )
        super().__init__(self.concentration1.shape, (), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        shape = self._extended_shape(sample_shape)
        a = gamma_draws(_ops.broadcast_to(self.concentration1, shape))
        return a / (a + gamma_draws(_ops.broadcast_to(self.concentration0, shape)))

    def _total(self) -> Tensor:
        return self.concentration1 + self.concentration0

    def _log_norm(self) -> Tensor:
        return (_ops.lgamma(self.concentration1) + _ops.lgamma(self.concentration0)
                - _ops.lgamma(self._total()))  # fmt: skip

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        value = self._value(value)
        return (_ops.xlogy(self.concentration1 - 1, value)
                + _ops.xlogy(self.concentration0 - 1, 1 - value)
                - self._log_norm())  # fmt: skip

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        a, b, digamma = self.concentration1, self.concentration0, _ops.digamma
        return (self._log_norm() - (a - 1) * digamma(a) - (b - 1) * digamma(b)
                + (a + b - 2) * digamma(a + b))  # fmt: skip

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.concentration1 / self._total()

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density; NaN where both ends are."""
        a, b = self.concentration1, self.concentration0
        made = _ops.where(a > b, _ops.ones_like(a), _ops.zeros_like(a))
        inner = _ops.logical_and(a > 1, b > 1)
        made = _ops.where(inner, (a - 1) / (a + b - 2), made)
        both = _ops.logical_and(a <= 1, _ops.logical_and(b <= 1, _ops.equal(a, b)))
        return _ops.where(both, math.nan, made)

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        total = self._total()
        return self.concentration1 * self.concentration0 / (total**2 * (total + 1))


class StudentT(Distribution):
    """Student's t: a normal number over the root of a mean of df squares."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "df": c.positive,
        "loc": c.real,
        "scale": c.positive,
    }
    support = c.real
    has_rsample = True

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: Any = None
    ) -> None:
        self.df, self.loc, self.scale = parameters(df, loc, scale)
        super().__init__(self.df.shape, (), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        shape = self._extended_shape(sample_shape)
        squares = 2 * gamma_draws(_ops.broadcast_to(self.df / 2, shape))
        drawn = normal(shape, self.df) * _ops.rsqrt(squares / self.df)
        return self.loc + self.scale * drawn

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        z = (self._value(value) - self.loc) / self.scale
        half = (self.df + 1) / 2
        norm = (_ops.log(self.scale) + _ops.log(self.df * math.pi) / 2
                + _ops.lgamma(self.df / 2) - _ops.lgamma(half))  # fmt: skip
        return -half * _ops.log1p(z**2 / self.df) - norm

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        a, half = self.df / 2, (self.df + 1) / 2
        beta = _ops.lgamma(a) + math.lgamma(0.5) - _ops.lgamma(half)
        return (_ops.log(self.scale) + half * (_ops.digamma(half) - _ops.digamma(a))
                + _ops.log(self.df) / 2 + beta)  # fmt: skip

    @property
    def mean(self) -> Tensor:
        """The mean of draws: NaN up to 1 degree of freedom."""
        return _ops.where(self.df > 1, self.loc, math.nan)

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The variance of draws: infinite up to 2 degrees of freedom, NaN up to 1."""
        made = self.scale**2 * self.df / (self.df - 2)
        made = _ops.where(self.df > 2, made, math.inf)
        return _ops.where(self.df > 1, made, math.nan)


class FisherSnedecor(Distribution):
    """The quotient of two means of squares of df1 and df2 normal numbers."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "df1": c.positive,
        "df2": c.positive,
    }
    support = c.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: Any = None) -> None:
        self.df1, self.df2 = parameters(df1, df2)
        super().__init__(self.df1.shape, (), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        shape = self._extended_shape(sample_shape)
        a = gamma_draws(_ops.broadcast_to(self.df1 / 2, shape)) / self.df1
        return a / (gamma_draws(_ops.broadcast_to(self.df2 / 2, shape)) / self.df2)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        value, a, b = self._value(value), self.df1 / 2, self.df2 / 2
        ratio = self.df1 / self.df2
        beta = _ops.lgamma(a + b) - _ops.lgamma(a) - _ops.lgamma(b)
        return (beta + a * _ops.log(ratio) + (a - 1) * _ops.log(value)
                - (a + b) * _ops.log1p(ratio * value))  # fmt: skip

    @property
    def mean(self) -> Tensor:
        """The mean of draws: NaN up to df2 of 2."""
        return _ops.where(self.df2 > 2, self.df2 / (self.df2 - 2), math.nan)

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density: NaN up to df1 of 2."""
        made = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return _ops.where(self.df1 > 2, made, math.nan)

    @property
    def variance(self) -> Tensor:
        """The variance of draws: NaN up to df2 of 4."""
        a, b = self.df1, self.df2
        made = 2 * b**2 * (a + b - 2) / (a * (b - 2) ** 2 * (b - 4))
        return _ops.where(b > 4, made, math.nan)


class Pareto(Distribution):
    """Numbers above a scale that get rarer by a power."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "scale": c.positive,
        "alpha": c.positive,
    }
    has_rsample = True

    def __init__(self, scale: Any, alpha: Any, validate_args: Any = None) -> None:
        self.scale, self.alpha = parameters(scale, alpha)
        super().__init__(self.scale.shape, (), validate_args)

    @property
    def support(self) -> Any:  # type: ignore[override]
        """The values there are."""
        return c.greater_than_eq(self.scale)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        drawn = uniform(self._extended_shape(sample_shape), self.scale)
        return self.scale * _ops.exp(-_ops.log(drawn) / self.alpha)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        logs = _ops.log(self._value(value))
        return (_ops.log(self.alpha) + self.alpha * _ops.log(self.scale)
                - (self.alpha + 1) * logs)  # fmt: skip

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        return 1 - (self.scale / self._value(value)) ** self.alpha

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        return self.scale * (1 - as_tensor(value)) ** (-1 / self.alpha)

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return _ops.log(self.scale / self.alpha) + (1 + 1 / self.alpha)

    @property
    def mean(self) -> Tensor:
        """The mean of draws: infinite up to an alpha of 1."""
        made = self.alpha * self.scale / (self.alpha - 1)
        return _ops.where(self.alpha > 1, made, math.inf)

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The variance of draws: infinite up to an alpha of 2."""
        a = self.alpha
        made = self.scale**2 * a / ((a - 1) ** 2 * (a - 2))
        return _ops.where(a > 2, made, math.inf)


class Weibull(Distribution):
    """Times to failure: a power of exponential numbers."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "scale": c.positive,
        "concentration": c.positive,
    }
    support = c.positive
    has_rsample = True

    def __init__(
        self, scale: Any, concentration: Any, validate_args: Any = None
    ) -> None:
        self.scale, self.concentration = parameters(scale, concentration)
        super().__init__(self.scale.shape, (), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        drawn = uniform(self._extended_shape(sample_shape), self.scale)
        return self.scale * (-_ops.log1p(-drawn)) ** (1 / self.concentration)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density."""
        z, k = self._value(value) / self.scale, self.concentration
        return _ops.log(k / self.scale) + (k - 1) * _ops.log(z) - z**k

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        return -_ops.expm1(-((self._value(value) / self.scale) ** self.concentration))

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        logs = -_ops.log1p(-as_tensor(value))
        return self.scale * logs ** (1 / self.concentration)

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        k = self.concentration
        return _EULER * (1 - 1 / k) + _ops.log(self.scale / k) + 1

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.scale * _ops.exp(_ops.lgamma(1 + 1 / self.concentration))

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        k = self.concentration
        return self.scale * (_ops.maximum(k - 1, 0.0) / k) ** (1 / k)

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        one = _ops.lgamma(1 + 1 / self.concentration)
        two = _ops.lgamma(1 + 2 / self.concentration)
        return self.scale**2 * (_ops.exp(two) - _ops.exp(2 * one))
