"""Calls of modules from converted code, which convert their forward methods."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any


class _Converting(threading.local):
    modules = 0  # open calls of modules from converted code


_converting = _Converting()


def _forward(forward: Any) -> Any:
    from .calls import callee

    return callee(forward) if _converting.modules else forward


@contextlib.contextmanager
def converting_modules(any_there: bool = True) -> Iterator[None]:
    """Converts forward methods during a call of a module, or of a Sluice function that
    receives one."""
    if any_there:
        nn: Any = sys.modules["sluice.nn._module"]
        nn.converted_forward = _forward
    _converting.modules += any_there
    try:
        yield
    finally:
        _converting.modules -= any_there


def module_call(module: Any) -> Callable[..., Any]:
    """Calls a module with its forward, and those of its parts, converted."""
    nn: Any = sys.modules.get("sluice.nn._module")
    if nn is None or not isinstance(module, nn.Module):
        found: Callable[..., Any] = module
        return found

    def call(*args: Any, **kwargs: Any) -> Any:
        with converting_modules():
            return module(*args, **kwargs)

    return call
