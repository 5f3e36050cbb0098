"""Distributions of counts and classes."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .. import _core, _ops
from .._array.create import arange
from .._array.device import beside
from .._array.layers import log_softmax
from .._array.pick import take_along_dim
from .._array.reduce import logsumexp
from .._array.shape import as_tensor, broadcast_arrays
from .._autograd import no_grad
from .._core import Tensor
from . import constraints as c
from ._base import Distribution, parameters, uniform
from ._draws import gamma_draws

__all__ = [
    "Bernoulli",
    "Binomial",
    "Categorical",
    "Geometric",
    "Multinomial",
    "NegativeBinomial",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Poisson",
]


def _one_of(probs: Any, logits: Any, what: str) -> bool:
    """Whether it is probs that were given."""
    if (probs is None) == (logits is None):
        raise ValueError(f"{what}: wanted either probs or logits")
    return probs is not None


def _softplus(x: Tensor) -> Tensor:
    """log(1 + e^x)."""
    return _ops.maximum(x, 0.0) + _ops.log1p(_ops.exp(-_ops.abs(x)))


def _inside(p: Tensor) -> Tensor:
    """Chances without the ends, whose logarithms are infinite."""
    eps = {"float64": 2.3e-16, "float16": 1e-3, "bfloat16": 8e-3}.get(p.dtype.name)
    return _ops.clip(p, eps or 1.2e-7, 1.0 - (eps or 1.2e-7))


class _Chances(Distribution):
    """A chance for each of a batch, or its log-odds."""

    def _take(self, probs: Any, logits: Any, *more: Any) -> list[Tensor]:
        given = _one_of(probs, logits, type(self).__name__)
        first, *rest = parameters(probs if given else logits, *more)
        if given:
            self.probs, self._given = first, "probs"
        else:
            self.logits, self._given = first, "logits"
        return [first, *rest]

    def __getattr__(self, name: str) -> Any:
        # The one of probabilities and log-odds that was not given.
        values = vars(self)
        if name == "probs" and "logits" in values:
            return _ops.sigmoid(values["logits"])
        if name == "logits" and "probs" in values:
            p = _inside(values["probs"])
            return _ops.log(p) - _ops.log1p(-p)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def _log_chances(self) -> tuple[Tensor, Tensor]:
        """The logarithms of p and of 1 - p."""
        logits = self.logits
        return -_softplus(-logits), -_softplus(logits)


class Bernoulli(_Chances):
    """1 with a chance, else 0."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "probs": c.unit_interval,
        "logits": c.real,
    }
    support = c.boolean
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        (first,) = self._take(probs, logits)
        super().__init__(first.shape, (), validate_args)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, as many as the shape says for each of the batch."""
        with no_grad():
            shape = self._extended_shape(sample_shape)
            return _ops.bernoulli(_ops.broadcast_to(self.probs, shape))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the chance."""
        value = _ops.cast(self._value(value), self.logits.dtype)
        yes, no = self._log_chances()
        return value * yes + (1 - value) * no

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        yes, no = self._log_chances()
        return -(self.probs * yes + (1 - self.probs) * no)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """0 and 1, along the first axis."""
        made = beside(self.probs, arange(2)).to(self.probs.dtype)
        made = made.reshape(2, *[1] * len(self.batch_shape))
        return _ops.broadcast_to(made, (2, *self.batch_shape)) if expand else made

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The more probable value; NaN if both are equally probable."""
        p = self.probs
        made = _ops.cast(p >= 0.5, p.dtype)
        return _ops.where(_ops.equal(p, 0.5), math.nan, made)

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.probs * (1 - self.probs)


class Geometric(_Chances):
    """How many failures there are before something succeeds."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "probs": c.unit_interval,
        "logits": c.real,
    }
    support = c.nonnegative_integer

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        (first,) = self._take(probs, logits)
        super().__init__(first.shape, (), validate_args)
        if self._validate_args and self._given == "probs":
            self._want(self.probs, c.positive, "parameter probs")

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, as many as the shape says for each of the batch."""
        with no_grad():
            drawn = uniform(self._extended_shape(sample_shape), self.probs)
            return _ops.floor(_ops.log(drawn) / _ops.log1p(-_inside(self.probs)))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the chance."""
        value = self._value(value)
        p = self.probs
        sure = _ops.logical_and(_ops.equal(p, 1), _ops.equal(value, 0))
        rest = _ops.where(sure, _ops.zeros_like(p), p)
        return value * _ops.log1p(-rest) + _ops.log(p)

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        p = _inside(self.probs)
        return -(_ops.log(p) + (1 - p) / p * _ops.log1p(-p))

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return 1 / self.probs - 1

    @property
    def mode(self) -> Tensor:
        """The likeliest value."""
        return _ops.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return (1 / self.probs - 1) / self.probs


class Binomial(_Chances):
    """How many of total_count trials succeed."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "total_count": c.nonnegative_integer,
        "probs": c.unit_interval,
        "logits": c.real,
    }

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None,
        validate_args: Any = None,
    ) -> None:  # fmt: skip
        first, self.total_count = self._take(probs, logits, total_count)
        super().__init__(first.shape, (), validate_args)

    @property
    def support(self) -> Any:  # type: ignore[override]
        """The values there are."""
        return c.integer_interval(0, self.total_count)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, as many as the shape says for each of the batch."""
        with no_grad():
            shape = self._extended_shape(sample_shape)
            most = int(_ops.max(self.total_count)) if 0 not in shape else 0
            drawn = uniform((most, *shape), self.probs)
            trial = beside(drawn, arange(most)).reshape(most, *[1] * len(shape))
            hit = _ops.logical_and(drawn < self.probs, trial < self.total_count)
            return _ops.sum(_ops.cast(hit, self.probs.dtype), (0,))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the chance."""
        value, n = _ops.cast(self._value(value), self.probs.dtype), self.total_count
        ways = _ops.lgamma(n + 1) - _ops.lgamma(value + 1) - _ops.lgamma(n - value + 1)
        yes, no = self._log_chances()
        return ways + value * yes + (n - value) * no

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """0 up to the count, which is one number, along the first axis."""
        most = int(_ops.max(self.total_count))
        if int(_ops.min(self.total_count)) != most:
            raise NotImplementedError("Binomial: several counts; wanted one")
        made = beside(self.probs, arange(1 + most)).to(self.probs.dtype)
        made = made.reshape(1 + most, *[1] * len(self.batch_shape))
        if expand:
            made = _ops.broadcast_to(made, (1 + most, *self.batch_shape))
        return made

    has_enumerate_support = True

    def entropy(self) -> Tensor:
        """The mean of -log_prob, of one count."""
        logs = self.log_prob(self.enumerate_support(False))
        return -_ops.sum(_ops.exp(logs) * logs, (0,))

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        """The likeliest value."""
        return _ops.minimum(_ops.floor((self.total_count + 1) * self.probs),
                            self.total_count)  # fmt: skip

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.total_count * self.probs * (1 - self.probs)


class NegativeBinomial(_Chances):
    """How many successes there are before total_count failures."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "total_count": c.nonnegative,
        "probs": c.half_open_interval(0, 1),
        "logits": c.real,
    }
    support = c.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None,
        validate_args: Any = None,
    ) -> None:  # fmt: skip
        first, self.total_count = self._take(probs, logits, total_count)
        super().__init__(first.shape, (), validate_args)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, as many as the shape says for each of the batch."""
        with no_grad():
            shape = self._extended_shape(sample_shape)
            rate = gamma_draws(_ops.broadcast_to(self.total_count, shape))
            return _ops.random_poisson(rate * _ops.exp(self.logits))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the chance."""
        value, n = _ops.cast(self._value(value), self.probs.dtype), self.total_count
        yes, no = self._log_chances()
        ways = _ops.lgamma(n + value) - _ops.lgamma(value + 1) - _ops.lgamma(n)
        ways = _ops.where(_ops.equal(n + value, 0), 0.0, ways)
        return ways + n * no + value * yes

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.total_count * _ops.exp(self.logits)

    @property
    def mode(self) -> Tensor:
        """The likeliest value."""
        made = _ops.floor((self.total_count - 1) * _ops.exp(self.logits))
        return _ops.maximum(made, 0.0)

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.mean / _ops.sigmoid(-self.logits)


class Poisson(Distribution):
    """How many events there are that happen at a rate."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {"rate": c.nonnegative}
    support = c.nonnegative_integer

    def __init__(self, rate: Any, validate_args: Any = None) -> None:
        (self.rate,) = parameters(rate)
        super().__init__(self.rate.shape, (), validate_args)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, as many as the shape says for each of the batch."""
        with no_grad():
            shape = self._extended_shape(sample_shape)
            return _ops.random_poisson(_ops.broadcast_to(self.rate, shape))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the chance."""
        value = _ops.cast(self._value(value), self.rate.dtype)
        return _ops.xlogy(value, self.rate) - self.rate - _ops.lgamma(value + 1)

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.rate

    @property
    def mode(self) -> Tensor:
        """The likeliest value."""
        return _ops.floor(self.rate)

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.rate


class _Classes(Distribution):
    """Chances of classes along the last axis, or their logarithms and a constant."""

    def _take(self, probs: Any, logits: Any) -> Tensor:
        given = _one_of(probs, logits, type(self).__name__)
        (first,) = parameters(probs if given else logits)
        if first.ndim < 1:
            raise ValueError(
                f"{type(self).__name__}: a chance without axes; wanted the classes "
                "along the last axis"
            )
        if given:
            if self._validate_args:
                self._want(first, c.nonnegative, "parameter probs")
            self.probs = first / _ops.sum(first, (-1,), True)
            self.logits = _ops.log(_inside(self.probs))
        else:
            self.logits = log_softmax(first, -1)
            self.probs = _ops.exp(self.logits)
        return first


class Categorical(_Classes):
    """A class, 0 or higher, by the chances of all."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "probs": c.simplex,
        "logits": c.real_vector,
    }
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        first = self._take(probs, logits)
        self._num_events = int(first.shape[-1])
        super().__init__(first.shape[:-1], (), validate_args)

    @property
    def support(self) -> Any:  # type: ignore[override]
        """The values there are."""
        return c.integer_interval(0, self._num_events - 1)

    @property
    def param_shape(self) -> Any:
        """The shape of the chances."""
        return self.logits.shape

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, as many as the shape says for each of the batch."""
        with no_grad():
            shape = (*self._extended_shape(sample_shape), self._num_events)
            noise = -_ops.log(-_ops.log(uniform(shape, self.probs)))
            return (_ops.log(self.probs) + noise).argmax(-1)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the chance."""
        value = _ops.expand_dims(_ops.cast(self._value(value), _core.int64), -1)
        value, logits = broadcast_arrays(value, self.logits)
        return take_along_dim(logits, value[..., :1], -1)[..., 0]

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        least = {"float64": -1.7e308, "float16": -6.5e4}.get(self.logits.dtype.name)
        logits = _ops.maximum(self.logits, least or -3.3e38)
        return -_ops.sum(logits * self.probs, (-1,))

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All classes, along the first axis."""
        made = beside(self.probs, arange(self._num_events))
        made = made.reshape(-1, *[1] * len(self.batch_shape))
        if expand:
            made = _ops.broadcast_to(made, (self._num_events, *self.batch_shape))
        return made

    @property
    def mean(self) -> Tensor:
        """NaN: classes have no mean."""
        return _ops.zeros_like(self.probs[..., 0]) + math.nan

    @property
    def mode(self) -> Tensor:
        """The likeliest class."""
        return self.probs.argmax(-1)

    @property
    def variance(self) -> Tensor:
        """NaN: classes have no variance."""
        return self.mean


class OneHotCategorical(_Classes):
    """A class as a vector with a 1 at its place."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "probs": c.simplex,
        "logits": c.real_vector,
    }
    support = c.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        first = self._take(probs, logits)
        super().__init__(first.shape[:-1], first.shape[-1:], validate_args)

    def _hot(self, places: Tensor) -> Tensor:
        n = int(self.event_shape[0])
        return _ops.cast(_ops.equal(_ops.expand_dims(places, -1),
                                    beside(self.probs, arange(n))),
                         self.probs.dtype)  # fmt: skip

    def _single(self) -> Categorical:
        return Categorical(logits=self.logits, validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, as many as the shape says for each of the batch."""
        return self._hot(self._single().sample(sample_shape))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the chance."""
        return self._single().log_prob(self._value(value).argmax(-1))

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return self._single().entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All vectors, along the first axis."""
        return self._hot(self._single().enumerate_support(expand))

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The likeliest vector."""
        return self._hot(self.probs.argmax(-1))

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.probs * (1 - self.probs)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """The same, with the gradients of the chances for those of the draws."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with the gradients of the chances."""
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


class Multinomial(_Classes):
    """How often each class is drawn, of total_count draws."""

    arg_constraints: ClassVar[dict[str, c.Constraint]] = {
        "probs": c.simplex,
        "logits": c.real_vector,
    }

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None,
        validate_args: Any = None,
    ) -> None:  # fmt: skip
        if not isinstance(total_count, int):
            raise NotImplementedError(
                f"Multinomial: total_count is a {type(total_count).__name__}; wanted "
                "an int"
            )
        self.total_count = total_count
        first = self._take(probs, logits)
        super().__init__(first.shape[:-1], first.shape[-1:], validate_args)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, as many as the shape says for each of the batch."""
        one = OneHotCategorical(logits=self.logits, validate_args=False)
        return _ops.sum(one.sample((self.total_count, *sample_shape)), (0,))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the chance."""
        value = _ops.cast(as_tensor(value), self.logits.dtype)
        if self._validate_args:
            self._want(value, c.nonnegative_integer, "the value")
            whole = c.interval(self.total_count, self.total_count)
            self._want(_ops.sum(value, (-1,)), whole, "the sum of the value")
        ways = _ops.lgamma(_ops.sum(value, (-1,)) + 1)
        ways = ways - _ops.sum(_ops.lgamma(value + 1), (-1,))
        logits = self.logits - logsumexp(self.logits, -1, True)
        none = _ops.logical_and(_ops.equal(value, 0), _ops.equal(self.probs, 0))
        logits = _ops.where(none, 0.0, logits)
        return ways + _ops.sum(value * logits, (-1,))

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.total_count * self.probs

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.total_count * self.probs * (1 - self.probs)
