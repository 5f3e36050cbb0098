"""functools.singledispatch in recorded code: a function for each class.

What it chooses by is the class that an argument has at once: of a number that the
graph computes, a number's. The function it chooses is ordinary code; which functions
there are is a guard.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from .class_reads import type_


def _method_parts(function: Any) -> tuple[Any, Any, Any] | None:
    """What object.method is made of where that is a singledispatchmethod: it, the
    object and its class; None for anything else."""
    names = function.__code__.co_freevars
    found = dict(zip(names, function.__closure__ or ()))
    try:
        parts = [found[name].cell_contents for name in ("self", "obj", "cls")]
    except (KeyError, ValueError):
        return None
    if not isinstance(parts[0], functools.singledispatchmethod):
        return None
    return parts[0], parts[1], parts[2]


def by_class(function: types.FunctionType, recorder: Any) -> Any:
    """What to call instead of such a function; None for another one."""
    method = _method_parts(function)
    generic: Any = function if method is None else method[0].dispatcher
    registry = getattr(generic, "registry", None)
    if not isinstance(registry, types.MappingProxyType):
        return None
    recorder.value(registry, f"{function.__name__}.registry")

    def call(*args: Any, **kwargs: Any) -> Any:
        if not args:
            return function(**kwargs)  # says what it wants
        chosen = generic.dispatch(_class_of(args[0]))
        if method is not None:
            chosen = chosen.__get__(method[1], method[2])
        return _called(chosen)(*args, **kwargs)

    return call


def _class_of(value: Any) -> type:
    kind: type = type_(value)
    return kind if kind is not type(value) else value.__class__


def _called(function: Callable[..., Any]) -> Callable[..., Any]:
    from .calls import callee

    made: Callable[..., Any] = callee(function)
    return made
