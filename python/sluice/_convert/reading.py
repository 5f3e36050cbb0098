"""Reads that recorded code makes outside the function, kept as guards."""

from __future__ import annotations

import builtins
import collections
import functools
import gc
import os
import types
import weakref
from typing import Any

from .. import _core
from . import object_reads
from .code_reads import ADDERS, reads_of
from .journal import Journal
from .one_of import refuse_one_of
from .object_reads import Lookup, find, is_plain
from .places import (
    CELL,
    CODE,
    CONTENTS,
    DEFAULTS,
    INSTANCE,
    ITEM,
    NAMED,
    SLOT,
    TYPE,
    Cell,
    Contents,
    Item,
    taken,
    where as key_of,
)
from .values import MISSING, Tensor
from .writes import Adder

_MUTATORS = frozenset(
    "append appendleft extend extendleft insert pop popleft popitem remove clear "
    "sort reverse rotate update setdefault add discard difference_update "
    "intersection_update symmetric_difference_update __setitem__ __delitem__ "
    "move_to_end subtract".split()
)
_WRAPPERS = (types.FunctionType, type(functools.cache(lambda: None)))
_CONTAINERS = object_reads.CONTAINERS
# Views of a dict.
_LOOKS_INTO: tuple[Any, ...] = (
    types.MappingProxyType, type({}.keys()), type({}.values()), type({}.items())
)  # fmt: skip
_ABSENT = Ellipsis  # as guards.h understands it
_ANY = NotImplemented  # any tensor


class _Adding:
    """container.append or the like, which logs the added elements."""

    def __init__(self, log: list[Adder], container: Any, name: str) -> None:
        self._log, self._container, self._name = log, container, name

    def __call__(self, *args: Any) -> Any:
        recorder = _core.recorder()
        if recorder is not None and recorder.depth > 1:
            # The method was kept in a variable, and is called in a branch or loop of
            # the graph.
            recorder.changes(self._container)
            return getattr(self._container, self._name)(*args)
        made = getattr(self._container, self._name)(*args)
        self._log.extend(Adder(self._container, self._name, arg) for arg in args)
        return made


class Reading(Journal):
    """The part of a Recorder that notes reads."""

    def __init__(self, converted: bool) -> None:
        super().__init__()
        self.converted = converted
        self.old: dict[int, Any] = {}
        self.tensors: dict[int, Any] = {}  # captured tensors themselves
        self.names: dict[int, str] = {}
        # Arrays, such as numpy's, whose elements are constants of the graph.
        self.arrays: list[tuple[Any, str]] = []
        self.guards: dict[Any, tuple[Any, ...]] = {}
        self.counted = 0  # unconverted functions that do a.b += c
        self.logs: dict[int, list[Adder]] = {}  # of containers that only grow
        # The functions called, each with the frame of its last call.
        self._functions: dict[int, tuple[Any, Any]] = {}
        self._unconverted: dict[Any, tuple[Any, Any, Any]] = {}
        self._contents_seen: set[int] = set()
        self._fed: dict[Any, Any] = {}
        self._made: dict[int, tuple[Any, int]] = {}  # by this code, with the depth
        self._cells: dict[int, tuple[Any, str]] = {}
        self._globals: dict[int, dict[str, Any]] = {}
        self._attributes: Any = None  # the names of attributes, read as a whole
        self._inherited: dict[tuple[type, str], Any] = {}

    # ---- Reads ----

    def attr(self, owner: Any, name: str) -> Any:
        """Gives owner.name and notes the read."""
        if object_reads.is_element(owner, name):
            return self._method(owner, name)
        if isinstance(owner, _CONTAINERS) and not object_reads.is_added(owner, name):
            if id(owner) in self.old or self.existed(owner):
                return self._method(owner, name)
            if name in _MUTATORS:
                refuse_one_of(self, owner)
        if is_plain(owner):
            return getattr(owner, name)
        if type(owner) in weakref.ProxyTypes:
            owner = self.referent(owner)
        if self.unsettled and name not in ("step", "optimizer", "zero_grad"):
            self.check_settled(owner, self.text(owner, name))
        if isinstance(owner, super):
            return self._above(owner, name)
        found = find(owner, name)
        old = id(owner) in self.old
        if name == "__dict__" and isinstance(owner, type):
            self._class_dict(owner)
        if found.code is not None:  # a property, __getattr__
            if old:
                self._read_all(found, self.text(owner, name))
            else:
                self._read_of_class(found, owner)
            if self.from_outside(owner):
                self._value_of_code(found, name)
            return self.call(found.code)(*found.arguments)
        value = found.value
        if value is MISSING:
            if old:
                self._read_all(found, self.text(owner, name))
            else:
                self._read_of_class(found, owner)
            return getattr(owner, name)  # raises the error
        if old:
            text = self.text(owner, name)
            if self._read_all(found, text):
                self.value(value, text)
        elif self._read_of_class(found, owner):
            self.value(value, f"{type(owner).__name__}.{name}")
        elif isinstance(value, _CONTAINERS):
            self._exists(owner, found, value)
        if not found.binds:
            return value
        bound = getattr(owner, name)
        if old and isinstance(bound, types.MethodType):
            self.value(bound, text)
        elif isinstance(bound, types.MethodType) and self.from_outside(owner):
            self.value(bound.__func__, name)
        return bound

    def _value_of_code(self, found: Lookup, name: str) -> None:
        """Notes the function of a property, and a descriptor, as from outside."""
        if isinstance(found.code, types.FunctionType):
            self.value(found.code, name)
        first = found.arguments[0] if found.arguments else None
        if is_plain(first) or self._made_by_code(first):
            return
        if hasattr(type(first), "__get__") and id(first) not in self.from_caller:
            self.value(first, f"the descriptor {name}")

    def _class_dict(self, cls: type) -> None:
        """cls.__dict__: reads every entry of the class."""
        if not self._is_from_program(cls):
            return
        for name, value in list(cls.__dict__.items()):
            text = f"{cls.__name__}.{name}"
            if not isinstance(value, types.GetSetDescriptorType):
                if self.read(TYPE, cls, name, value, text):
                    self.value(value, text)

    def referent(self, proxy: Any) -> Any:
        """The object behind a weak proxy."""
        owner = proxy.__repr__.__self__  # throws if it is gone
        if id(proxy) in self.old and id(owner) not in self.old:
            self.value(owner, self.names.get(id(proxy), "a proxy"))
            from .class_reads import Referred

            self.caches.append(Referred(weakref.ref(owner)))
        return owner

    def _above(self, owner: Any, name: str) -> Any:
        """super().name: looks the name up in the classes after this one."""
        raw, fresh = MISSING, True
        for base, raw in object_reads.above(owner, name):
            if self._is_from_program(base):
                text = f"{base.__name__}.{name}"
                fresh = self.read(TYPE, base, name, raw, text) and fresh
        if isinstance(raw, property) and object_reads.is_users(raw.fget):
            return self.call(raw.fget)(owner.__self__)
        value = getattr(owner, name)
        of_c = isinstance(value, types.BuiltinFunctionType)  # bound to a container
        if isinstance(value, types.MethodType) and not self._is_old(value.__self__):
            self.value(value.__func__, name)
        elif fresh and not of_c and not self._made_by_code(value):
            self.value(value, name)
        return value

    def _is_old(self, value: Any) -> bool:
        return id(value) in self.old

    def _made_by_code(self, value: Any) -> bool:
        made = self._made.get(id(value))
        return made is not None and made[0] is value

    def _is_from_program(self, cls: type) -> bool:
        """Whether a class is a user class that this code did not make."""
        return not (object_reads.is_library_class(cls) or self._made_by_code(cls))

    def class_of(self, value: Any) -> None:
        """type(value) is read. A class that this code did not make is old."""
        cls = type(value)
        if not self._is_from_program(cls):
            return
        self.value(cls, cls.__name__)
        if id(value) in self.old:
            for guard in object_reads.class_guards(value):
                self.read(*guard, f"the class of {self.names.get(id(value), 'it')}")

    def special(self, cls: type, name: str) -> None:
        """Python or a converted function looks up a special method in a class."""
        if self._is_from_program(cls):
            raw = object_reads.in_class(cls, name)
            self.read(TYPE, cls, name, raw, f"{cls.__name__}.{name}")

    def from_outside(self, owner: Any) -> bool:
        """Whether an object, or at least its class, is from outside."""
        return id(owner) in self.old or id(type(owner)) in self.old

    def _read_all(self, found: Lookup, text: str) -> bool:
        """Reads all guards of a lookup; whether the value found is from outside."""
        fresh = [self.read(*guard, text) for guard in found.guards]
        for guard in found.beside:
            self.read(*guard, text)
        if found.table is not None:
            where = (ITEM, id(found.table[0]), found.table[1])
            written = self.frames[0].get(where)
            return written is None or written[1] is found.value
        return all(fresh)

    def _read_of_class(self, found: Lookup, owner: Any) -> bool:
        """Reads, for an object that is not from outside, what its class from outside
        determines. Gives whether the value was found there."""
        cls = type(owner)
        if id(cls) not in self.old:
            if not self._is_from_program(cls) or is_plain(owner):
                return False
            self.value(cls, cls.__name__)  # of a copy, say
        fresh = False
        for kind, cls, name, raw in (*found.beside, *found.guards):
            if kind == TYPE and id(cls) in self.old:
                read = self.read(TYPE, cls, name, raw, f"{cls.__name__}.{name}")
                fresh = read and raw is found.value and raw is not MISSING
        return fresh

    def names_read(self, value: Any) -> None:
        """Notes that unconverted code may list the attributes of an object."""
        fields = getattr(value, "__dict__", None)
        if type(fields) is not dict:
            return
        if self._attributes is None:
            from .class_reads import Attributes

            self._attributes = Attributes()
            self.caches.append(self._attributes)
        written = [k[2] for k in self.frames[0] if k[:2] == (ITEM, id(fields))]
        self._attributes.add(value, frozenset(written))

    def grow(self, owner: Any, name: str, adder: str) -> Any:
        """owner.name.append, where owner.name has no other use."""
        if not is_plain(owner) and id(owner) in self.old:
            found = find(owner, name)
            if found.code is None and isinstance(found.value, (list, set)):
                text = self.text(owner, name)
                if self._read_all(found, text):
                    self.value(found.value, text, contents=False)
                return self._method(found.value, adder)
        return self.attr(self.attr(owner, name), adder)

    def text(self, owner: Any, name: str) -> str:
        """For messages: "self.scale"."""
        base = self.names.get(id(owner))
        return f"{base or type(owner).__name__}.{name}"

    def read(self, kind: int, owner: Any, key: Any, value: Any, text: str) -> bool:
        """Adds a guard, unless this recording has written the place."""
        return self._guard(False, kind, owner, key, value, text)

    def _guard(
        self, changes: bool, kind: int, owner: Any, key: Any, value: Any, text: str
    ) -> bool:
        where = key_of(kind, owner, key)
        written = self.frames[0].get(where)
        if kind == TYPE and written is None:  # perhaps written in a base class
            for base in owner.__mro__:
                written = written or self.frames[0].get((kind, id(base), key))
            if written is not None:
                self.inherits(owner, key)
        if written is not None and value is not written[1]:
            return False
        if where[0] == ITEM and self._is_written(where, value):
            return False
        if where not in self.guards:
            seen = _ABSENT if value is MISSING else value
            self.guards[where] = (changes, kind, owner, key, seen, text)
        return True

    def inherits(self, cls: type, name: str) -> type | None:
        """The class from which another inherits an attribute now. This is a guard,
        because a write there shows in both classes."""
        from .class_reads import Inherited

        if (cls, name) not in self._inherited:
            self._inherited[cls, name] = Inherited(cls, name)
            self.caches.append(self._inherited[cls, name])
        return self._inherited[cls, name].base

    def _is_written(self, where: tuple[Any, ...], value: Any) -> bool:
        """Whether this recording has written an entry as part of the whole dict, such
        as an attribute by o.__dict__["x"] = y."""
        whole = self.frames[0].get((CONTENTS, where[1], None))
        if whole is None or not isinstance(whole[1], dict):
            return False
        return whole[1].get(where[2], MISSING) is not value

    def value(self, value: Any, text: str, contents: bool = True) -> None:
        """Marks an object from outside as old, with its parts."""
        if type(value) in weakref.ProxyTypes:  # a dead proxy raises at any access
            self.old[id(value)] = value
            self.names.setdefault(id(value), text)
            return
        if isinstance(value, Tensor):
            if not any(value is fed for fed in self._fed.values()):
                self.tensors[id(value)] = value
        if type(value) is types.BuiltinFunctionType:
            if isinstance(value.__self__, _CONTAINERS):  # add = seen.append
                self.value(value.__self__, f"{text}.__self__", contents)
            return
        if is_plain(value):
            return
        known = id(value) in self.old
        if isinstance(value, _CONTAINERS):
            self.old[id(value)] = value
            self.names.setdefault(id(value), text)
            if contents:
                self._contents(value, text)
            return
        if known:
            return
        self.old[id(value)] = value
        self.names.setdefault(id(value), text)
        if isinstance(value, (tuple, frozenset)):
            for i, part in enumerate(value):
                self.value(part, f"{text}[{i}]")
        elif isinstance(value, functools.partial):
            self.value(value.func, f"{text}.func")
            self.value(value.args, f"{text}.args")
            self.value(value.keywords, f"{text}.keywords")
        elif isinstance(value, types.MethodType):
            self.value(value.__self__, f"{text}.__self__")
            self.value(value.__func__, text)
        elif type(value) in _WRAPPERS:
            self.value(getattr(value, "__wrapped__", None), text)
        elif isinstance(value, (staticmethod, classmethod)):
            self.value(value.__func__, text)
        elif isinstance(value, _LOOKS_INTO):
            for held in gc.get_referents(value):
                self.value(held, text)
        elif isinstance(value, type(os.environ)):
            self._contents(value._data, text)
        elif object_reads.is_array(value):
            self.arrays.append((value, text))
            self.guards[CONTENTS, id(value), None] = (
                False, CONTENTS, value, None, value.tobytes(), text
            )
        else:
            object_reads.parts(self, value, text)

    def contents_by_epoch(self, container: Any, text: str) -> None:
        """Guards a table of a module or optimizer by its change counter."""
        self._contents(container, text, True)

    def item_by_epoch(self, owner: Any, key: Any, value: Any, text: str) -> None:
        """The same for one entry."""
        self._guard(True, ITEM, owner, key, value, text)

    def instance_by_epoch(self, owner: Any, key: Any, value: Any, text: str) -> None:
        """The same for an attribute."""
        self._guard(True, INSTANCE, owner, key, value, text)

    def class_by_epoch(self, owner: Any, value: Any, text: str) -> None:
        """The same for the class of a module."""
        self._guard(True, SLOT, owner, "__class__", value, text)

    def _contents(self, container: Any, text: str, changes: bool = False) -> None:
        if id(container) in self._contents_seen:
            return
        self._contents_seen.add(id(container))
        self.old[id(container)] = container
        self.names.setdefault(id(container), text)
        where = (CONTENTS, id(container), None)
        written = self.frames[0].get(where)
        now = taken(container) if written is None else written[1]
        seen = now
        if isinstance(now, dict):
            now = self._of_before(container, now)
            seen = {k: self._as_seen(container, k, v) for k, v in now.items()}
        elif isinstance(now, list):
            seen = [self._as_seen(container, k, v) for k, v in enumerate(now)]
        self.guards[where] = (changes, CONTENTS, container, None, seen, text)
        if isinstance(container, collections.defaultdict):
            self.note(Contents(container, text))  # a reader may change it
        if isinstance(now, dict):
            for key, part in now.items():
                dots = text.endswith(".")
                self.value(part, f"{text}{key}" if dots else f"{text}[{key!r}]")
        elif isinstance(now, list):
            for i, part in enumerate(now):
                self.value(part, f"{text}[{i}]")

    def _of_before(self, table: Any, now: dict[Any, Any]) -> dict[Any, Any]:
        """The contents of a dict before this recording wrote its entries: attributes
        of an object whose __dict__ the code reads afterwards."""
        made = {}
        for key, value in now.items():
            written = self.frames[0].get((ITEM, id(table), key))
            if written is None:
                made[key] = value
            elif written[1] is not MISSING:
                made[key] = written[1]
        return made

    def _as_seen(self, container: Any, key: Any, value: Any) -> Any:
        where = (ITEM, id(container), key)
        if where in self._fed:
            return _ANY
        written = self.frames[0].get(where)
        return value if written is None or written[1] is MISSING else written[1]

    def _method(self, container: Any, name: str) -> Any:
        """A method of a container from outside."""
        if name in _MUTATORS:
            guarded = id(container) in self._contents_seen
            plain = name in ADDERS and type(container) in (list, set)
            if plain and not guarded and id(container) in self.old and self.depth == 1:
                self.note(Contents(container, self.names.get(id(container), "")))
                log = self.logs.setdefault(id(container), [])
                return _Adding(log, container, name)
            self.changes(container)
        elif id(container) in self.old:
            self._contents(container, self.names.get(id(container), "a container"))
        return getattr(container, name)

    def _exists(self, owner: Any, found: Lookup, container: Any) -> None:
        """Notes a container found in an object that may be new."""
        made = self._made.get(id(owner))
        if made is not None and made[0] is owner and made[1] >= self.depth:
            return
        if key_of(INSTANCE, owner, found.name) not in self.frames[-1]:
            self.exists(container)

    # ---- Calls ----

    def call(self, function: Any) -> Any:
        """The function to call in place of the given one."""
        from .calls import callee

        return callee(function) if self.converted else function

    def function(self, function: types.FunctionType) -> None:
        """Reads what the code of a called user function names.

        Each branch and loop reads it again: a frame restores what it assigns itself,
        and may find values that another has replaced."""
        known = self._functions.get(id(function))
        if known is not None and known[1] is self.frames[-1]:
            return
        self._functions[id(function)] = function, self.frames[-1]
        names = reads_of(function.__code__)
        around = function.__globals__
        self._globals[id(around)] = around
        for name in sorted(names.globals):
            value = around.get(name, MISSING)
            fresh = self.read(ITEM, around, name, value, name)
            if value is MISSING and hasattr(builtins, name):
                known = getattr(builtins, name)
                self.read(ITEM, builtins.__dict__, name, known, f"builtins.{name}")
            if fresh and value is not MISSING:
                self.value(value, name, name in names.looked_at)
        for name in sorted(names.stored_globals):
            self.note(Item(around, name, name))
        if id(function) not in self.old:
            return  # this code made it, from values already noted
        self.read(CODE, function, None, function.__code__, function.__name__)
        for kind, value in (
            (DEFAULTS, function.__defaults__),
            (NAMED, function.__kwdefaults__),
        ):
            text = f"the defaults of {function.__name__}"
            self.read(kind, function, None, MISSING if value is None else value, text)
            if value is not None:
                self.value(value, text)
        free = function.__code__.co_freevars
        for name, cell in zip(free, function.__closure__ or ()):
            place = Cell(cell, name)
            held = place.get()
            # Checked by type(): a dead weak proxy raises when its class is read.
            made_here = issubclass(type(held), Tensor) and _core.recorded_here(held)
            if not made_here:
                self._cells[id(cell)] = cell, name  # not made by recorded code
            if name in names.free:
                value = place.get()
                if self.read(CELL, cell, None, value, name) and value is not MISSING:
                    self.value(value, name, name in names.looked_at)
            if name in names.stored_free:
                self.note(place)

    def made(self, value: Any) -> None:
        """Notes an object that this code made, now or earlier if __new__ gives it
        again."""
        if id(value) not in self.old:
            self._made.setdefault(id(value), (value, self.depth))

    def unconverted(self, function: types.FunctionType, args: tuple[Any, ...]) -> None:
        """Reads the dotted attributes that an unconverted function takes, according to
        its code."""
        key = (id(function), *map(id, args))
        known = self._unconverted.get(key)
        if known is not None and known[2] is self.frames[-1]:
            return
        self._unconverted[key] = function, args, self.frames[-1]
        self.function(function)
        object_reads.by_dots(self, function, args)

    def sees(self, function: types.FunctionType) -> bool:
        """Whether a call converts the function."""
        try:
            from . import for_call, is_left_as_it_is
        except ImportError:  # nothing is converted
            return False
        return self.converted and not is_left_as_it_is(for_call(function))

    def globals_of_code(self) -> list[dict[str, Any]]:
        """The globals of the called functions."""
        return list(self._globals.values())

    def cells_of_code(self) -> list[tuple[Any, str]]:
        """The closure variables of called functions from outside."""
        return list(self._cells.values())

    # ---- Defined in Recorder ----

    unsettled: dict[int, tuple[Any, str]]
    caches: list[Any]
    from_caller: dict[int, tuple[Any, tuple[Any, ...]]]

    def check_settled(self, thing: Any, what: str) -> None:
        """Throws when it changes after the code that is recorded."""
        raise NotImplementedError

    def changes(self, container: Any) -> None:
        """The elements of a container are about to change."""
        raise NotImplementedError
