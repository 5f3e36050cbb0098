"""Which values parameters and samples may have, by the names of
torch.distributions.constraints: `constraint.check(x)` gives bools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _ops
from .._array.shape import as_tensor
from .._core import Tensor

__all__ = [
    "Constraint",
    "boolean",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "integer_interval",
    "interval",
    "less_than",
    "lower_cholesky",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "real",
    "real_vector",
    "simplex",
    "unit_interval",
]

Check = Callable[[Tensor], Tensor]


class Constraint:
    """A set of values; those of `event_dim` axes count as one."""

    def __init__(
        self, name: str, check: Check, event_dim: int = 0, is_discrete: bool = False
    ) -> None:
        self.name, self._check = name, check
        self.event_dim, self.is_discrete = event_dim, is_discrete

    def check(self, value: Any) -> Tensor:
        """Whether values are in the set."""
        return self._check(as_tensor(value))

    def __repr__(self) -> str:
        return self.name


def _both(a: Tensor, b: Tensor) -> Tensor:
    return _ops.logical_and(a, b)


def _all(x: Tensor) -> Tensor:
    return _ops.all_of(x, (-1,))


def _whole(x: Tensor) -> Tensor:
    return _ops.equal(x, _ops.floor(x)) if x.dtype.is_floating_point else (
        _ops.equal(x, x))  # fmt: skip


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """lower_bound <= x <= upper_bound."""
    return Constraint(f"interval({lower_bound}, {upper_bound})", lambda x: _both(
        _ops.greater_equal(x, lower_bound), _ops.less_equal(x, upper_bound)))


def half_open_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """lower_bound <= x < upper_bound."""
    name = f"half_open_interval({lower_bound}, {upper_bound})"
    return Constraint(name, lambda x: _both(
        _ops.greater_equal(x, lower_bound), _ops.less(x, upper_bound)))


def integer_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Whole numbers of an interval."""
    inside = interval(lower_bound, upper_bound).check
    return Constraint(f"integer_interval({lower_bound}, {upper_bound})",
                      lambda x: _both(inside(x), _whole(x)), 0, True)


def greater_than(lower_bound: Any) -> Constraint:
    """x > lower_bound."""
    return Constraint(
        f"greater_than({lower_bound})", lambda x: _ops.greater(x, lower_bound)
    )


def greater_than_eq(lower_bound: Any) -> Constraint:
    """x >= lower_bound."""
    return Constraint(
        f"greater_than_eq({lower_bound})", lambda x: _ops.greater_equal(x, lower_bound)
    )


def less_than(upper_bound: Any) -> Constraint:
    """x < upper_bound."""
    return Constraint(f"less_than({upper_bound})", lambda x: _ops.less(x, upper_bound))


def _is_simplex(x: Tensor) -> Tensor:
    off = _ops.abs(_ops.sub(_ops.sum(x, (-1,)), 1.0))
    return _both(_all(_ops.greater_equal(x, 0)), _ops.less(off, 1e-6))


def _is_one_hot(x: Tensor) -> Tensor:
    bits = _ops.logical_or(_ops.equal(x, 0), _ops.equal(x, 1))
    return _both(_all(bits), _ops.equal(_ops.sum(x, (-1,)), 1))


def _is_lower_cholesky(x: Tensor) -> Tensor:
    lower = _all(_all(_ops.equal(x, _ops.tril(x, 0))))
    return _both(lower, _all(_ops.greater(x.diagonal(0, -2, -1), 0)))


def _is_definite(x: Tensor) -> Tensor:
    near = _ops.less_equal(
        _ops.abs(_ops.sub(x, x.mT)), _ops.add(_ops.mul(_ops.abs(x), 1e-5), 1e-6)
    )
    values = _ops.eigh(_ops.tril(x, 0))[0]
    return _both(_all(_all(near)), _all(_ops.greater(values, 0)))


boolean = Constraint("boolean", lambda x: _ops.logical_or(
    _ops.equal(x, 0), _ops.equal(x, 1)), 0, True)  # fmt: skip
nonnegative = greater_than_eq(0)
nonnegative_integer = Constraint("nonnegative_integer", lambda x: _both(
    _ops.greater_equal(x, 0), _whole(x)), 0, True)  # fmt: skip
positive = greater_than(0)
positive_integer = Constraint("positive_integer", lambda x: _both(
    _ops.greater_equal(x, 1), _whole(x)), 0, True)  # fmt: skip
real = Constraint("real", lambda x: _ops.logical_not(_ops.isnan(x)))
real_vector = Constraint(
    "real_vector", lambda x: _all(_ops.logical_not(_ops.isnan(x))), 1
)
unit_interval = interval(0, 1)
simplex = Constraint("simplex", _is_simplex, 1)
one_hot = Constraint("one_hot", _is_one_hot, 1, True)
lower_cholesky = Constraint("lower_cholesky", _is_lower_cholesky, 2)
positive_definite = Constraint("positive_definite", _is_definite, 2)
