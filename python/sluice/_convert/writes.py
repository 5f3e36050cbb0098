"""The writes of a recording to places, repeated by every call."""

from __future__ import annotations

import dataclasses
from typing import Any

from .. import _core
from .errors import StagingError
from .left_behind import tensor_inside
from .made import Call, Maker, Making, Result, at, last
from .places import (
    Contents,
    Element,
    Field,
    Instance,
    Item,
    Place,
    refill,
    same_contents,
)
from .values import MISSING, Tensor, flatten


class Adder(Place):
    """An element added to a container."""

    def __init__(self, owner: Any, name: str, value: Any) -> None:
        self._owner, self._name, self.value = owner, name, value
        self.text = f"a {type(owner).__name__} (by {name})"

    def put(self, value: Any) -> None:
        getattr(self._owner, self._name)(value)


class Effect(Place):
    """A call that every call of the function repeats, such as print."""

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


class SameContainers:
    """Checks that containers among the arguments are the ones that the code found
    elsewhere, and that others are not; that dicts have the same order; and that tensors
    are contiguous as before."""

    def __init__(
        self,
        found: dict[Any, Any],
        others: list[Any],
        orders: dict[Any, list[Any]],
        in_order: dict[Any, bool],
        caches: list[Any],
        given: list[tuple[Any, Any]],
    ) -> None:
        self._caches = caches
        self._paths = [path for path, _ in given]
        self._which = _which([own for _, own in given])
        self._found = found
        self._in_order = in_order
        self._orders = orders
        self._others = others  # kept, so that their addresses stay theirs
        self._ids = {id(v) for v in others} - {id(v) for v in found.values()}

    def __call__(self, arguments: list[Any]) -> bool:
        for path, wanted in self._found.items():
            if at(arguments, path) is not wanted:
                return False
        if self._paths and not self._as_before(arguments):
            return False
        for path, keys in self._orders.items():
            if list(at(arguments, path)) != keys:
                return False
        for path, flat in self._in_order.items():
            tensor = at(arguments, path)
            if isinstance(tensor, Tensor) and tensor.is_contiguous() != flat:
                return False
        if any(self._meets(value) for value in arguments):
            return False
        return all(asked.holds() for asked in self._caches)

    def _as_before(self, arguments: list[Any]) -> bool:
        """Whether the same arguments are identical to each other as before."""
        return _which([at(arguments, path) for path in self._paths]) == self._which

    def _meets(self, value: Any) -> bool:
        if isinstance(value, (list, tuple)):
            return id(value) in self._ids or any(map(self._meets, value))
        if isinstance(value, dict):
            return id(value) in self._ids or any(map(self._meets, value.values()))
        if dataclasses.is_dataclass(value):
            if id(value) in self._ids:
                return True
            names = [field.name for field in dataclasses.fields(value)]
            return any(self._meets(getattr(value, name, None)) for name in names)
        return False


def _which(objects: list[Any]) -> list[int]:
    """For each object, the index of the first identical one."""
    first: dict[int, int] = {}
    return [first.setdefault(id(one), i) for i, one in enumerate(objects)]


class OfCaller(Place):
    """A part of an argument, which belongs to the caller in every call."""

    def __init__(self, place: Any, path: tuple[Any, ...]) -> None:
        self._path, self.text = path, place.text
        self._name = None if isinstance(place, Contents) else place.name

    def put_in(self, arguments: list[Any], value: Any) -> None:
        """Writes the value into the caller's argument."""
        owner = at(arguments, self._path)
        if self._name is None:
            refill(owner, value)
        else:
            Field(owner, self._name, self.text).put(value)


class Writes:
    """Called with the tensors of a call: writes all places, in program order."""

    def __init__(self, making: Making, returns: bool) -> None:
        self._making: Making | None = making
        self._returns = returns  # the result is made of the tensors too
        self._all: list[tuple[Place, Maker | None]] = []

    def add(self, place: Place, value: Any) -> None:
        """Adds a write."""
        assert self._making is not None
        make = None if value is MISSING else self._making.of(value, place.text)
        self._all.append((place, make))

    def close(self) -> None:
        """Ends the list of writes."""
        self._making = None

    def __bool__(self) -> bool:
        return bool(self._all) or self._returns

    @property
    def text(self) -> str:
        """The first place it writes, for messages."""
        return self._all[0][0].text

    def __call__(self, tensors: list[Any], arguments: list[Any]) -> None:
        call = Call(tensors, arguments)
        for place, make in self._all:
            value = MISSING if make is None else make(call)
            if type(place) is OfCaller:
                place.put_in(arguments, value)
            elif type(place) is Instance and isinstance(value, Tensor):
                place.assign(value)
            else:
                place.put(value)
        last.call = call if self._returns else None
        if self._all:
            _core.bump_epoch()


def finished(recorder: Any, result: Any, fed: dict[Any, Any]) -> Any:
    """The writes of every call: (tensors, Writes), or None if there are none."""
    for leaf in flatten(result)[0]:
        where = None if isinstance(leaf, Tensor) else tensor_inside(leaf, recorder.old)
        if where is not None:
            raise StagingError(
                f"{recorder.name}: what it returns holds a {type(leaf).__name__} that "
                f"holds a tensor of the graph{where}; wanted tensors, numbers, "
                "tuples, lists, dicts or dataclasses of them"
            )
    tensors: list[Any] = []
    making = Making(recorder, tensors)
    writes = Writes(making, isinstance(result, Result))
    for key, (place, before) in recorder.frames[0].items():
        now = place.get()
        if isinstance(place, Effect):
            now = place.value
        elif isinstance(place, Contents):
            log = recorder.logs.get(id(place.owner))
            if log:
                for added in log:
                    writes.add(added, added.value)
                continue
            if same_contents(now, recorder.adopted.get(key, before)):
                continue
        elif now is before:
            # The same value was written: nothing to do while it is there.
            recorder.handed_on(place, now)
            continue
        elif now is fed.get(key, MISSING) is not MISSING:
            continue
        elif now is not MISSING and now is recorder.adopted.get(key, MISSING):
            continue
        given = recorder.from_caller.get(place.part_of)
        if given is not None:
            recorder.writes_arguments = True
            if isinstance(place, (Element, Item)):
                continue  # part of the contents, which are written as a whole
            place = OfCaller(place, given[1])
        writes.add(place, now)
    if isinstance(result, Result):
        result.maker = making.of(result.value, f"{recorder.name}: what it returns")
    writes.close()
    return (tensors, writes) if writes else None
