"""Records what Python code reads and writes outside the recorded function.

While a function is recorded, converted code reports to its Recorder every access to
attributes, globals, closure variables, defaults and containers. Reads become guards,
which every later call compares (guards.h). Writes take effect at once, are undone when
the recording ends, and are repeated by every call with the tensors of that call.

An object is *old* when it was reached from outside: through a global, an argument or
an attribute of another old object. Objects that the code creates need no guard.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
import types
import weakref
from typing import Any

from .. import _core
from .._symbols.numbers import float_of, size_of
from . import object_reads
from .errors import StagingError
from .handed import hand_over, has_setters, is_users_object
from .left_behind import refuse_left_behind
from .object_reads import find
from .one_of import refuse_one_of
from .outside_world import refused_stream
from .place import user_place
from .refusals import values_may_decide
from .places import (
    CELL,
    ELEMENT,
    INSTANCE,
    ITEM,
    SLOT,
    TYPE,
    Cell,
    Contents,
    Element,
    Elements,
    Field,
    Instance,
    Item,
    Place,
    Setter,
    Slot,
    elements,
    tuple_of,
)
from .reading import Reading
from .seeded import refuse_kept
from .targets import Local, Target
from .values import MISSING, Tensor
from .made import Attribute, returned
from .writes import Effect, SameContainers, finished

_CONTAINERS = object_reads.CONTAINERS


class Recorder(Reading):
    """The recorder of one recording, or of one construct of a graph where no function
    is being recorded."""

    def __init__(self, name: str, converted: bool = True) -> None:
        super().__init__(converted)
        self.name = name
        # Objects that change at the end of a call, and the function that changes them.
        self.unsettled: dict[int, tuple[Any, str]] = {}
        self.stdout = sys.stdout
        self.grown: set[Any] = set()  # classes in lists that became Lists
        self.own_lists = False  # the code makes Lists itself
        self.one_of: dict[int, tuple[Any, str]] = {}  # merged containers
        self.seeded: dict[int, Any] = {}  # random.Random objects that the code made
        self.caches: list[Any] = []  # checks of functools.cache results and the like
        self.chose = False  # a branch or loop has become part of the graph
        self.raising = 0  # paths of branches that raise
        # A refused request by Python for elements. Even if the code handled the error,
        # the recording is not what the code does.
        self.wanted: str | None = None
        # Containers among the arguments, and their paths there.
        self.adopted: dict[Any, Any] = {}  # and what they were filled with
        self.from_caller: dict[int, tuple[Any, tuple[Any, ...]]] = {}
        self._paths: list[tuple[Any, Any]] = []  # every path where one of them is
        self.writes_arguments = False
        self._orders: dict[tuple[Any, ...], list[Any]] = {}  # of the caller's dicts
        # The caller's tensors, their stand-ins, and their paths.
        self._given: dict[int, tuple[Any, Any, tuple[Any, ...]]] = {}
        self._in_order: dict[tuple[Any, ...], bool] = {}  # is_contiguous() was read
        self._grad_mode: bool | None = None
        self._written_arrays: list[Any] = []

    # ---- Called from C++ ----

    def begin(self, code: Any, first: Any, names: list[str], fixed: list[Any]) -> None:
        """Starts with the code and the arguments that are not tensors."""
        self._grad_mode = _core.is_grad_enabled()
        if first is not None:
            self.value(first, "self")
        for name, value in zip(names, fixed):
            self.value(value, name)
        inner = code.__func__ if isinstance(code, types.MethodType) else code
        if isinstance(inner, types.FunctionType):
            self.converted = self.converted and self.sees(inner)
        self.inlined(code)
        if not self.converted:
            if first is None:
                object_reads.called(self, code)
            elif isinstance(code, types.FunctionType):
                self.unconverted(code, (first,))

    def inlined(self, code: Any) -> None:
        """Notes a captured function whose code runs as part of this recording."""
        if isinstance(code, types.FunctionType):
            if not self._made_here(code):
                self.value(code, code.__name__)
            self.function(code)
        elif isinstance(code, types.MethodType):
            self.value(code.__self__, "self")
            self.value(code.__func__, getattr(code, "__name__", "method"))
            if isinstance(code.__func__, types.FunctionType):
                self.function(code.__func__)
        elif isinstance(code, functools.partial):
            self.value(code.args, "the arguments")
            self.value(code.keywords, "the arguments")
            self.inlined(code.func)
        else:
            self.value(code, "self")

    def _made_here(self, function: types.FunctionType) -> bool:
        """Whether its closure holds tensors of the graph, so that this recording made
        it. Cells from outside may hold such tensors too, while their places are fed."""
        for cell in function.__closure__ or ():
            if Cell(cell, "").key in self._fed:
                continue
            try:
                if _core.recorded_here(cell.cell_contents):
                    return True
            except ValueError:
                pass
        return False

    def arguments(self, values: list[Any], callers: list[Any]) -> list[Any]:
        """The arguments to call the code with. Containers are the caller's own, filled
        with the tensors of the graph during the recording, so that every reference to
        them shows the same."""
        if not callers:
            callers = values
        made = [self._argument(v, own, (i,)) for i, (v, own) in
                enumerate(zip(values, callers))]
        return made

    def _argument(self, value: Any, own: Any, path: tuple[Any, ...]) -> Any:
        if isinstance(value, tuple) and type(value) is type(own):
            return self._tuple(value, own, path)
        if type(value) is list and isinstance(own, list):
            pairs = zip(list(value), list(own))
            filled: Any = [
                self._argument(*p, (*path, i)) for i, p in enumerate(pairs)
            ]
        elif isinstance(value, dict) and type(value) is type(own):
            filled = {
                k: self._argument(v, own[k], (*path, k)) for k, v in value.items()
            }
            filled = {k: filled[k] for k in own}  # in the caller's order
            if len(own) > 1:
                self._orders[path] = list(own)
        elif isinstance(value, Tensor) and isinstance(own, Tensor):
            # A tensor passed several times is one object.
            return self._given.setdefault(id(own), (own, value, path))[1]
        else:
            if dataclasses.is_dataclass(own) and not isinstance(own, type):
                return self._fields(value, own, path)
            return value
        place = Contents(own, self.names.get(id(own), "an argument"))
        self.note(place)
        place.put(filled)
        self.adopted[place.key] = place.get()
        self.from_caller[id(own)] = own, path
        self._paths.append((path, own))
        self.exists(own)
        return own

    def _tuple(self, value: Any, own: Any, path: tuple[Any, ...]) -> Any:
        """A caller's tuple with its tensors replaced by those of the graph."""
        pairs = zip(elements(value), elements(own))
        parts = [self._argument(*p, (*path, i)) for i, p in enumerate(pairs)]
        made = tuple_of(type(own), parts)
        self._class_given(own)
        for name, held in getattr(own, "__dict__", {}).items():
            inside = value.__dict__.get(name, held)
            made.__dict__[name] = self._argument(inside, held, (*path, Attribute(name)))
        self.from_caller[id(made)] = made, path
        return made

    def _fields(self, value: Any, own: Any, path: tuple[Any, ...]) -> Any:
        """A caller's dataclass, which holds the tensors of the graph during the
        recording."""
        self._paths.append((path, own))
        if id(own) in self.from_caller:
            return own  # it is given twice
        self._class_given(own)
        names = [field.name for field in dataclasses.fields(own)]
        for name in dict.fromkeys([*names, *getattr(own, "__dict__", ())]):
            held = getattr(own, name, MISSING)
            if held is MISSING:
                continue
            inside = getattr(value, name, held)
            part = self._argument(inside, held, (*path, Attribute(name)))
            if part is not held:
                place = Field(own, name, self.text(own, name))
                self.note(place)
                place.put(part)
                self.adopted[place.key] = part
        self.from_caller[id(own)] = own, path
        return own

    def _class_given(self, own: Any) -> None:
        """Notes the class of an argument as read from outside."""
        if not object_reads.is_library_class(type(own)):
            self.value(type(own), type(own).__name__)

    def same_containers(self) -> Any:
        """A check for the arguments of a call: whether the containers that the code
        also found elsewhere are the same objects. None if there is nothing to check."""
        found = {
            path: own for own, path in self.from_caller.values() if id(own) in self.old
        }
        others = [
            v
            for v in self.old.values()
            if type(v) in (list, dict) or dataclasses.is_dataclass(type(v))
        ]
        asked = self._orders or self._in_order or self.caches or self._twice()
        if not asked and not (self.from_caller and others):
            return None
        return SameContainers(
            found, others, self._orders, self._in_order, self.caches, self._twice()
        )

    def _twice(self) -> list[tuple[Any, Any]]:
        """The paths of arguments that may be the same object, if the code writes
        arguments."""
        if not self.writes_arguments or len(self._paths) < 2:
            return []
        return self._paths

    def may_be_one(self, a: Any, b: Any) -> bool:
        """Whether one is the stand-in of an argument and the other a captured tensor,
        which a call may pass as that argument."""
        if not isinstance(a, Tensor) or not isinstance(b, Tensor):
            return False
        given = {id(value) for _, value, _ in self._given.values()}
        return any(
            id(one) in given and not other.symbolic for one, other in ((a, b), (b, a))
        )

    def contiguous(self, tensor: Any) -> bool:
        """tensor.is_contiguous(). For an argument, every call compares it."""
        for own, value, path in self._given.values():
            if value is tensor:
                self._in_order[path] = own.is_contiguous()
                return self._in_order[path]
        return bool(tensor.is_contiguous())

    def feed(self, place: Any, tensor: Any, text: str) -> None:
        """Feeds a place that is rebound between calls with a tensor."""
        if place is None:
            return
        kept = self._kept_at(place)
        made = _place(*kept, text)
        if kept is not place and made.key in self._fed:
            return
        self.note(made)
        made.put(tensor)
        self._fed[made.key] = tensor

    def feed_count(self, place: Any, tensor: Any, text: str) -> None:
        """Feeds a place whose integer differs between calls. It comes as a size, so
        that it computes as a Python int and code may branch on it."""
        self.feed(place, size_of(tensor, 1), text)

    def feed_float(self, place: Any, tensor: Any, text: str) -> None:
        """The same for a float."""
        if place is not None:
            now = _element(self._kept_at(place))
            self.feed(place, float_of(tensor, now, text), text)

    def _kept_at(self, place: Any) -> Any:
        """The place itself. For an inherited class attribute it is the place in the
        class that has it, because a write there shows in both classes."""
        kind, owner, name = place
        if kind != TYPE or name in owner.__dict__:
            return place
        base = self.inherits(owner, name)
        return place if base is None else (TYPE, base, name)

    def finish(self, result: Any) -> tuple[list[Any], Any]:
        """Restores everything. Gives the guards, and what every call writes or None."""
        if self.wanted is not None:
            self.rollback()
            raise StagingError(self.wanted)
        if self._grad_mode not in (None, _core.is_grad_enabled()):
            _core.set_grad_mode(self._grad_mode)
            self.rollback()
            raise StagingError(
                f"{self.name}: set_grad_enabled() changes the mode of what follows the "
                "call, which a graph does not do; wanted it in a with statement, or "
                "outside of the function"
            )
        try:
            refuse_kept(self)
            writes = finished(self, result, self._fed)
        finally:
            self.rollback()
        refuse_left_behind(self)
        self._refuse_shared_arrays()
        return list(self.guards.values()), writes

    def _refuse_shared_arrays(self) -> None:
        """Throws where an array shares memory with a written tensor, or the reverse:
        the graph accesses tensors when it runs, and Python accesses arrays at once."""
        for array, text in self.arrays:
            written = _core.written_over(array)
            if written is not None:
                raise StagingError(
                    f"{self.name}: the code reads {text}, which shares memory with "
                    f"{written}, and writes that; wanted it to read the tensor, or a "
                    "copy of the array"
                )

        for array in self._written_arrays:
            if any(_overlap(array, tensor) for tensor in self.tensors.values()):
                raise StagingError(
                    f"{self.name}: the code writes {self.names[id(array)]}, which "
                    "shares memory with a tensor that it reads; wanted it to write "
                    "the tensor, or an array of its own"
                )

    def returned(self, value: Any) -> Any:
        """What the code returned, in a form from which calls make the same."""
        return returned(self, value)

    def abandon(self) -> None:
        """Restores everything and keeps nothing."""
        self.rollback()

    # ---- Writes ----

    def place(self, owner: Any) -> Any:
        """The object whose attributes or elements to assign in place of the owner's."""
        if type(owner) in weakref.ProxyTypes:
            owner = self.referent(owner)
        refuse_one_of(self, owner)
        if isinstance(owner, object_reads.module_class()):
            return Target(self, owner)
        if isinstance(owner, _CONTAINERS):
            known = id(owner) in self.old or self.existed(owner)
            if not known and hasattr(owner, "__dict__"):
                known = self.depth > 1 and not self._is_of_this_way(owner)
            return Target(self, owner) if known else Local(owner)
        if id(owner) in self.old:
            return Target(self, owner)
        if id(owner) in self.from_caller:
            return Target(self, owner)
        if has_setters(type(owner)) and not isinstance(owner, type):
            return Target(self, owner)
        return Target(self, owner) if self.notes(owner) else owner

    def notes(self, owner: Any) -> bool:
        """Whether assignments to an object are noted: this code did not make it."""
        if isinstance(owner, (*_CONTAINERS, object_reads.module_class())):
            return True
        if id(owner) in self.old or id(owner) in self.from_caller:
            return True
        if id(getattr(owner, "__dict__", None)) in self.old:  # a shared dict
            return True
        return self.depth > 1 and not self._is_of_this_way(owner)

    def _is_of_this_way(self, owner: Any) -> bool:
        """Whether this code made the object inside the current branch or loop."""
        made = self._made.get(id(owner))
        return made is not None and made[0] is owner and made[1] >= self.depth

    def knows(self, value: Any) -> bool:
        """Whether the value is a container whose changes are noted."""
        return isinstance(value, _CONTAINERS) and (
            id(value) in self.old or self.existed(value)
        )

    def changes_array(self, array: Any) -> None:
        """The elements of an array, such as numpy's, are about to change."""
        if id(array) not in self.old:
            return
        self._written_arrays.append(array)
        if self.depth > 1:
            values_may_decide()
            filename, line = user_place()
            raise StagingError(
                f"{filename}:{line}: a way that a tensor decides about writes "
                f"{self.names.get(id(array), 'an array')}; wanted a tensor"
            )
        self.note(Elements(array, self.names.get(id(array), "an array")))

    def changes(self, container: Any) -> None:
        """The elements of a container are about to change."""
        text = self.names.get(id(container), "a container")
        if id(container) in self.old:
            self._contents(container, text)
            self.logs.pop(id(container), None)
        self.note(Contents(container, text))

    def handed_on(self, place: Place, value: Any) -> None:
        """The earlier value of a place may still be there after code that writes it:
        on the other path of a branch, without an iteration, or because the same value
        is written again. This counts as a read."""
        where = place.as_read()
        if where is None:
            return
        kind, owner, key = where
        known = self._cells if kind == CELL else self.old
        if id(owner) not in known and id(owner) not in self._globals:
            return
        if self.read(kind, owner, key, value, place.text) and value is not MISSING:
            self.value(value, place.text)

    def adding(self, value: Any) -> None:
        """value += something is about to run."""
        refuse_one_of(self, value)
        if isinstance(value, _CONTAINERS):
            if id(value) in self.old or self.existed(value):
                self.changes(value)
        elif is_users_object(value):
            hand_over(value)

    def effect(self, function: Any, args: Any, kwargs: dict[str, Any]) -> bool:
        """Notes an effect that every call repeats, such as print; False inside a
        branch or loop, where it cannot be repeated."""
        if self.depth > 1:
            return False
        self.note(Effect(function, [list(args), kwargs], len(self.frames[0])))
        return True

    def later(
        self, function: Any, args: Any, kwargs: dict[str, Any], changed: list[Any]
    ) -> None:
        """Notes a library function that every call runs after its graph, such as a
        scheduler's step. What it changes is unknown from here on."""
        name = f"{type(args[0]).__name__}.{function.__name__}()"
        if not self.effect(function, args, kwargs):
            filename, line = user_place()
            raise StagingError(
                f"{filename}:{line}: {name} is in a branch or loop that a tensor "
                "decides, and is done by Python after the graph has run; wanted it "
                "outside of that"
            )
        for thing in changed:
            self.unsettled[id(thing)] = thing, name

    def check_settled(self, thing: Any, what: str) -> None:
        """Throws if this recording defers a change of the object to the calls' end."""
        if id(thing) not in self.unsettled:
            return
        filename, line = user_place()
        raise StagingError(
            f"{filename}:{line}: {what} comes after {self.unsettled[id(thing)][1]}, "
            "which a captured function does when everything else is done; wanted "
            "it before, or the other outside of the function"
        )

    def will_set(self, owner: Any, name: str) -> Any:
        """An attribute is about to change. Gives code to run instead, or None."""
        if name in getattr(type(owner), "_computed_names", ()):
            return None  # reading a parametrized weight would compute it
        found = find(owner, name)
        if found.setter is not None:
            return self.call(found.setter)
        if found.fixed:
            return None  # Python raises the error
        if name == "__dict__":
            refuse_replaced(self.text(owner, name))
        if isinstance(owner, object_reads.module_class()):
            return None  # modules report their changes
        text = self.text(owner, name)
        if owner is sys and name in ("stdout", "stderr", "stdin"):
            raise refused_stream(name)
        if isinstance(owner, types.ModuleType):
            self.note(Item(owner.__dict__, name, text))
        elif found.slot or isinstance(owner, type) or not hasattr(owner, "__dict__"):
            self.note(Slot(owner, name, text))
        elif id(owner) not in self.old and id(owner.__dict__) in self.old:
            self.note(Item(owner.__dict__, name, text))
        else:
            self.note(Instance(owner, name, text))
        return None

    def will_delete(self, owner: Any, name: str) -> Any:
        """An attribute is about to be deleted. Gives code to run instead, or None."""
        found = find(owner, name)
        if found.deleter is not None:
            return self.call(found.deleter)
        if found.setter is None:
            self.will_set(owner, name)
        return None

    def module_changes(self, module: Any, name: str) -> None:
        """An attribute of a module that is not one of its parts is about to change."""
        if id(module) in self.old or self.depth > 1:
            self.note(Instance(module, name, self.text(module, name)))

    def table_changes(self, table: Any, names: Any) -> None:
        """Parts of a module are about to change."""
        if id(table) in self.old or self.depth > 1:
            for name in names:
                text = f"{self.names.get(id(table), 'module.')}{name}"
                self.note(Item(table, name, text))

    def mode_changes(self, module: Any) -> None:
        """The training mode of a module is about to change."""
        mode = module.__dict__["_mode"]
        text = self.text(module, "training")
        self.note(
            Setter((id(module), "training"), lambda: mode.get(module), mode.set, text)
        )

    def option_changes(self, group: Any, key: str) -> None:
        """An option of an optimizer is about to change."""
        text = f"{self.names.get(id(group), 'group')}[{key!r}]"
        self.keys_read(group)  # as they were before
        held, put = group._data, group._put
        self.note(
            Setter(
                (id(group), key),
                lambda: held.get(key, MISSING),
                lambda value: put(key, *(() if value is MISSING else (value,))),
                text,
            )
        )

    def option_read(self, group: Any, options: Any, key: str) -> None:
        """An option is read, whether or not it exists."""
        if ("setter", (id(group), key)) in self.frames[0]:
            return
        value = options.get(key, MISSING)
        text = f"{self.names.get(id(group), 'group')}[{key!r}]"
        if key == "params":
            self.contents_by_epoch(value, text)
            return
        self.item_by_epoch(options, key, value, text)
        if value is not MISSING:
            self.value(value, text)

    def keys_read(self, group: Any) -> None:
        """The names of the options are read."""
        text = f"the keys of {self.names.get(id(group), 'group')}"
        self.read(SLOT, group, "_keys", group._keys, text)


def refuse_replaced(text: str) -> None:
    """Throws where the dict of an object from outside is replaced."""
    filename, line = user_place()
    raise StagingError(
        f"{filename}:{line}: {text} is replaced, the dict that the object keeps its "
        "attributes in; wanted its entries assigned"
    )


def _overlap(array: Any, tensor: Any) -> bool:
    """Whether the address ranges of their elements overlap."""
    told = getattr(array, "__array_interface__", None)
    if told is None or tensor.symbolic or tensor.is_sparse or not tensor.numel():
        return False
    if str(tensor.device) != "cpu":
        return False
    a, b = told["data"][0], tensor.data_ptr()
    ends = a + array.nbytes, b + tensor.numel() * tensor.element_size()
    return bool(a < ends[1] and b < ends[0])


def _element(place: Any) -> float:
    """The float in a place before it is fed."""
    return float(_place(*place, "").get())


def _place(kind: int, owner: Any, key: Any, text: str) -> Place:
    if kind == CELL:
        return Cell(owner, text)
    if kind == INSTANCE:
        return Instance(owner, key, text)
    if kind == ELEMENT:
        return Element(owner, key, text)
    if kind == ITEM:
        return Item(owner, key, text)
    return Slot(owner, key, text)
