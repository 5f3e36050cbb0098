"""What a recording leaves in places, done again by every call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import _core
from .._symbols.symbol import Symbol
from .errors import StagingError
from .left_behind import tensor_inside
from .places import (
    Contents,
    Element,
    Instance,
    Item,
    Place,
    reference,
    refill,
    same_contents,
)
from .values import MISSING, PYTHON, Tensor, flatten

_TENSOR = object()  # where a tensor of the call belongs
_ALONE = object()  # the structure of one tensor


class Adder(Place):
    """An element that is added to a container."""

    def __init__(self, owner: Any, name: str, value: Any) -> None:
        self._owner, self._name, self.value = owner, name, value
        self.text = f"a {type(owner).__name__} (by {name})"

    def put(self, value: Any) -> None:
        getattr(self._owner, self._name)(value)


class Effect(Place):
    """A call that every call of the function makes: print."""

    def __init__(self, function: Any, value: Any, number: int) -> None:
        self.function, self.value, self.text = function, value, function.__name__
        self.key = ("effect", number)

    def get(self) -> Any:
        return None

    def back(self, value: Any) -> None:
        pass

    def put(self, value: Any) -> None:
        args, kwargs = value
        self.function(*args, **kwargs)


class Attribute(str):
    """A step of a path that is no key but a name."""


def _at(arguments: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        named = type(step) is Attribute
        arguments = getattr(arguments, step) if named else arguments[step]
    return arguments


class SameContainers:
    """Whether containers among the arguments are what the code found elsewhere,
    and others are not; whether dicts are in the same order."""

    def __init__(
        self, found: dict[Any, Any], others: list[Any], orders: dict[Any, list[Any]]
    ) -> None:
        self._found = found
        self._orders = orders
        self._others = others  # kept, so that their addresses stay theirs
        self._ids = {id(v) for v in others} - {id(v) for v in found.values()}

    def __call__(self, arguments: list[Any]) -> bool:
        for path, wanted in self._found.items():
            if _at(arguments, path) is not wanted:
                return False
        for path, keys in self._orders.items():
            if list(_at(arguments, path)) != keys:
                return False
        return not any(self._meets(value) for value in arguments)

    def _meets(self, value: Any) -> bool:
        if type(value) in (list, tuple):
            return id(value) in self._ids or any(map(self._meets, value))
        if type(value) is dict:
            return id(value) in self._ids or any(map(self._meets, value.values()))
        return False


class OfCaller(Place):
    """A part of an argument: of every call the caller's own."""

    def __init__(self, place: Any, path: tuple[Any, ...]) -> None:
        self._path, self.text = path, place.text
        self._name = None if isinstance(place, Contents) else place.name

    def put_in(self, arguments: list[Any], value: Any) -> None:
        """Writes it into what the caller gave."""
        owner = _at(arguments, self._path)
        if self._name is None:
            refill(owner, value)
        elif value is MISSING:
            delattr(owner, self._name)
        else:
            setattr(owner, self._name, value)


class Writes:
    """Called with the tensors of a call: writes all places, in program order."""

    def __init__(self) -> None:
        self._all: list[tuple[Place, list[Any], Any]] = []

    def add(
        self,
        place: Place,
        value: Any,
        tensors: list[Any],
        outside: Any,
    ) -> None:
        """One more; its tensors are added to the list. What the recorder knows to
        be from `outside` is written as it is. What the graph makes of numbers of
        Python's is one of them."""
        if value is MISSING:
            self._all.append((place, [MISSING], None))
            return
        leaves, structure = flatten(value)
        kept: list[Any] = []
        for leaf in leaves:
            if id(leaf) in outside.tensors:
                kept.append(leaf)
                continue
            if isinstance(leaf, Tensor):
                number = getattr(leaf, "_sl_python", None)
                if number is None and leaf._number:
                    number = PYTHON.get(leaf.dtype)
                tensors.append(leaf)
                kept.append(_Number(number) if number else _TENSOR)
                continue
            if isinstance(leaf, Symbol):
                tensors.append(leaf._tensor())
                kept.append(_Number(leaf.__class__))
                continue
            where = tensor_inside(leaf)
            if where is not None:
                raise StagingError(
                    f"{place.text} is left with a {type(leaf).__name__} that holds a "
                    f"tensor of the graph{where}; wanted tensors, numbers, tuples, "
                    "lists, dicts or dataclasses of them"
                )
            kept.append(_Outside(leaf) if id(leaf) in outside.old else leaf)
        alone = isinstance(value, Tensor) and kept[0] is _TENSOR
        self._all.append((place, kept, _ALONE if alone else structure))

    def __bool__(self) -> bool:
        return bool(self._all)

    @property
    def text(self) -> str:
        """The first place it writes, for messages."""
        return self._all[0][0].text

    def __call__(self, tensors: list[Any], arguments: list[Any]) -> None:
        left = iter(tensors)
        for place, kept, structure in self._all:
            value = MISSING
            if structure is _ALONE:
                value = next(left)
            elif structure is not None:
                leaves = [
                    next(left)
                    if leaf is _TENSOR
                    else leaf.of(left)
                    if type(leaf) in _MADE
                    else leaf
                    for leaf in kept
                ]
                value = structure.unflatten(leaves)
            if type(place) is OfCaller:
                place.put_in(arguments, value)
            elif type(place) is Instance and isinstance(value, Tensor):
                place.assign(value)
            else:
                place.put(value)
        _core.bump_epoch()


class _Number:
    """A tensor of the graph that is a number of Python's outside."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def of(self, tensors: Iterator[Any]) -> Any:
        return self._kind(next(tensors).item())


class _Outside:
    """An object that the program around keeps: not kept here, too."""

    def __init__(self, value: Any) -> None:
        self._value = reference(value)

    def of(self, _: Iterator[Any]) -> Any:
        value = self._value()
        if value is None:
            raise RuntimeError(
                "a captured function writes an object that is gone since it was "
                "recorded"
            )
        return value


_MADE = frozenset({_Number, _Outside})


def finished(recorder: Any, result: Any, fed: dict[Any, Any]) -> Any:
    """What every call writes: (tensors, Writes), or None when there is nothing."""
    for leaf in flatten(result)[0]:
        where = None if isinstance(leaf, Tensor) else tensor_inside(leaf, recorder.old)
        if where is not None:
            raise StagingError(
                f"{recorder.name}: what it returns holds a {type(leaf).__name__} that "
                f"holds a tensor of the graph{where}; wanted tensors, numbers, "
                "tuples, lists, dicts or dataclasses of them"
            )
    writes, tensors = Writes(), []
    for key, (place, before) in recorder.frames[0].items():
        now = place.get()
        if isinstance(place, Effect):
            now = place.value
        elif isinstance(place, Contents):
            log = recorder.logs.get(id(place.owner))
            if log:
                for added in log:
                    writes.add(added, added.value, tensors, recorder)
                continue
            if same_contents(now, recorder.adopted.get(key, before)):
                continue
        elif now is before:
            # What was there was written: nothing to do while it is.
            recorder.handed_on(place, now)
            continue
        elif now is fed.get(key, MISSING) is not MISSING:
            continue
        given = recorder.from_caller.get(key[1]) if len(key) == 3 else None
        if given is not None:
            if isinstance(place, (Element, Item)):
                continue  # a part of the contents, which are written as a whole
            place = OfCaller(place, given[1])
        writes.add(place, now, tensors, recorder)
    return (tensors, writes) if writes else None
