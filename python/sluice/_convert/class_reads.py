"""type() and isinstance() in recorded code, and checks that only functions can make:
classes with their own instance checks, registered classes, weak references."""

from __future__ import annotations

import abc
import types
import weakref
from typing import Any

from .. import _core
from .._symbols.symbol import Symbol
from . import mixed
from .errors import StagingError
from .iterables import Range
from .lists import stands_for_list
from .object_reads import in_class, is_library_class, is_users
from .places import reference
from .texts import Text
from .values import Tensor, python_number


class Referred:
    """Checks whether the referent of a weak reference is still alive, or still gone."""

    def __init__(self, reference: Any) -> None:
        self._reference = reference
        self._alive = reference() is not None

    def holds(self) -> bool:
        """Whether it is as it was."""
        return (self._reference() is not None) == self._alive


class Registered:
    """Checks that no class was registered with another since the recording."""

    def __init__(self) -> None:
        self._token = abc.get_cache_token()

    def holds(self) -> bool:
        """Whether it is as it was."""
        return abc.get_cache_token() == self._token


class Names:
    """Checks that dir(o) gives the same names."""

    def __init__(self, value: Any) -> None:
        self._value = reference(value)
        self._names = dir(value)

    def holds(self) -> bool:
        """Whether it still does."""
        value = self._value()
        return value is not None and dir(value) == self._names


class Attributes:
    """Checks that objects passed to other code have attributes of the same names,
    apart from those that the recorded code writes."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[Any, frozenset[str], list[str]]] = {}

    def add(self, value: Any, written: frozenset[str]) -> None:
        """Adds an object."""
        if id(value) not in self._of:
            names = [name for name in vars(value) if name not in written]
            self._of[id(value)] = reference(value), written, names

    def holds(self) -> bool:
        """Whether they still have the same names."""
        for owner, written, names in self._of.values():
            now = getattr(owner(), "__dict__", None)
            if now is None or [n for n in now if n not in written] != names:
                return False
        return True


class Inherited:
    """Checks that a class inherits an attribute from the same class as before."""

    def __init__(self, cls: type, name: str) -> None:
        self._cls, self._name = reference(cls), name
        self.base = self._found(cls)

    def _found(self, cls: type) -> type | None:
        return next((b for b in cls.__mro__ if self._name in b.__dict__), None)

    def holds(self) -> bool:
        """Whether it still does so."""
        cls = self._cls()
        return cls is not None and self._found(cls) is self.base


class Family:
    """Checks that C.mro() or C.__subclasses__() gives the same classes."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._classes = function()

    def holds(self) -> bool:
        """Whether it gives the same."""
        return bool(self._function() == self._classes)


def checked(recorder: Any, value: Any, classes: Any) -> bool | None:
    """isinstance(value, classes) by user code; None where Python's check applies."""
    if isinstance(classes, tuple):
        found = [checked(recorder, value, one) for one in classes]
        if all(one is None for one in found):
            return None
        made = zip(found, classes)
        return any(isinstance(value, c) if f is None else f for f, c in made)
    meta = type(classes)
    _may_register(recorder, classes)
    own = in_class(meta, "__instancecheck__")
    if not is_users(own) or type(value) is classes:
        return None
    recorder.special(meta, "__instancecheck__")
    recorder.value(own, "__instancecheck__")
    return bool(recorder.call(types.MethodType(own, classes))(value))


def _may_register(recorder: Any, cls: Any) -> None:
    """Notes an abstract class, with which other classes may be registered later."""
    if isinstance(cls, abc.ABCMeta) and not is_library_class(cls):
        if not any(isinstance(kept, Registered) for kept in recorder.caches):
            recorder.caches.append(Registered())


def dir_(*args: Any) -> Any:
    """dir(value)."""
    recorder = _core.recorder()
    if recorder is not None and len(args) == 1 and id(args[0]) in recorder.old:
        recorder.caches.append(Names(args[0]))
    return dir(*args)


def issubclass_(cls: Any, classes: Any) -> bool:
    """issubclass(cls, classes)."""
    if isinstance(classes, tuple):
        return any(issubclass_(cls, one) for one in classes)
    recorder = _core.recorder()
    _may_register(recorder, classes)
    own = in_class(type(classes), "__subclasscheck__")
    if not is_users(own):
        return issubclass(cls, classes)
    recorder.special(type(classes), "__subclasscheck__")
    recorder.value(own, "__subclasscheck__")
    return bool(recorder.call(types.MethodType(own, classes))(cls))


def _kind(value: Any) -> Any:
    """The class of a number or string that the graph computes; else None."""
    if isinstance(value, Symbol):
        return value.__class__
    if type(value) is Text:
        return str
    if type(value) is Range:
        return range
    if stands_for_list(value):
        return list
    mixed.refuse("type() or isinstance()", value)
    return python_number(value) if isinstance(value, Tensor) else None


def _check_class(value: Any, what: str) -> None:
    """Refuses a value that a branch chose: its class depends on the path taken."""
    if isinstance(value, Tensor) and value.symbolic and _core.is_one_of_several(value):
        raise StagingError(
            f"{what} of a tensor that is another one on some ways, perhaps of "
            "another class: that depends on the branch taken; wanted it before"
        )


def isinstance_(value: Any, classes: Any) -> bool:
    """isinstance(value, classes)."""
    kind = _kind(value)
    if kind is not None:
        return issubclass(kind, classes)
    recorder = _core.recorder()
    if recorder is not None:
        if type(value) in weakref.ProxyTypes:
            value = recorder.referent(value)
        recorder.class_of(value)
        made = checked(recorder, value, classes)
        if made is not None:
            return made
    if isinstance(value, classes):
        return True
    _check_class(value, "isinstance()")
    return False


def type_(*args: Any, **kwargs: Any) -> Any:
    """type(value), or type(name, bases, dict), which makes a class."""
    kind = _kind(args[0]) if len(args) == 1 and not kwargs else None
    if kind is None and len(args) == 1:
        _check_class(args[0], "type()")
    if kind is None and len(args) == 1 and not kwargs:
        return _class_of(args[0])
    return type(*args, **kwargs) if kind is None else kind


def _class_of(value: Any) -> Any:
    """type(value). Reads of a class from outside become guards."""
    recorder = _core.recorder()
    if recorder is not None:
        recorder.class_of(value)
    return type(value)
