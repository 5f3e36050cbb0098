"""Makes the values that code returns and leaves in places anew in every call.

Identity is kept: a list that is kept in two places, or kept and returned, is one list
in each call. Containers of the caller and captured containers stay the same objects.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

from .. import _core
from .._symbols.symbol import Symbol
from .build import is_converted
from .codes import RUNTIME
from .elements import History, Id
from .errors import StagingError
from .iterables import Range
from .left_behind import tensor_inside
from .object_reads import CONTAINERS, is_library_class, is_plain, module_class
from .places import elements, reference, refill, tuple_of
from .texts import Later, Shot, Shown, Text, shown
from .values import Tensor, flatten, is_mixed, new_containers, python_number

_OF_FUNCTIONS = ("__qualname__", "__doc__", "__module__", "__annotations__")
_SHARED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)


class Call:
    """One call: its tensors, its arguments, and the objects made for it."""

    def __init__(self, tensors: list[Any], arguments: list[Any]) -> None:
        self.tensors, self.arguments = tensors, arguments
        self.made: dict[Any, Any] = {}


class _Last(threading.local):
    call: Call | None = None


last = _Last()

# Gives the value for a call.
Maker = Callable[[Call], Any]


def at(arguments: Any, path: tuple[Any, ...]) -> Any:
    """The part of the arguments at a path."""
    for step in path:
        named = type(step) is Attribute
        arguments = getattr(arguments, step) if named else arguments[step]
    return arguments


class Attribute(str):
    """A step of a path that is an attribute, not a key."""


class Making:
    """The makers of one recording. `tensors` are those of the graph that calls
    need."""

    def __init__(self, recorder: Any, tensors: list[Any]) -> None:
        self._recorder, self._tensors = recorder, tensors
        self._known: dict[int, tuple[Any, Maker]] = {}
        self._contents: dict[int, Maker] = {}  # of closure variables

    def of(self, value: Any, text: str) -> Maker:
        """The maker of a value for calls."""
        if is_plain(value) and not isinstance(value, (Tensor, Symbol)):
            return lambda _: value
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = value, self._maker(value, text)
        return known[1]

    def _maker(self, value: Any, text: str) -> Maker:
        recorder = self._recorder
        if isinstance(value, Tensor):
            return self._tensor(value, text)
        if type(value) is Text:
            return self._text(value, text)
        if type(value) is Id:
            raise StagingError(
                f"{text} {_verb(text)} the id() of an object that is another in every "
                "call; wanted the object"
            )
        if isinstance(value, weakref.ref):
            target = self.of(value(), text)
            return lambda call: weakref.ref(target(call))
        if type(value) is Later:
            later = self._text(value.text, text)
            return lambda call: Shown(later(call))
        if type(value) is Shot:
            tensor, kind = self.of(value.tensor, text), value.kind
            return lambda call: kind(tensor(call))
        if isinstance(value, Symbol):
            return self._number(value._tensor(), value.__class__)
        if id(value) in recorder.from_caller:
            path = recorder.from_caller[id(value)][1]
            return lambda call: at(call.arguments, path)
        if isinstance(value, types.MethodType):
            # Each access of o.m makes a new object, and this one is gone by then.
            owner, function = self.of(value.__self__, text), value.__func__
            return lambda call: types.MethodType(function, owner(call))
        if id(value) in recorder.old:
            return _Outside(value)
        if type(value) is Range:
            decided = value.now()
            return lambda _: decided
        if isinstance(value, _core.List) and is_grown(recorder):
            return self._list(value, text)
        if isinstance(value, tuple):
            kind = type(value)
            parts = [self.of(part, text) for part in elements(value)]
            return self._attributed(
                value, text,
                lambda call: tuple_of(kind, [part(call) for part in parts]),
            )
        if isinstance(value, CONTAINERS):
            return self._container(value, text)
        if isinstance(value, types.FunctionType) and is_converted(value):
            return self._function(value, text)
        if _is_made_of_attributes(value):
            return self._instance(value, text)
        leaves, structure = flatten(value)
        if len(leaves) != 1 or leaves[0] is not value:
            parts = [self.of(leaf, text) for leaf in leaves]
            return _once(
                lambda call: structure.unflatten([part(call) for part in parts])
            )
        return self._object(value, text)

    def _tensor(self, tensor: Any, text: str) -> Maker:
        if id(tensor) in self._recorder.tensors:
            return lambda _: tensor
        if is_mixed(tensor):
            raise StagingError(
                f"{text} {_verb(text)} what is a number on one way through a branch "
                "and a tensor, or a number of another class, on the other; wanted "
                "one of the two"
            )
        number = python_number(tensor)
        if number is not None:
            return self._number(tensor, number)
        place = len(self._tensors)
        self._tensors.append(tensor)
        return lambda call: call.tensors[place]

    def _list(self, value: Any, text: str) -> Maker:
        """A list that the code made and that grew in a branch or loop of the graph."""
        kinds = self._recorder.grown
        if kinds not in ({Tensor}, {int}, {bool}):
            raise StagingError(
                f"{text} {_verb(text)} a list of "
                f"{' and '.join(sorted(kind.__name__ for kind in kinds))} that grew in "
                "a branch or loop of the graph, which has tensors of one type only; "
                "wanted sl.stack() of it"
            )
        leaves, structure = flatten(value)
        if kinds == {Tensor} and leaves[0].requires_grad:
            raise StagingError(
                f"{text} {_verb(text)} a list that grew in a branch or loop of the "
                "graph, through whose elements gradients flow; wanted sl.stack() of it"
            )
        tensor = self.of(leaves[0], text)

        def make(call: Call) -> Any:
            made = structure.unflatten([tensor(call)])
            items = [made[i] for i in range(len(made))]
            return items if kinds == {Tensor} else [item.item() for item in items]

        return _once(make)

    def _text(self, value: Text, text: str) -> Maker:
        """A string that depends on what the graph computes."""
        parts = [
            p
            if isinstance(p, str)
            else (self.of(p[0], text), p[1], self.of(p[2], text))
            for p in value.parts
        ]

        def make(call: Call) -> str:
            return "".join(
                p if isinstance(p, str) else shown(p[0](call), p[1], p[2](call))
                for p in parts
            )

        return make

    def _number(self, tensor: Any, kind: type) -> Maker:
        """A Python number that the graph computes."""
        place = len(self._tensors)
        self._tensors.append(tensor)
        return lambda call: kind(call.tensors[place].item())

    def _container(self, value: Any, text: str) -> Maker:
        if isinstance(value, bytearray):
            return _once(lambda _: copy.copy(value))
        parts: Any
        if isinstance(value, dict):
            items = [(_key(k), self.of(v, text)) for k, v in elements(value)]
            if type(value) is dict:
                return _once(lambda call: {k: part(call) for k, part in items})
            parts = lambda call: {k: part(call) for k, part in items}  # noqa: E731
        elif isinstance(value, set):
            where = tensor_inside(value)
            if where is not None:
                raise left(value, text, where)
            keys = [_key(part) for part in elements(value)]
            parts = lambda _: keys  # noqa: E731
        else:
            made = [self.of(part, text) for part in elements(value)]
            if type(value) is list:
                return _once(lambda call: [part(call) for part in made])
            parts = lambda call: [part(call) for part in made]  # noqa: E731
        bare = _bare(value)

        def filled(call: Call) -> Any:
            made = bare()
            refill(made, parts(call))
            return made

        return self._attributed(value, text, filled)

    def _attributed(self, value: Any, text: str, make: Maker) -> Maker:
        """The object that `make` gives, with the attributes that code has set on it."""
        held = [(name, self.of(v, text)) for name, v in _attributes(value)]
        if not held:
            return _once(make)

        def with_attributes(call: Call) -> Any:
            made = make(call)
            for name, part in held:
                object.__setattr__(made, name, part(call))
            return made

        return _once(with_attributes)

    def _instance(self, value: Any, text: str) -> Maker:
        """An instance of a user class whose only state is its attributes. They may
        refer to the instance."""
        cls = type(value)
        parts: list[tuple[str, Maker]] = []

        def maker(call: Call) -> Any:
            key = id(maker)
            if key not in call.made:
                made = call.made[key] = object.__new__(cls)
                for name, part in parts:
                    object.__setattr__(made, name, part(call))
            return call.made[key]

        self._known[id(value)] = value, maker
        for name, held in _attributes(value):
            parts.append((name, self.of(held, text)))
        return maker

    def _function(self, value: types.FunctionType, text: str) -> Maker:
        """A function that the code has made. Its closure variables and its attributes
        are those of each call. It may refer to itself."""
        where = tensor_inside(value)
        if where is not None:
            raise left(value, text, where)
        code, contents = value.__code__, self._contents
        parts: dict[str, Maker] = {}

        def maker(call: Call) -> Any:
            key = id(maker)
            if key not in call.made:
                around = tuple(cell(call) for cell in cells)
                made = call.made[key] = types.FunctionType(
                    code, value.__globals__, value.__name__, None, around
                )
                for cell in cells:
                    _fill(cell, contents, call)
                for name in _OF_FUNCTIONS:
                    setattr(made, name, getattr(value, name))
                for name, part in parts.items():
                    setattr(made, name, part(call))
            return call.made[key]

        self._known[id(value)] = value, maker
        pairs = zip(code.co_freevars, value.__closure__ or ())
        cells = [self._cell(cell, name, text) for name, cell in pairs]
        kept = {n: v for n, v in value.__dict__.items() if n != "__sl_converted__"}
        kept["__defaults__"] = value.__defaults__
        kept["__kwdefaults__"] = value.__kwdefaults__
        parts.update((name, self.of(held, text)) for name, held in kept.items())
        return maker

    def _cell(self, cell: types.CellType, name: str, text: str) -> Maker:
        """A closure variable of a function."""
        known = self._known.get(id(cell))
        if known is not None:
            return known[1]
        outside = any(cell is kept for kept, _ in self._recorder.cells_of_code())
        if outside or name == RUNTIME:
            return lambda _: cell
        maker = _once(lambda _: types.CellType())
        self._known[id(cell)] = cell, maker
        try:
            self._contents[id(maker)] = self.of(cell.cell_contents, text)
        except ValueError:  # no value yet
            pass
        return maker

    def _object(self, value: Any, text: str) -> Maker:
        where = tensor_inside(value)
        if where is not None:
            raise left(value, text, where)
        if type(value) is History:
            raise StagingError(
                f"{text} {_verb(text)} the grad_fn of a tensor, which is another in "
                "every call; wanted the tensor"
            )
        if isinstance(value, _SHARED):
            return lambda _: value
        if hasattr(type(value), "__next__") or isinstance(value, _VIEWS):
            raise StagingError(
                f"{text} {_verb(text)} a {type(value).__name__}, which every call "
                "would go on with; wanted a list"
            )
        old = self._recorder.old
        try:
            memo = {key: kept for key, kept in old.items()}
            kept = copy.deepcopy(value, memo)
        except Exception:  # it cannot be copied
            return lambda _: value
        return _once(lambda _: copy.deepcopy(kept, dict(memo)))


def _fill(cell: Maker, contents: dict[int, Maker], call: Call) -> None:
    """Sets a closure variable, whose value may be the function itself."""
    part, done = contents.get(id(cell)), (id(cell), "filled")
    if part is not None and done not in call.made:
        call.made[done] = None
        cell(call).cell_contents = part(call)


def _is_made_of_attributes(value: Any) -> bool:
    cls = type(value)
    if is_library_class(cls) or isinstance(value, _OF_OTHERS):
        return False
    if isinstance(value, module_class()) or hasattr(cls, "__next__"):
        return False
    own = ("__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__")
    if any(name in base.__dict__ for base in cls.__mro__[:-1] for name in own):
        return False
    try:
        object.__new__(cls)
    except TypeError:  # it has state besides attributes
        return False
    return True


_OF_OTHERS = (BaseException, enum.Enum, type, types.ModuleType, threading.local)


def _attributes(value: Any) -> list[tuple[str, Any]]:
    """The attributes that an object keeps in its dict and in slots."""
    held = list(getattr(value, "__dict__", {}).items())
    for base in type(value).__mro__:
        for name, raw in base.__dict__.items():
            if isinstance(raw, types.MemberDescriptorType) and hasattr(value, name):
                held.append((name, getattr(value, name)))
    return held


_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))


def _verb(text: str) -> str:
    return "holds" if text.endswith("returns") else "is left with"


def left(value: Any, text: str, where: str) -> StagingError:
    """The error for a tensor of the graph where calls cannot place theirs."""
    return StagingError(
        f"{text} {_verb(text)} a {type(value).__name__} that holds a tensor of the "
        f"graph{where}; wanted tensors, numbers, tuples, lists, dicts or dataclasses "
        "of them"
    )


def _key(key: Any) -> Any:
    """The key as a Python value. A size used as a key was decided, and so were the
    sizes of a shape."""
    if isinstance(key, Symbol):
        return key._now()
    if type(key) is Id or (isinstance(key, Tensor) and key.symbolic):
        raise StagingError(
            "a dict or set that outlives the call has a key that is another object in "
            "every call: a tensor of the graph, or the id() of one; wanted a name"
        )
    if isinstance(key, tuple) and any(_key(part) is not part for part in key):
        return tuple_of(type(key), [_key(part) for part in key])
    return key


def _bare(container: Any) -> Callable[[], Any]:
    """A function that makes empty containers like this one without running user
    code."""
    cls: Any = type(container)
    if isinstance(container, collections.deque):
        longest = container.maxlen

        def deque() -> Any:
            made = collections.deque.__new__(cls)
            collections.deque.__init__(made, (), longest)
            return made

        return deque
    if isinstance(container, collections.defaultdict):
        factory = container.default_factory

        def table() -> Any:
            made = collections.defaultdict.__new__(cls)
            collections.defaultdict.__init__(made, factory)
            return made

        return table
    kinds: Any = (collections.OrderedDict, dict, list, set)
    kind = next(k for k in kinds if isinstance(container, k))
    return lambda: kind.__new__(cls)


def _once(make: Maker) -> Maker:
    """Wraps a maker so that it makes one object in each call."""

    def maker(call: Call) -> Any:
        key = id(maker)
        if key not in call.made:
            call.made[key] = make(call)
        return call.made[key]

    return maker


class _Outside:
    """An object that the program outside keeps alive, referred to weakly."""

    def __init__(self, value: Any) -> None:
        self._value = reference(value)

    def __call__(self, _: Call) -> Any:
        value = self._value()
        if value is None:
            raise RuntimeError(
                "a captured function writes an object that is gone since it was "
                "recorded"
            )
        return value


# ---- Returned values ----


class Result:
    """A returned value that is more than new containers of tensors and numbers."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.maker: Maker | None = None


def _parts(result: Result) -> tuple[list[Any], Any]:
    return [], result  # its tensors are among the written ones


def _together(result: Result, _: tuple[Any, ...]) -> Any:
    call, last.call = last.call, None
    if call is None or result.maker is None:
        return result.value  # taken apart and put together, not called
    return result.maker(call)


_core.tree_register(Result, _parts, _together)


def is_grown(recorder: Any) -> bool:
    """Whether Lists are Python lists in the program."""
    return bool(recorder.grown) and not recorder.own_lists


def is_plain_tree(recorder: Any, value: Any, seen: dict[int, Any]) -> bool:
    """Whether the value consists only of new containers, tensors and numbers."""
    if isinstance(value, Tensor):
        return python_number(value) is None and not is_mixed(value)
    if is_plain(value):
        return True
    if id(value) in seen or id(value) in recorder.old:
        return False
    if id(value) in recorder.from_caller:
        return False
    seen[id(value)] = value
    if isinstance(value, tuple):
        named = type(value) is tuple or hasattr(value, "_fields")
        if not named or getattr(value, "__dict__", None):
            return False  # it has state besides its parts
        return all(is_plain_tree(recorder, part, seen) for part in value)
    if recorder.frames[0]:
        return False  # it may also be kept in a place
    if type(value) is list:
        return all(is_plain_tree(recorder, part, seen) for part in value)
    if type(value) is dict:
        return all(
            type(k) in (str, int) and is_plain_tree(recorder, v, seen)
            for k, v in value.items()
        )
    if isinstance(value, CONTAINERS):
        return False
    if isinstance(value, _core.List):
        return not is_grown(recorder)
    if dataclasses.is_dataclass(value):
        held = _attributes(value)
        if {name for name, _ in held} != {f.name for f in dataclasses.fields(value)}:
            return False
        return all(is_plain_tree(recorder, part, seen) for _, part in held)
    leaves, structure = flatten(value)
    if len(leaves) == 1 and leaves[0] is value:
        return False
    return all(is_plain_tree(recorder, leaf, seen) for leaf in leaves)


def returned(recorder: Any, value: Any) -> Any:
    """The value that the code returned, in a form from which calls make the same."""
    if is_plain_tree(recorder, value, {}):
        return new_containers(value)
    return Result(value)
