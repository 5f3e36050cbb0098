"""What object.__setattr__ and its kin do, told to who records."""

from __future__ import annotations

from typing import Any

from .. import _core
from .places import INSTANCE, Instance
from .values import MISSING


def _plain_set(function: Any, owner: Any, name: str, *value: Any) -> Any:
    """What object.__setattr__ and __delattr__ do, noted."""
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
