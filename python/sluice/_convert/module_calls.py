"""Calls of modules that come from converted code: their forward is converted, too."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any


class _Converting(threading.local):
    modules = 0  # calls of modules under way that came from converted code


_converting = _Converting()


def _forward(forward: Any) -> Any:
    from .calls import callee

    return callee(forward) if _converting.modules else forward


@contextlib.contextmanager
def converting_modules(any_there: bool = True) -> Iterator[None]:
    """While a module is called, or a function of ours that is given one."""
    if any_there:
        nn: Any = sys.modules["sluice.nn._module"]
        nn.converted_forward = _forward
    _converting.modules += any_there
    try:
        yield
    finally:
        _converting.modules -= any_there


def module_call(module: Any) -> Callable[..., Any]:
    """A module whose forward, and those of its parts, are converted."""
    nn: Any = sys.modules.get("sluice.nn._module")
    if nn is None or not isinstance(module, nn.Module):
        found: Callable[..., Any] = module
        return found

    def call(*args: Any, **kwargs: Any) -> Any:
        with converting_modules():
            return module(*args, **kwargs)

    return call
