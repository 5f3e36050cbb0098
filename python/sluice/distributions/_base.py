"""What all distributions are: shapes of a batch and of one event, draws, logarithms
of densities."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import _core, _ops
from .._array.draws import rand, randn
from .._array.shape import as_tensor, broadcast_arrays
from .._autograd import no_grad
from .._core import Tensor
from .constraints import Constraint

__all__ = ["Distribution", "Independent"]

Shape = tuple[Any, ...]


class Distribution:
    """A batch of distributions over events.

    sample() draws without gradients, rsample() with those by the parameters, where
    has_rsample says so. validate_args=False: parameters and values are not checked;
    they never are in a function that is captured.
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: ClassVar[dict[str, Constraint]] = {}
    support: Any = None
    _validate_args = True

    def __init__(
        self,
        batch_shape: Shape = (),
        event_shape: Shape = (),
        validate_args: Any = None,
    ) -> None:
        self._batch_shape, self._event_shape = tuple(batch_shape), tuple(event_shape)
        if validate_args is not None:
            self._validate_args = bool(validate_args)
        if self._validate_args:
            for name, constraint in self.arg_constraints.items():
                if name in vars(self):
                    self._want(getattr(self, name), constraint, f"parameter {name}")

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions validate their arguments."""
        Distribution._validate_args = bool(value)

    def _want(self, value: Any, constraint: Constraint, what: str) -> None:
        value = as_tensor(value)
        if value.symbolic or bool(_ops.all_of(constraint.check(value))):
            return
        raise ValueError(
            f"{type(self).__name__}: {what} is {value.detach()}; wanted it in "
            f"{constraint}"
        )

    def _value(self, value: Any) -> Tensor:
        """The value as a tensor, checked to be in the support."""
        value = as_tensor(value)
        if self._validate_args and isinstance(self.support, Constraint):
            self._want(value, self.support, "the value")
        return value

    @property
    def batch_shape(self) -> Shape:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Shape:
        """The shape of one event."""
        return self._event_shape

    def _extended_shape(self, sample_shape: Any = ()) -> Shape:
        return (*sample_shape, *self._batch_shape, *self._event_shape)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, as many as the shape says for each of the batch."""
        with no_grad():
            return self.rsample(sample_shape)

    def sample_n(self, n: int) -> Tensor:
        """n draws for each of the batch."""
        return self.sample((n,))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        raise NotImplementedError(
            f"{type(self).__name__}: draws have no gradients; wanted sample()"
        )

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density (of the chance, of discrete values)."""
        raise self._none("log_prob")

    def cdf(self, value: Any) -> Tensor:
        """The chance of a draw up to the value."""
        raise self._none("cdf")

    def icdf(self, value: Any) -> Tensor:
        """The inverse of cdf."""
        raise self._none("icdf")

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        raise self._none("entropy")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values there are, along the first axis."""
        raise self._none("enumerate_support")

    def _none(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} has no {what}()")

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        raise self._none("mean")

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        raise self._none("mode")

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        raise self._none("variance")

    @property
    def stddev(self) -> Tensor:
        """The root of the variance."""
        return _ops.sqrt(self.variance)

    def perplexity(self) -> Tensor:
        """e to the entropy."""
        return _ops.exp(self.entropy())

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """The same with parameters repeated to a batch shape."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        before = len(self._batch_shape)
        for name, value in vars(self).items():
            if isinstance(value, Tensor):
                tail = tuple(value.shape[before:])
                if tuple(value.shape[:before]) == self._batch_shape:
                    vars(made)[name] = _ops.broadcast_to(value, (*batch_shape, *tail))
            elif isinstance(value, Distribution):
                own = len(value.batch_shape) - before
                tail = value.batch_shape[len(value.batch_shape) - own:]
                vars(made)[name] = value.expand((*batch_shape, *tail))
        made._batch_shape = tuple(batch_shape)
        return made

    def __repr__(self) -> str:
        shown = [
            f"{n}: {v}" for n, v in vars(self).items() if n in self.arg_constraints
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def parameters(*given: Any) -> list[Tensor]:
    """Numbers and tensors as tensors of floats of one shape."""
    made = [as_tensor(x) for x in given]
    floats = [x for x in made if x.dtype.is_floating_point]
    tensors = [x for x, g in zip(made, given) if isinstance(g, Tensor)]
    kind = next((x.dtype for x in tensors if x.dtype.is_floating_point), None)
    kind = kind or (_core.default_float() if not floats else floats[0].dtype)
    made = [_ops.cast(x, kind) if x.dtype != kind else x for x in made]
    return list(broadcast_arrays(*made)) if len(made) > 1 else made


def uniform(shape: Shape, like: Tensor) -> Tensor:
    """Uniform numbers between 0 and 1, without the ends."""
    kind = like.dtype
    device = None if like.symbolic else like.device
    drawn = rand(tuple(shape), dtype=kind, device=device)
    tiny = 1e-7 if kind == _core.float32 else 1e-16 if kind == _core.float64 else 1e-3
    return _ops.clip(drawn, tiny, 1.0 - tiny)


def normal(shape: Shape, like: Tensor) -> Tensor:
    """Standard normal numbers."""
    device = like.device if not like.symbolic else None
    return randn(tuple(shape), dtype=like.dtype, device=device)


def sum_last(x: Tensor, count: int) -> Tensor:
    """The sum over so many of the last axes."""
    return _ops.sum(x, tuple(range(-count, 0))) if count else x


class Independent(Distribution):
    """The last axes of a batch as axes of one event."""

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int,
        validate_args: Any = None,
    ) -> None:  # fmt: skip
        count = reinterpreted_batch_ndims
        whole = base_distribution.batch_shape
        if not 0 <= count <= len(whole):
            raise ValueError(
                f"Independent: {count} axes of a batch {list(whole)}; wanted no more"
            )
        cut = len(whole) - count
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = count
        super().__init__(whole[:cut], (*whole[cut:], *base_distribution.event_shape),
                         validate_args)  # fmt: skip

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether rsample has gradients."""
        return self.base_dist.has_rsample

    @property
    def support(self) -> Any:  # type: ignore[override]
        """The values there are."""
        return self.base_dist.support

    @property
    def mean(self) -> Tensor:
        """The mean of draws."""
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        """The value of the greatest density."""
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        """The variance of draws."""
        return self.base_dist.variance

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws, as many as the shape says for each of the batch."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws with gradients by the parameters."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density of a whole event."""
        return sum_last(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        return sum_last(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """The same with parameters repeated to a batch shape."""
        inner = self.event_shape[: self.reinterpreted_batch_ndims]
        return Independent(self.base_dist.expand((*batch_shape, *inner)),
                           self.reinterpreted_batch_ndims,
                           self._validate_args)  # fmt: skip

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"
