"""object.__setattr__ and similar functions, reported to the recorder."""

from __future__ import annotations

from typing import Any

from .. import _core
from .places import INSTANCE, Instance
from .values import MISSING


def _plain_set(function: Any, owner: Any, name: str, *value: Any) -> Any:
    """Notes and does what object.__setattr__ or __delattr__ does."""
    recorder = _core.recorder()
    if id(owner) in recorder.old or recorder.depth > 1:
        recorder.note(Instance(owner, name, recorder.text(owner, name)))
    return function(name, *value)


def _plain_get(function: Any, owner: Any, name: str) -> Any:
    recorder = _core.recorder()
    fields = getattr(owner, "__dict__", {})
    if id(owner) in recorder.old and not name.startswith("__"):
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
