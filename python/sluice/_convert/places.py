"""Places outside recorded code that the code writes.

A place can be read, written and emptied. It refers weakly to its object where possible,
so that a recording keeps no object alive.
"""

from __future__ import annotations

import collections
import copy
import types
import weakref
from collections.abc import Callable
from typing import Any

from .values import MISSING, Tensor

# The numbers of guards.h.
ITEM, INSTANCE, CELL, TYPE, SLOT, CODE, DEFAULTS, NAMED, ELEMENT = range(9)
CONTENTS = -1

LISTS = (list, collections.deque)
DICTS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
CONTAINERS = frozenset({*LISTS, *DICTS, set, bytearray})


def reference(owner: Any) -> Callable[[], Any]:
    """A function that gives the object, or None once it is gone."""
    try:
        return weakref.ref(owner)
    except TypeError:
        return lambda: owner


def where(kind: int, owner: Any, name: Any) -> tuple[Any, ...]:
    """The key of a place. An attribute in an object's dict is an entry of that dict,
    which other code may reach as well: o.__dict__["x"] is o.x."""
    if kind == INSTANCE:
        fields = getattr(owner, "__dict__", None)
        if type(fields) is dict:
            return (ITEM, id(fields), name)
    return (kind, id(owner), name)


class Place:
    """A place. Equal places have equal `key`; `text` is for messages."""

    key: tuple[Any, ...]
    text: str
    part_of: int | None = None  # id() of the object that contains it

    def get(self) -> Any:
        """The value; MISSING if there is none."""
        raise NotImplementedError

    def put(self, value: Any) -> None:
        """Writes the value; MISSING deletes it."""
        raise NotImplementedError

    def as_read(self) -> tuple[int, Any, Any] | None:
        """Kind, owner and key for a guard; None where the guards of another place
        suffice."""
        return None

    def back(self, value: Any) -> None:
        """Restores an earlier value."""
        self.put(value)


class Item(Place):
    """A key of a dict: a global, a buffer of a module."""

    def __init__(self, owner: dict[Any, Any], name: Any, text: str) -> None:
        self._owner, self._name, self.text = owner, name, text
        self.key, self.part_of = (ITEM, id(owner), name), id(owner)

    def as_read(self) -> tuple[int, Any, Any] | None:
        return ITEM, self._owner, self._name

    def get(self) -> Any:
        return self._owner.get(self._name, MISSING)

    def put(self, value: Any) -> None:
        if value is MISSING:
            self._owner.pop(self._name, None)
        else:
            self._owner[self._name] = value


class Element(Place):
    """An element of a list."""

    def __init__(self, owner: list[Any], index: int, text: str) -> None:
        self._owner, self._index, self.text = owner, index, text
        self.key, self.part_of = (ITEM, id(owner), index), id(owner)

    def get(self) -> Any:
        return self._owner[self._index]

    def put(self, value: Any) -> None:
        self._owner[self._index] = value


class Instance(Place):
    """An attribute that an object keeps in its dict."""

    def __init__(self, owner: Any, name: str, text: str) -> None:
        self._owner, self.name, self.text = reference(owner), name, text
        self.key, self.part_of = where(INSTANCE, owner, name), id(owner)

    def as_read(self) -> tuple[int, Any, Any] | None:
        owner = self._owner()
        return None if owner is None else (INSTANCE, owner, self.name)

    def get(self) -> Any:
        owner = self._owner()
        return MISSING if owner is None else owner.__dict__.get(self.name, MISSING)

    def put(self, value: Any) -> None:
        owner = self._owner()
        if owner is None:
            return
        if value is MISSING:
            owner.__dict__.pop(self.name, None)
        else:
            owner.__dict__[self.name] = value

    def assign(self, value: Any) -> None:
        """Writes a caller's tensor as the code would have. During the recording it was
        a tensor of the graph. It may be a parameter, which modules keep elsewhere."""
        owner = self._owner()
        if type(value) is Tensor or "_parameters" not in getattr(owner, "__dict__", ()):
            self.put(value)
        else:
            setattr(owner, self.name, value)


class Slot(Place):
    """An attribute that is not in an object's dict: in a slot or a class."""

    def __init__(self, owner: Any, name: str, text: str) -> None:
        self._owner, self.name, self.text = reference(owner), name, text
        self._kind = TYPE if isinstance(owner, type) else SLOT
        self.key, self.part_of = (self._kind, id(owner), name), id(owner)

    def as_read(self) -> tuple[int, Any, Any] | None:
        owner = self._owner()
        return None if owner is None else (self._kind, owner, self.name)

    def get(self) -> Any:
        owner = self._owner()
        if isinstance(owner, type):
            return owner.__dict__.get(self.name, MISSING)
        return getattr(owner, self.name, MISSING)

    def put(self, value: Any) -> None:
        owner = self._owner()
        if owner is None:
            return
        if value is not MISSING:
            setattr(owner, self.name, value)
        elif self.get() is not MISSING:
            delattr(owner, self.name)


class Field(Place):
    """A field of a caller's dataclass, frozen or not, accessed without running code of
    its class."""

    def __init__(self, owner: Any, name: str, text: str) -> None:
        self._owner, self.name, self.text = owner, name, text
        kind = INSTANCE if name in getattr(owner, "__dict__", ()) else SLOT
        self.key, self.part_of = where(kind, owner, name), id(owner)

    def get(self) -> Any:
        return getattr(self._owner, self.name, MISSING)

    def put(self, value: Any) -> None:
        if value is MISSING:
            object.__delattr__(self._owner, self.name)
        else:
            object.__setattr__(self._owner, self.name, value)


class Cell(Place):
    """A variable of an enclosing function."""

    def __init__(self, owner: types.CellType, name: str) -> None:
        self._owner, self.text = owner, name
        self.key = (CELL, id(owner), None)

    def as_read(self) -> tuple[int, Any, Any] | None:
        return CELL, self._owner, None

    def get(self) -> Any:
        try:
            return self._owner.cell_contents
        except ValueError:
            return MISSING

    def put(self, value: Any) -> None:
        if value is not MISSING:
            self._owner.cell_contents = value
        elif self.get() is not MISSING:
            del self._owner.cell_contents


class Contents(Place):
    """The elements of a list, dict, set or deque."""

    def __init__(self, owner: Any, text: str) -> None:
        self.owner, self.text = owner, text
        self.key, self.part_of = (CONTENTS, id(owner), None), id(owner)

    def get(self) -> Any:
        return taken(self.owner)

    def put(self, value: Any) -> None:
        refill(self.owner, value)


class Setter(Place):
    """A place that one function reads and another writes."""

    def __init__(
        self, key: Any, get: Callable[[], Any], put: Callable[[Any], None], text: str
    ) -> None:
        self.key = ("setter", key)
        self.get, self.put = get, put  # type: ignore[method-assign]
        self.text = text


class Elements(Place):
    """All elements of a numpy array or of an array.array."""

    def __init__(self, owner: Any, text: str) -> None:
        self.key = (CONTENTS, id(owner), None)
        self.text = text
        self._owner = reference(owner)

    def get(self) -> Any:
        return copy.copy(self._owner())

    def put(self, value: Any) -> None:
        owner = self._owner()
        if owner is not None:
            owner[() if getattr(owner, "ndim", 1) == 0 else slice(None)] = value


def elements(container: Any) -> Any:
    """An iterator over the elements of a container, or over the keys and values of a
    dict, that runs no user code."""
    if isinstance(container, dict):
        ordered = isinstance(container, collections.OrderedDict)
        return iter((collections.OrderedDict if ordered else dict).items(container))
    kinds: Any = (list, tuple, set, frozenset, collections.deque, bytearray)
    return next(k for k in kinds if isinstance(container, k)).__iter__(container)


def tuple_of(kind: Any, parts: list[Any]) -> Any:
    """A tuple of a given class. Its code runs only for C classes: time.struct_time."""
    try:
        return tuple.__new__(kind, parts)
    except TypeError:
        return kind(parts)


def taken(container: Any) -> Any:
    """The elements in a new container."""
    if isinstance(container, dict):
        return dict(elements(container))
    if isinstance(container, (set, frozenset)):
        return set(elements(container))
    if isinstance(container, bytearray):
        return bytes(container)
    return list(elements(container))


def refill(container: Any, elements: Any) -> None:
    """Replaces the elements of the container without running user code."""
    ordered = collections.OrderedDict
    kinds: Any = (list, bytearray, collections.deque, ordered, dict, set)
    plain = next(kind for kind in kinds if isinstance(container, kind))
    if plain in (list, bytearray):
        plain.__setitem__(container, slice(None), elements)
        return
    plain.clear(container)
    if isinstance(container, dict):
        for key, value in elements.items():
            plain.__setitem__(container, key, value)
    elif plain is set:
        set.update(container, elements)
    else:
        collections.deque.extend(container, elements)


def same_contents(a: Any, b: Any) -> bool:
    """Whether two results of taken() have the same objects in the same order."""
    if type(a) is not type(b) or len(a) != len(b):
        return False
    if isinstance(a, dict):
        return all(
            k is j and v is w for (k, v), (j, w) in zip(a.items(), b.items())
        )
    if isinstance(a, (set, bytes)):
        return bool(a == b)
    return all(v is w for v, w in zip(a, b))
