"""Stand-ins that converted code assigns to, and that report to the recorder."""

from __future__ import annotations

import types
from typing import Any

from .. import _core
from .handed import asked, hand_over, item, key_of
from .object_reads import CONTAINERS, in_class, is_array


class Target:
    """`place(a).b = c`, `place(a)[b] = c`, and the same with += and del."""

    __slots__ = ("_sl_owner", "_sl_recorder")

    def __init__(self, recorder: Any, owner: Any) -> None:
        _set_recorder(self, recorder)
        _set_owner(self, owner)

    def __getattribute__(self, name: str) -> Any:
        value = _recorder(self).attr(_owner(self), name)  # of a.b += c
        _recorder(self).adding(value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        owner = _owner(self)
        own = asked(owner, "__setattr__")
        if own is not None:
            own(name, value)
            return
        if _sets_elements(owner, "__setattr__"):
            _changes(self)
            setattr(owner, name, value)
            return
        if not _recorder(self).notes(owner):
            setattr(owner, name, value)
            return
        instead = _recorder(self).will_set(owner, name)
        if instead is None:
            setattr(owner, name, value)
        else:
            instead(owner, value)

    def __delattr__(self, name: str) -> None:
        owner = _owner(self)
        own = asked(owner, "__delattr__")
        if own is not None:
            own(name)
            return
        if _sets_elements(owner, "__delattr__"):
            _changes(self)
            delattr(owner, name)
            return
        instead = None
        if _recorder(self).notes(owner):
            instead = _recorder(self).will_delete(owner, name)
        if instead is None:
            delattr(owner, name)
        else:
            instead(owner)

    def __getitem__(self, key: Any) -> Any:
        value = item(_owner(self), key)
        _recorder(self).adding(value)
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        own = asked(_owner(self), "__setitem__")
        if own is not None:
            own(key, value)
            return
        _changes(self)
        _owner(self)[key_of(_owner(self), key)] = value

    def __delitem__(self, key: Any) -> None:
        own = asked(_owner(self), "__delitem__")
        if own is not None:
            own(key)
            return
        _changes(self)
        del _owner(self)[key_of(_owner(self), key)]


_owner = Target.__dict__["_sl_owner"].__get__
_recorder = Target.__dict__["_sl_recorder"].__get__
_set_owner = Target.__dict__["_sl_owner"].__set__
_set_recorder = Target.__dict__["_sl_recorder"].__set__


def _sets_elements(owner: Any, name: str) -> bool:
    """Whether attributes are elements: the class has __setattr__ = dict.__setitem__."""
    raw = in_class(type(owner), name)
    return isinstance(raw, types.WrapperDescriptorType) and raw.__name__ != name


def _changes(target: Target) -> None:
    owner = _owner(target)
    if isinstance(owner, CONTAINERS):
        _recorder(target).changes(owner)
        return
    if is_array(owner):
        _recorder(target).changes_array(owner)
    hand_over(owner)


class Local:
    """A container that this code made. Only keys are checked, and the methods of a user
    class."""

    __slots__ = ("_sl_owner",)

    def __init__(self, owner: Any) -> None:
        object.__setattr__(self, "_sl_owner", owner)

    def __getattr__(self, name: str) -> Any:
        return _core.attr(self._sl_owner, name)  # of a.b += c

    def __setattr__(self, name: str, value: Any) -> None:
        own = asked(self._sl_owner, "__setattr__")
        if own is None:
            setattr(self._sl_owner, name, value)
        else:
            own(name, value)

    def __delattr__(self, name: str) -> None:
        own = asked(self._sl_owner, "__delattr__")
        if own is None:
            delattr(self._sl_owner, name)
        else:
            own(name)

    def __getitem__(self, key: Any) -> Any:
        return item(self._sl_owner, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        own = asked(self._sl_owner, "__setitem__")
        if own is None:
            self._sl_owner[key_of(self._sl_owner, key)] = value
        else:
            own(key, value)

    def __delitem__(self, key: Any) -> None:
        own = asked(self._sl_owner, "__delitem__")
        if own is None:
            del self._sl_owner[key_of(self._sl_owner, key)]
        else:
            own(key)
