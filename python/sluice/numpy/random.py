"""Random arrays by numpy's names. The same seed does not give numpy's numbers."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array import draws
from .._array.generators import Generator as _Stream
from .._array.pick import take
from .._array.shape import as_tensor, ravel
from .._core import Tensor

__all__ = [
    "Generator",
    "binomial",
    "choice",
    "default_rng",
    "exponential",
    "normal",
    "permutation",
    "poisson",
    "rand",
    "randint",
    "randn",
    "random",
    "random_sample",
    "seed",
    "shuffle",
    "standard_normal",
    "uniform",
]


def _sizes(size: Any) -> tuple[int, ...]:
    return () if size is None else (size,) if isinstance(size, int) else tuple(size)


class Generator:
    """Draws of a stream of their own, or without one those of the program."""

    def __init__(self, stream: _Stream | None = None) -> None:
        self._stream = stream

    def _draw(self, make: Any, *args: Any, **how: Any) -> Tensor:
        made: Tensor = make(*args, **how, generator=self._stream)
        return made

    def random(self, size: Any = None) -> Tensor:
        """Uniform in [0, 1)."""
        return self._draw(draws.rand, _sizes(size))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Tensor:
        """Uniform in [low, high)."""
        return self._draw(draws.uniform, low, high, _sizes(size))

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Tensor:
        """Of this mean and standard deviation."""
        return self._draw(draws.normal, loc, scale, _sizes(size))

    def standard_normal(self, size: Any = None) -> Tensor:
        """Of mean 0 and standard deviation 1."""
        return self._draw(draws.randn, _sizes(size))

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = None,
        endpoint: bool = False,
    ) -> Tensor:  # fmt: skip
        """Whole numbers low <= n < high; endpoint: up to high."""
        low, high = (0, low) if high is None else (low, high)
        high, sizes = high + endpoint, _sizes(size)
        return self._draw(draws.randint, low, high, sizes, dtype=dtype)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Tensor:
        """Waiting times of this mean."""
        chances = _ops.sub(1.0, self.random(size))
        return _ops.mul(_ops.neg(_ops.log(chances)), scale)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Tensor:
        """How many events come to pass, of this mean."""
        rate = _ops.cast(as_tensor(lam), _core.float32)
        rates = _ops.broadcast_to(rate, _sizes(size))

        def make(generator: Any) -> Tensor:
            from .._array.typed import poisson as drawn

            return drawn(rates, generator=generator)

        return _ops.cast(self._draw(make), _core.int64)

    def binomial(self, n: int, p: float, size: Any = None) -> Tensor:
        """How many of n tries of chance p succeed."""
        tries = self.random((*_sizes(size), n))
        return _ops.sum(_ops.cast(_ops.less(tries, p), _core.int64), (-1,))

    def permutation(self, x: Any) -> Tensor:
        """The numbers below x, or the slices of x, in random order."""
        if isinstance(x, int):
            return self._draw(draws.randperm, x)
        x = as_tensor(x)
        return take(x, self._draw(draws.randperm, int(x.shape[0])), 0)

    def shuffle(self, x: Tensor) -> None:
        """Puts the slices of a tensor in random order."""
        x.copy_(self.permutation(x))

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None
    ) -> Tensor:
        """Elements of a vector, or numbers below a, drawn with these chances."""
        pool = _ops.range(0, a, 1) if isinstance(a, int) else as_tensor(a)
        n, sizes = int(pool.shape[0]), _sizes(size)
        count = 1
        for s in sizes:
            count *= s
        if p is not None:
            chances = _ops.cast(as_tensor(p), _core.float32)
            places = self._draw(draws.multinomial, chances, count, replace)
        elif replace:
            places = self.integers(0, n, (count,))
        else:
            if count > n:
                raise ValueError(f"choice(): {count} of {n} without replacement")
            places = self._draw(draws.randperm, n)[:count]
        return take(pool, _ops.reshape(ravel(places), sizes), 0)


def default_rng(seed: int | None = None) -> Generator:
    """A generator that follows a seed, by default one nobody knows."""
    stream = _Stream()
    if seed is None:
        stream.seed()
    else:
        stream.manual_seed(seed)
    return Generator(stream)


_program = Generator()
uniform, normal, random = _program.uniform, _program.normal, _program.random
standard_normal, exponential = _program.standard_normal, _program.exponential
poisson, binomial = _program.poisson, _program.binomial
permutation, shuffle, choice = _program.permutation, _program.shuffle, _program.choice
random_sample = random


def seed(seed: int) -> None:
    """The draws after this are those that always follow this seed."""
    draws.manual_seed(seed)


def rand(*sizes: int) -> Tensor:
    """Uniform in [0, 1)."""
    return random(sizes)


def randn(*sizes: int) -> Tensor:
    """Of mean 0 and standard deviation 1."""
    return standard_normal(sizes)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = None) -> Tensor:
    """Whole numbers low <= n < high."""
    return _program.integers(low, high, size, dtype)
