"""Functions under functools.cache and lru_cache in recorded code.

A cache belongs to the program outside. It is called imperatively when the code is
recorded, and its result counts as from outside. Every later call queries it again, and
is recorded again if the result differs, for example after cache_clear().
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from .. import _core
from .._symbols.symbol import Symbol
from .errors import StagingError
from .handed import hand_over
from .left_behind import tensor_inside
from .place import user_place
from .refusals import values_may_decide
from .texts import is_of_graph, needed
from .values import Tensor, same


def asked(function: Any, recorder: Any) -> Callable[..., Any]:
    """The function to call in place of the cached one."""

    def call(*args: Any, **kwargs: Any) -> Any:
        args = tuple(map(_key, args))
        kwargs = {name: _key(value) for name, value in kwargs.items()}
        if tensor_inside([args, kwargs]) is not None:
            raise _refused(
                function, "is given a tensor of the graph, by which nothing is found"
            )
        for value in (*args, *kwargs.values()):
            hand_over(value)
        perhaps = recorder.depth > 1  # this path may not be taken
        if perhaps and not _keeps(function, args, kwargs):
            values_may_decide()
            raise _refused(
                function,
                "has yet to compute this, in a branch or loop that a tensor decides",
                "a call of it before that",
            )
        made = _ask(function, args, kwargs)
        if tensor_inside([made]) is not None:
            raise _refused(function, "would keep a tensor of the graph")
        name = getattr(function, "__name__", "a cache")
        recorder.value(made, f"what {name}() keeps")
        recorder.caches.append(Asked(function, args, kwargs, made, perhaps))
        return made

    return call


def _key(value: Any) -> Any:
    if isinstance(value, Symbol):
        return value._now()
    return needed(value, "this is looked up by") if is_of_graph(value) else value


def _ask(function: Any, args: Any, kwargs: Any) -> Any:
    """Calls the function. What it makes belongs to no recording."""
    before = _core.set_recorder(None)
    try:
        with _core.imperative_scope():
            return function(*args, **kwargs)
    finally:
        _core.set_recorder(before)


def _keeps(function: Any, args: Any, kwargs: Any) -> bool | None:
    """Whether the cache holds the result, so that a call changes nothing. The key of a
    call is its only argument if that is a number or string, else all arguments. None if
    this cannot be determined."""
    found = gc.get_referents(function)
    tables = [v for v in found if type(v) is dict and v is not function.__dict__]
    if kwargs or len(tables) != 1 or function.cache_parameters()["typed"]:
        return None
    key = args[0] if len(args) == 1 and type(args[0]) in (int, str) else args
    return key in tables[0]


def _refused(
    function: Any, why: str, wanted: str = "it without, or given what does not change"
) -> StagingError:
    filename, line = user_place()
    name = getattr(function, "__qualname__", "it")
    return StagingError(
        f"{filename}:{line}: {name}() keeps what it gives (functools.cache), and "
        f"{why}; wanted {wanted}"
    )


class Asked:
    """One call of a cached function, with its result."""

    def __init__(
        self, function: Any, args: Any, kwargs: Any, made: Any, perhaps: bool
    ) -> None:
        self._function, self._args, self._kwargs = function, args, kwargs
        self._made, self._perhaps = made, perhaps

    def holds(self) -> bool:
        """Whether the result is still the same."""
        kept = _keeps(self._function, self._args, self._kwargs)
        if kept is False or (kept is None and self._perhaps):
            return False
        now = self._function(*self._args, **self._kwargs)
        if isinstance(now, Tensor):
            return now is self._made
        return now is self._made or (
            isinstance(now, (int, float, str)) and same(now, self._made)
        )
