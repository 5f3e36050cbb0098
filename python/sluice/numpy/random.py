"""Random arrays by numpy's names. The same seed does not give numpy's numbers."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._array import draws
from .._array.axes import whole
from .._array.generators import Generator as _Stream
from .._array.pick import take
from .._array.shape import as_tensor, broadcast_shapes, ravel
from .._closed import closed
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


def _spread(size: Any, what: str, *given: Any) -> tuple[int, ...]:
    """A draw for every place of the parameters; they fit a size that is given."""
    own = broadcast_shapes(*(v.shape for v in given if isinstance(v, Tensor)))
    if size is None:
        return own
    sizes = _sizes(size)
    if own and broadcast_shapes(own, sizes) != sizes:
        raise ValueError(f"{what}(): parameters of {list(own)} for size {list(sizes)}; "
                         "wanted them to broadcast to it")  # fmt: skip
    return sizes


def _want(
    value: Any, least: float, most: float, what: str, name: str, wanted: str
) -> None:
    """Numbers within bounds; those of a graph are not known yet."""
    if isinstance(value, Tensor):
        good = _ops.all_of(_ops.logical_and(
            _ops.greater_equal(value, least), _ops.less_equal(value, most)))
        fits = good.symbolic or bool(good)
    else:
        fits = least <= value <= most
    if not fits:
        raise ValueError(f"{what}(): {name} is {value}; wanted {wanted}")


_INF = float("inf")


def _number(v: Any) -> Any:
    return v if isinstance(v, (int, float, Tensor)) else as_tensor(v)


@closed
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
        low, high = _number(low), _number(high)
        sizes = _spread(size, "uniform", low, high)
        return self._draw(draws.uniform, low, high, sizes)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Tensor:
        """Of this mean and standard deviation."""
        loc, scale = _number(loc), _number(scale)
        _want(scale, 0, _INF, "normal", "scale", "0 or more")
        sizes = _spread(size, "normal", loc, scale)
        return self._draw(draws.normal, loc, scale, sizes)

    def standard_normal(self, size: Any = None) -> Tensor:
        """Of mean 0 and standard deviation 1."""
        return self._draw(draws.randn, _sizes(size))

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = None,
        endpoint: bool = False,
    ) -> Tensor:  # fmt: skip
        """Whole numbers low <= n < high; endpoint: up to high."""
        low, high = (0, low) if high is None else (low, high)
        for name, v in (("low", low), ("high", high)):
            if isinstance(v, float) and v == int(v):
                continue
            whole(v, f"integers(): {name}")
        low, high, sizes = int(low), int(high) + bool(endpoint), _sizes(size)
        if low >= high:
            raise ValueError(f"integers(): low is {low}, high {high}; wanted low < "
                             "high")  # fmt: skip
        return self._draw(draws.randint, low, high, sizes, dtype=dtype)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Tensor:
        """Waiting times of this mean."""
        scale = _number(scale)
        _want(scale, 0, _INF, "exponential", "scale", "0 or more")
        chances = _ops.sub(1.0, self.random(_spread(size, "exponential", scale)))
        return _ops.mul(_ops.neg(_ops.log(chances)), scale)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Tensor:
        """How many events come to pass, of this mean."""
        rate = _ops.cast(as_tensor(lam), _core.float32)
        _want(rate, 0, _INF, "poisson", "lam", "0 or more")
        rates = _ops.broadcast_to(rate, _spread(size, "poisson", rate))

        def make(generator: Any) -> Tensor:
            from .._array.typed import poisson as drawn

            return drawn(rates, generator=generator)

        return _ops.cast(self._draw(make), _core.int64)

    def binomial(self, n: int, p: float, size: Any = None) -> Tensor:
        """How many of n tries of chance p succeed."""
        if whole(n, "binomial(): n") < 0:
            raise ValueError(f"binomial(): n is {n}; wanted 0 or more")
        p = _number(p)
        _want(p, 0, 1, "binomial", "p", "numbers from 0 to 1")
        tries = self.random((*_spread(size, "binomial", p), n))
        p = _ops.expand_dims(p, -1) if isinstance(p, Tensor) and p.ndim else p
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
        if pool.ndim == 0:
            raise ValueError(f"choice(): a is {a!r}; wanted an int, or an array")
        n, sizes = int(pool.shape[0]), _sizes(size)
        count = 1
        for s in sizes:
            count *= s
        if count and not n:
            raise ValueError("choice(): a is empty; wanted elements to draw")
        if p is not None:
            _want_chances(as_tensor(p), n)
            chances = _ops.cast(as_tensor(p), _core.float32)
            places = self._draw(draws.multinomial, chances, count, replace)
        elif replace:
            places = self.integers(0, n, (count,))
        else:
            if count > n:
                raise ValueError(f"choice(): {count} of {n} without replacement")
            places = self._draw(draws.randperm, n)[:count]
        return take(pool, _ops.reshape(ravel(places), sizes), 0)


def _want_chances(p: Tensor, n: int) -> None:
    """What numpy asks of chances: one for each, none below 0, 1 in all."""
    if p.ndim != 1 or p.shape[0] != n:
        raise ValueError(f"choice(): p is {list(p.shape)}; wanted {n} chances")
    if p.symbolic:
        return
    total = float(_ops.sum(_ops.cast(p, _core.float64)))
    if not bool(_ops.all_of(_ops.greater_equal(p, 0))) or not abs(total - 1) < 1e-5:
        raise ValueError(f"choice(): p adds up to {total}; wanted chances of 0 or more "
                         "that add up to 1")  # fmt: skip


def default_rng(seed: Any = None) -> Generator:
    """A generator that follows a seed, by default one nobody knows."""
    if isinstance(seed, Generator):
        return seed
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
