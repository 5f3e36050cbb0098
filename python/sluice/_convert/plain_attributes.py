"""object.__setattr__ and similar functions, reported to the recorder."""

from __future__ import annotations

import functools
import operator
import types
from typing import Any

from .. import _core
from .object_reads import in_class, is_users
from .places import INSTANCE, Instance, Slot
from .values import MISSING


def _plain_set(function: Any, owner: Any, name: str, *value: Any) -> Any:
    """Notes and does what object.__setattr__ or __delattr__ does."""
    recorder = _core.recorder()
    kept = in_class(type(owner), name)
    if isinstance(kept, property):
        put = kept.fset if value else kept.fdel
        if is_users(put):
            return recorder.call(put)(owner, *value)
    if id(owner) in recorder.old or recorder.depth > 1:
        text = recorder.text(owner, name)
        by_slot = isinstance(kept, types.MemberDescriptorType)
        recorder.note((Slot if by_slot else Instance)(owner, name, text))
    return function(name, *value)


def _plain_get(function: Any, owner: Any, name: str) -> Any:
    recorder = _core.recorder()
    fields = getattr(owner, "__dict__", {})
    if name.startswith("__"):
        return function(name)
    if type(owner).__getattribute__ is object.__getattribute__ and (
        name in fields or in_class(type(owner), name) is not MISSING
    ):
        return recorder.attr(owner, name)  # found without __getattr__
    if id(owner) in recorder.old:
        value = fields.get(name, MISSING)
        text = recorder.text(owner, name)
        if recorder.read(INSTANCE, owner, name, value, text):
            if value is not MISSING:
                recorder.value(value, text)
    return function(name)


PLAIN_ATTRIBUTES: dict[str, Any] = {
    "__setattr__": _plain_set,
    "__delattr__": _plain_set,
    "__getattribute__": _plain_get,
}


def by_slot(function: Any) -> Any:
    """The replacement for C.x.__get__ and the like, where C.__slots__ names x: o.x, and
    o.x = value."""
    name = function.__self__.__name__

    def get(owner: Any, cls: Any = None) -> Any:
        return function(owner, cls) if owner is None else _core.attr(owner, name)

    def put(owner: Any, value: Any) -> None:
        setattr(_core.place(owner), name, value)

    def delete(owner: Any) -> None:
        delattr(_core.place(owner), name)

    known = {"__get__": get, "__set__": put, "__delete__": delete}
    return known.get(function.__name__, function)


def by_attributes(function: operator.attrgetter[Any]) -> Any:
    """The replacement for operator.attrgetter("a.b", "c")."""
    names = function.__reduce__()[1]

    def get(owner: Any, /) -> Any:
        found = [functools.reduce(_core.attr, n.split("."), owner) for n in names]
        return found[0] if len(found) == 1 else tuple(found)

    return get
