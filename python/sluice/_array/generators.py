"""Generator: a place in a stream of draws of its own."""

from __future__ import annotations

import functools
import threading
from typing import Any, Callable

from .. import _core
from .._closed import closed
from .._recorded import as_seen, not_recorded, number
from .device import CPU, Device

__all__ = ["Generator", "get_rng_state", "initial_seed", "set_rng_state"]


# Draws of generators take turns: each moves the one stream there is to its place.
_turn = threading.RLock()


def whole_seed(seed: Any) -> int:
    """A seed of 64 bits, of any int."""
    if isinstance(seed, bool) or not hasattr(seed, "__index__"):
        raise TypeError(f"seed is a {type(seed).__name__}; wanted an int")
    return int(seed.__index__()) % 2**64


def get_rng_state() -> tuple[int, int]:
    """The seed, and how many draws came since it was set."""
    return _core.random_state()


def set_rng_state(state: tuple[int, int]) -> None:
    """Draws go on from what get_rng_state gave."""
    _core.set_random_state(*state)


def initial_seed() -> int:
    """The seed that draws follow."""
    return int(_core.random_state()[0])


_outside = not_recorded(
    "would be done only when the function is recorded, and captured functions draw "
    "from no generator",
    "wanted it outside of the function",
)


@closed
class Generator:
    """Draws apart from those of the program: rand(3, generator=g).

    Its draws depend on its seed and on how many it has made; those without a
    generator go on as if there had been none, unless another thread makes them at the
    same moment. Captured functions and vmap take no generator, and say so.
    """

    def __init__(self, device: Any = "cpu") -> None:
        if device != CPU:
            raise NotImplementedError(
                f'Generator: device is {str(device)!r}; wanted "cpu", whose draws are '
                "the same on every device"
            )
        self._state: tuple[int, int] = (0, 0)

    @property
    def device(self) -> Device:
        """Where it draws."""
        return CPU

    @_outside
    def manual_seed(self, seed: int) -> Generator:
        """The draws after this are those that always follow this seed."""
        self._state = (whole_seed(seed), 0)
        return self

    @_outside
    def seed(self) -> int:
        """Takes a seed nobody knows before, and says which."""
        import secrets

        self.manual_seed(secrets.randbits(63))
        return self._state[0]

    @number
    def initial_seed(self) -> int:
        """The seed that its draws follow."""
        return self._state[0]

    @as_seen
    def get_state(self) -> tuple[int, int]:
        """The seed, and how many draws came since."""
        return self._state

    @_outside
    def set_state(self, state: tuple[int, int]) -> Generator:
        """Draws go on from what get_state gave."""
        seed, count = state
        self._state = (whole_seed(seed), int(count))
        return self

    @_outside
    def clone_state(self) -> Generator:
        """Another one at the same place."""
        return Generator().set_state(self._state)

    def draw(self, make: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """make(*args, **kwargs) with draws from here."""
        if _core.is_building():
            raise NotImplementedError(
                "a generator in a captured function, a graph or vmap; wanted draws "
                "without one there, which go on from manual_seed()"
            )
        with _turn:
            before = _core.random_state()
            _core.set_random_state(*self._state)
            try:
                return make(*args, **kwargs)
            finally:
                self._state = _core.random_state()
                _core.set_random_state(*before)


def drawn(make: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a function that draws its argument `generator`."""

    @functools.wraps(make)
    def drawn_by(*args: Any, **kwargs: Any) -> Any:
        generator = kwargs.pop("generator", None)
        if generator is None:
            return make(*args, **kwargs)
        if not isinstance(generator, Generator):
            raise TypeError(
                f"generator is a {type(generator).__name__}; wanted a Generator"
            )
        return generator.draw(make, *args, **kwargs)

    return drawn_by
