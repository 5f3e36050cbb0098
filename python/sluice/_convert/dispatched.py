"""functools.singledispatch in recorded code.

The dispatch uses the class that the argument has imperatively, so a number that the
graph computes dispatches as a Python number. The chosen function is ordinary code, and
the registry is a guard.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from .class_reads import type_


def _method_parts(function: Any) -> tuple[Any, Any, Any] | None:
    """The parts of object.method if it is a singledispatchmethod: the method, the
    object and its class. None for anything else."""
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
    """The function to call in place of a dispatching one; None for any other."""
    method = _method_parts(function)
    generic: Any = function if method is None else method[0].dispatcher
    registry = getattr(generic, "registry", None)
    if not isinstance(registry, types.MappingProxyType):
        return None
    recorder.value(registry, f"{function.__name__}.registry")

    def call(*args: Any, **kwargs: Any) -> Any:
        if not args:
            return function(**kwargs)  # raises the error
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
