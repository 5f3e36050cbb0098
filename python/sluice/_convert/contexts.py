"""User context managers, whose methods are also converted."""

from __future__ import annotations

import types
from typing import Any

from .. import _core
from .calls import callee
from .object_reads import is_users
from .outside_world import refuse_manager


class _Context:
    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def __enter__(self) -> Any:
        enter = type(self._manager).__enter__
        return callee(types.MethodType(enter, self._manager))()

    def __exit__(self, *error: Any) -> Any:
        leave = type(self._manager).__exit__
        return callee(types.MethodType(leave, self._manager))(*error)


def context(manager: Any) -> Any:
    """The object that a with statement uses in place of the manager."""
    if _core.recorder() is None:
        return manager
    refuse_manager(manager)
    for name in ("__enter__", "__exit__"):
        _core.recorder().special(type(manager), name)
    enter = getattr(type(manager), "__enter__", None)
    leave = getattr(type(manager), "__exit__", None)
    own: list[Any] = [m for m in (enter, leave) if is_users(m)]
    if _core.recorder().from_outside(manager):
        for method in own:
            _core.recorder().value(method, method.__name__)
    return _Context(manager) if own else manager
