"""Refuses to set unknown attributes: a misspelt one would have no effect.

    @closed
    class Trainer: ...

    trainer.epohcs = 3        # AttributeError: ...; did you mean 'epochs'?

Attributes that the package sets are known. Names that begin with an underscore may
always be set. User classes derived from these may have any attributes. The names in
``_fixed_attributes`` are read when an object is made and cannot change later.
"""

from __future__ import annotations

import difflib
import sys
from typing import Any, TypeVar

from . import _core

__all__: list[str] = []

C = TypeVar("C", bound=type)
_HERE = __name__.partition(".")[0]


def _ours(module: str) -> bool:
    # Assignments of converted user code come from _convert.
    return module.partition(".")[0] == _HERE and not module.startswith(
        f"{_HERE}._convert"
    )


def _settable(self: Any) -> list[str]:
    """Public names that can be assigned to."""
    found = set(getattr(self, "__dict__", ()))
    for name in dir(type(self)):
        value = getattr(type(self), name, None)
        if getattr(value, "fset", None) is not None or (
            not callable(value) and not hasattr(value, "fget")
        ):
            found.add(name)
    return sorted(name for name in found if not name.startswith("_"))


def _refusal(self: Any, name: str) -> AttributeError:
    names, cls = _settable(self), type(self).__name__
    text = f"{cls!r} object has no attribute {name!r}"
    public = [key for key in dir(self) if not key.startswith("_")]
    close = difflib.get_close_matches(name, public, n=1)
    if close:
        return AttributeError(f"{text}; did you mean {close[0]!r}?")
    wanted = f"one of {', '.join(names)}, or " if names else ""
    return AttributeError(
        f"{text}; wanted {wanted}a class of your own that derives from {cls}"
    )


def _set(self: Any, name: str, value: Any) -> None:
    cls = type(self)
    there = name in self.__dict__
    known = there or name.startswith("_") or hasattr(cls, name)
    fixed = there and name in getattr(cls, "_fixed_attributes", ())
    if fixed or not known and _ours(cls.__module__):
        if not _ours(sys._getframe(1).f_globals.get("__name__", "")):
            if not fixed:
                raise _refusal(self, name)
            raise ValueError(
                f"{name} of a {cls.__name__} is what it was made with; wanted another "
                f"{cls.__name__}"
            )
    object.__setattr__(self, name, value)


def closed(cls: C) -> C:
    """Refuses attributes that a class of ours, or one derived from it, has not set."""
    setattr(cls, "__setattr__", _set)
    return cls


for _class in (_core.Variable, _core.Graph, _core.Session):
    closed(_class)
