"""Finds tensors of a graph left in places where they must not be after recording."""

from __future__ import annotations

import collections
import functools
import types
import weakref
from typing import Any

from .. import _core
from .errors import StagingError
from .object_reads import is_plain
from .values import Tensor


def tensor_inside(value: Any, known: Any = (), depth: int = 4) -> str | None:
    """The position of a tensor of a graph inside an object; None if there is none."""
    if is_plain(value):
        return "" if isinstance(value, Tensor) and value.symbolic else None
    if id(value) in known or depth == 0:
        return None
    if isinstance(value, (types.ModuleType, type)):
        return None
    inner: list[tuple[str, Any]] = []
    owner = getattr(value, "__self__", None)  # of a C method such as x.sum
    if isinstance(owner, Tensor):
        return tensor_inside(owner)
    if isinstance(value, dict):
        inner = [(f"[{k!r}]", v) for k, v in list(value.items())]
    elif isinstance(value, (list, tuple, collections.deque)):
        inner = [(f"[{i}]", v) for i, v in enumerate(list(value))]
    elif isinstance(value, (set, frozenset)):
        inner = [("", v) for v in list(value)]
    elif isinstance(value, types.FunctionType):
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
            try:
                inner.append((f" in {name}", cell.cell_contents))
            except ValueError:
                pass
    elif isinstance(value, functools.partial):
        inner = [("", value.args), ("", value.keywords)]
    else:
        fields = getattr(value, "__dict__", None)
        if isinstance(fields, dict):
            inner = [(f" in .{k}", v) for k, v in list(fields.items())]
    for text, part in inner:
        where = tensor_inside(part, known, depth - 1)
        if where is not None:
            return text + where
    return None


def refuse_later(error: BaseException) -> None:
    """Handles an exception that holds tensors of the graph: the run fails before it is
    raised, and the code then runs imperatively and raises it with real tensors."""
    where = tensor_inside(list(error.args))
    if where is None:
        where = tensor_inside(dict(getattr(error, "__dict__", {})))
    if where is not None:
        _core.op_function("Assert")(False, message=f"{type(error).__name__} is raised")


def refuse_left_behind(recorder: Any) -> None:
    """Throws when a tensor of the graph is in a place whose write was not noted."""
    for value in list(recorder.old.values()):
        if type(value) in weakref.ProxyTypes:
            continue  # its referent is checked itself, or gone
        fields = getattr(value, "__dict__", None)
        text = recorder.names.get(id(value), type(value).__name__)
        if isinstance(value, (list, collections.deque)):
            items = [(f"{text}[{i}]", v) for i, v in enumerate(value)]
        elif isinstance(value, dict):
            items = [(f"{text}[{k!r}]", v) for k, v in value.items()]
        elif isinstance(fields, dict):
            items = [(f"{text}.{k}", v) for k, v in fields.items()]
        else:
            continue
        _refuse_any(items)
    for around in recorder.globals_of_code():
        _refuse_any(list(around.items()))
    for cell, name in recorder.cells_of_code():
        try:
            _refuse_any([(name, cell.cell_contents)])
        except ValueError:
            pass


def _refuse_any(items: list[tuple[str, Any]]) -> None:
    for text, value in items:
        if type(value) in weakref.ProxyTypes:
            continue  # a dead proxy raises when its class is read
        if isinstance(value, Tensor) and value.symbolic and _core.recorded_here(value):
            raise StagingError(
                f"{text} is left with a tensor of the graph that is recorded, by code "
                "that is not converted; return it, or assign it in converted code"
            )
