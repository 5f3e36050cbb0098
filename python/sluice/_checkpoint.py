"""checkpoint: memory for time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import _core
from ._flat import Arguments, Results, called, name_of

__all__ = ["checkpoint", "remat"]

# Options of PyTorch's function that are not arguments of f.
_IGNORED = frozenset(
    "use_reentrant preserve_rng_state determinism_check debug context_fn".split()
)


def checkpoint(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """f with a gradient that runs f again instead of keeping what it computed.

    `checkpoint(f)` gives the function, `checkpoint(f, *args)` calls it. f must compute
    the same every time. It draws the same random numbers again.
    """
    if not callable(f):
        raise TypeError(f"checkpoint: got a {type(f).__name__}; wanted a function")
    options = {key: kwargs.pop(key) for key in _IGNORED & kwargs.keys()}
    if not args and not kwargs and not options:
        return functools.wraps(f)(functools.partial(_call, f))
    return _call(f, *args, **kwargs)


def _call(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    given = Arguments((args, kwargs))
    structure: list[Any] = []

    def again(tensors: list[Any]) -> list[Any]:
        args, kwargs = given.rebuild(tensors)
        results = Results(called(f)(*args, **kwargs), f"checkpoint of {name_of(f)}")
        structure.append(results.tree)
        return results.tensors

    results = _core.checkpoint(again, given.tensors)
    return structure[0].unflatten(results)


remat = checkpoint
