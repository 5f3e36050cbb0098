"""Looks up attributes of objects without running user code.

Where a property or __getattr__ gives the value, the caller receives that function, to
convert and call like any other.
"""

from __future__ import annotations

import array
import collections
import functools
import sys
import threading
import types
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from .code_reads import reads_of
from .library import is_library, is_library_file
from .places import INSTANCE, ITEM, SLOT, TYPE
from .values import MISSING, Tensor

CONTAINERS = (list, dict, set, collections.deque, bytearray)
TABLES = ("_parameters", "_buffers", "_modules")
_HOOKS = ("_pre_hooks", "_hooks", "_backward_pre_hooks", "_backward_hooks")
_PLAIN = frozenset(
    {int, float, complex, bool, str, bytes, type(None), type(Ellipsis), range, slice,
     types.CodeType, types.BuiltinFunctionType, types.GetSetDescriptorType}
)
_DTYPE = type(_core.float32)


_NAMES_OF_FUNCTIONS = frozenset(("__name__", "__qualname__", "__doc__", "__module__"))


def is_plain(value: Any) -> bool:
    """Whether the value is immutable, or a tensor, which is read at every call."""
    return type(value) in _PLAIN or isinstance(value, (Tensor, _DTYPE))


def is_array(value: Any) -> bool:
    """Whether the value is an array, whose elements become constants of the graph."""
    if isinstance(value, (array.array, memoryview)):
        return True
    return hasattr(type(value), "tobytes") and hasattr(type(value), "__array__")


@dataclass
class Lookup:
    """The value of object.name, and the places that determine it."""

    name: str
    value: Any = MISSING
    guards: list[tuple[Any, ...]] = field(default_factory=list)
    # Guards on places that would take precedence if they held a value.
    beside: list[tuple[Any, ...]] = field(default_factory=list)
    table: tuple[dict[str, Any], str] | None = None  # a module's table and the key
    binds: bool = False  # the result is bound from the value: a method
    code: Any = None  # a function gives the value
    arguments: tuple[Any, ...] = ()
    setter: Any = None  # a function is called to assign it
    deleter: Any = None  # and to delete it
    fixed: bool = False  # it can neither be assigned nor deleted otherwise
    slot: bool = False  # it is not in the object's dict


def in_class(cls: type, name: str) -> Any:
    """The raw entry of a name in a class or in its bases."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return MISSING


def above(owner: Any, name: str) -> list[tuple[type, Any]]:
    """The classes that super().name searches, up to the one that has the name, each
    with the raw entry that it has or inherits."""
    classes = owner.__self_class__.__mro__
    made = []
    for base in classes[classes.index(owner.__thisclass__) + 1 :]:
        made.append((base, in_class(base, name)))
        if name in base.__dict__:
            break
    return made


def is_users(function: Any) -> bool:
    """Whether the value is a user function."""
    return isinstance(function, types.FunctionType) and not is_library(function)


def package_of(cls: type) -> str:
    """The package a class belongs to."""
    module = cls.__module__
    return module.split(".")[0] if isinstance(module, str) else "sluice"


@functools.cache
def is_library_class(cls: type) -> bool:
    """Whether a class belongs to Python, to an installed package or to Sluice."""
    top = package_of(cls)
    module = sys.modules.get(str(cls.__module__))
    if top in ("sluice", "builtins") or module is None:
        return top in ("sluice", "builtins")
    return _is_library_module(module)


def _is_library_module(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    if file is None:
        return module.__name__ != "__main__"
    return is_library_file(file)


def is_added(container: Any, name: str) -> bool:
    """Whether the user's subclass of a container defines the name."""
    cls = type(container)
    if is_library_class(cls):
        return False
    for base in cls.__mro__:
        if name in base.__dict__:
            return not is_library_class(base)
    return True


def is_element(owner: Any, name: str) -> bool:
    """Whether owner.name reads an element: its class has __getattr__ =
    dict.__getitem__."""
    if not isinstance(owner, CONTAINERS) or name in getattr(owner, "__dict__", ()):
        return False
    raw = in_class(type(owner), "__getattr__")
    of_c = isinstance(raw, types.MethodDescriptorType)
    return of_c and in_class(type(owner), name) is MISSING


def find(owner: Any, name: str) -> Lookup:
    """Looks up owner.name."""
    found = Lookup(name)
    if isinstance(owner, types.ModuleType):
        return _in_module(owner, name, found)
    if isinstance(owner, type):
        return _of_class(owner, name, found)
    return _in_object(owner, name, found)


def _in_module(owner: types.ModuleType, name: str, found: Lookup) -> Lookup:
    if _is_library_module(owner):  # which may load the attribute on demand
        found.value = getattr(owner, name, MISSING)
        if name in owner.__dict__:
            found.guards.append((ITEM, owner.__dict__, name, found.value))
        return found
    found.value = owner.__dict__.get(name, MISSING)
    found.guards.append((ITEM, owner.__dict__, name, found.value))
    if found.value is MISSING:
        other = owner.__dict__.get("__getattr__")
        if is_users(other):
            found.code, found.arguments = other, (name,)
        else:
            found.value = getattr(owner, name, MISSING)
    return found


def _of_class(owner: type, name: str, found: Lookup) -> Lookup:
    found.value, found.binds = in_class(owner, name), True
    if not is_library_class(owner):
        found.guards.append((TYPE, owner, name, found.value))
        if _has_getter(found.value, found):
            found.arguments = (found.value, None, owner)
            return found
    if found.value is MISSING:
        return _of_metaclass(owner, name, found)
    return found


def _of_metaclass(owner: type, name: str, found: Lookup) -> Lookup:
    """A class attribute defined by its metaclass: a registry's property, A.__name__."""
    meta = type(owner)
    raw = in_class(meta, name)
    if is_library_class(meta):
        found.value = getattr(owner, name, MISSING)
        if isinstance(found.value, (tuple, str, type)) and not is_library_class(owner):
            found.guards.append((SLOT, owner, name, found.value))
        return found
    found.guards.append((TYPE, meta, name, raw))
    if isinstance(raw, property) and is_users(raw.fget):
        found.code, found.arguments = raw.fget, (owner,)
        found.setter = raw.fset if is_users(raw.fset) else None
    elif raw is MISSING and is_users(in_class(meta, "__getattr__")):
        found.code, found.arguments = in_class(meta, "__getattr__"), (owner, name)
    else:
        found.value = getattr(owner, name, MISSING)
    return found


def _in_object(owner: Any, name: str, found: Lookup) -> Lookup:
    cls = type(owner)
    if is_users(cls.__getattribute__):
        found.code, found.arguments = cls.__getattribute__, (owner, name)
        return found
    raw = in_class(cls, name)
    if not is_library_class(cls) and not isinstance(owner, module_class()):
        found.beside += class_guards(owner)
        found.beside.append((TYPE, cls, name, raw))
    if raw is not MISSING and hasattr(type(raw), "__set__"):
        return _by_descriptor(owner, raw, found)
    fields = getattr(owner, "__dict__", None)
    if isinstance(owner, threading.local):
        _of_thread(owner, raw, found)
        if found.guards:
            return found
    if fields is not None and name in fields:
        found.value = fields[name]
        found.guards.append((INSTANCE, owner, name, found.value))
        return found
    if raw is MISSING and isinstance(owner, module_class()):
        for table in TABLES:
            held = fields.get(table, ()) if fields else ()
            if name in held:
                found.value, found.table = held[name], (held, name)
                return found
    if fields is not None and not _of_library(raw):
        found.guards.append((INSTANCE, owner, name, MISSING))
    if raw is MISSING:
        other = in_class(cls, "__getattr__")
        if is_users(other):
            found.code, found.arguments = other, (owner, name)
        elif other is not MISSING:
            found.value = getattr(owner, name, MISSING)
        return found
    if isinstance(raw, functools.cached_property):
        found.code = functools.partial(_cached, raw)
        found.arguments = (owner, name)
        return found
    if not _of_library(raw):
        found.guards.append((TYPE, cls, name, raw))
    if _has_getter(raw, found):
        found.arguments = (raw, owner, cls)
        return found
    found.value, found.binds = raw, hasattr(type(raw), "__get__")
    return found


def _has_getter(raw: Any, found: Lookup) -> bool:
    """Whether a raw class entry is a user's descriptor, whose __get__ gives the
    value."""
    getter = in_class(type(raw), "__get__")
    if not is_users(getter):
        return False
    found.code = getter
    found.guards.append((TYPE, type(raw), "__get__", getter))
    return True


def class_guards(owner: Any) -> list[tuple[Any, ...]]:
    """Guards on the class of a user object and on its __getattribute__."""
    cls = type(owner)
    if is_users(cls.__getattribute__) or cls.__dict__.get("__class__") is not None:
        return []
    asked = (TYPE, cls, "__getattribute__", in_class(cls, "__getattribute__"))
    return [(SLOT, owner, "__class__", cls), asked]


def _of_thread(owner: Any, raw: Any, found: Lookup) -> None:
    """Each thread has its own attributes, so guards read them through the object."""
    found.slot = True
    binds = raw is not MISSING and hasattr(type(raw), "__get__")
    if binds and found.name not in owner.__dict__:
        return
    if in_class(type(owner), "__getattr__") is not MISSING:
        return
    found.value = getattr(owner, found.name, MISSING)
    found.guards.append((SLOT, owner, found.name, found.value))


def _cached(made: functools.cached_property[Any], owner: Any, name: str) -> Any:
    recorder = _core.recorder()
    if recorder.from_outside(owner):
        recorder.value(made.func, name)
    value = recorder.call(made.func)(owner)
    recorder.will_set(owner, name)
    owner.__dict__[name] = value
    return value


def _of_library(raw: Any) -> bool:
    """Whether the entry is a method of a library class, which nobody replaces."""
    function = getattr(raw, "__func__", raw)
    if isinstance(function, types.FunctionType):
        return is_library(function)
    return isinstance(
        raw, (types.MethodDescriptorType, types.WrapperDescriptorType,
              types.ClassMethodDescriptorType)
    )


def _by_descriptor(owner: Any, raw: Any, found: Lookup) -> Lookup:
    name = found.name
    found.slot = True
    if isinstance(raw, property) and any(map(is_users, (raw.fget, raw.fset))):
        found.guards.append((TYPE, type(owner), name, raw))
        if raw.fget is not None:
            found.code, found.arguments = raw.fget, (owner,)
        found.setter = raw.fset if is_users(raw.fset) else None
        found.deleter = raw.fdel if is_users(raw.fdel) else None
        found.fixed = raw.fset is None
        return found
    setter = type(raw).__set__
    if is_users(setter):
        found.setter = functools.partial(setter, raw)
    deleter = getattr(type(raw), "__delete__", None)
    if is_users(deleter):
        found.deleter = functools.partial(deleter, raw)
    if _has_getter(raw, found):
        found.arguments = (raw, owner, type(owner))
        return found
    found.value = getattr(owner, name, MISSING)
    named = isinstance(owner, types.FunctionType) and name in _NAMES_OF_FUNCTIONS
    if isinstance(raw, types.MemberDescriptorType) or named:
        found.guards.append((SLOT, owner, name, found.value))
    return found


# ---- Modules and optimizers ----


class _Nothing:
    pass


def module_class() -> type:
    """nn.Module, if it is in use."""
    nn = sys.modules.get("sluice.nn._module")
    return getattr(nn, "Module", _Nothing)


def _optimizer_class() -> type:
    optim = sys.modules.get("sluice.optim._optimizer")
    return getattr(optim, "Optimizer", _Nothing)


def parts(recorder: Any, value: Any, text: str) -> None:
    """Guards on the parts of a module or optimizer, which may change as a whole."""
    if isinstance(value, module_class()):
        for path, module in value.named_modules():
            _module(recorder, module, f"{text}.{path}" if path else text)
    elif isinstance(value, _optimizer_class()):
        _optimizer(recorder, value, text)


def _module(recorder: Any, module: Any, text: str) -> None:
    recorder.old[id(module)] = module
    recorder.names.setdefault(id(module), text)
    fields = module.__dict__
    for table in TABLES:
        recorder.contents_by_epoch(fields[table], f"{text}.")
    for table in _HOOKS:
        recorder.contents_by_epoch(fields[table], f"the hooks of {text}")
    own = fields.get("forward", MISSING)  # overrides the class's method
    recorder.instance_by_epoch(module, "forward", own, f"{text}.forward")
    forward = type(module).forward
    kept = in_class(type(module), "forward")
    recorder.read(TYPE, type(module), "forward", kept, f"{text}.forward")
    cls = type(module)
    recorder.class_by_epoch(module, cls, f"the class of {text}")
    if not is_library_class(type(module)) and is_users(forward):
        if recorder.sees(forward):
            return  # its code determines what it reads
    for name, value in list(fields.items()):
        if name in TABLES or name in _HOOKS or name in ("_mode", "_non_persistent"):
            continue
        recorder.instance_by_epoch(module, name, value, f"{text}.{name}")


def _optimizer(recorder: Any, optimizer: Any, text: str) -> None:
    groups = optimizer.param_groups
    recorder.contents_by_epoch(groups, f"{text}.param_groups")
    for i, group in enumerate(groups):
        place = f"{text}.param_groups[{i}]"
        recorder.old[id(group)] = group
        recorder.names.setdefault(id(group), place)
        attached = group._owner is not None
        for key, value in group._data.items():
            if key == "params":
                recorder.contents_by_epoch(value, f"{place}['params']")
            elif key != "lr" or not attached:
                recorder.item_by_epoch(group._data, key, value, f"{place}[{key!r}]")


# ---- Code that runs unconverted ----


def by_dots(recorder: Any, function: types.FunctionType, args: Any) -> None:
    """Reads the dotted attributes that code takes of globals, closures and arguments.

    The functions that it calls are treated in the same manner.
    """
    names = reads_of(function.__code__)
    recorder.counted += names.counts
    code = function.__code__
    roots = dict(zip(code.co_varnames[: code.co_argcount], args))
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        try:
            roots[name] = cell.cell_contents
        except ValueError:
            pass
    for name in names.globals:
        roots.setdefault(name, function.__globals__.get(name, MISSING))
    for value in list(roots.values()):
        called(recorder, value)
        _may_change(recorder, value)
    for chain in sorted(names.chains):
        for size in range(2, len(chain) + 1):
            part = _walk(recorder, roots.get(chain[0], MISSING), chain[1:size])
            _may_change(recorder, part)
        root = roots.get(chain[0])
        if is_users(part) and recorder.from_outside(root):
            recorder.value(part, chain[-1])
        called(recorder, part)
    for chain in sorted(names.stored_chains):
        owner = _walk(recorder, roots.get(chain[0], MISSING), chain[1:-1])
        if owner is MISSING or id(owner) not in recorder.old or is_plain(owner):
            continue
        tells = isinstance(owner, module_class())
        if not tells and find(owner, chain[-1]).setter is None:
            recorder.will_set(owner, chain[-1])


def _may_change(recorder: Any, value: Any) -> None:
    """Notes a container that unconverted code may change."""
    if isinstance(value, CONTAINERS) and id(value) in recorder.old:
        if recorder.converted:
            recorder.changes(value)


def called(recorder: Any, value: Any) -> None:
    """Notes a function that unconverted code may call."""
    if isinstance(value, types.MethodType) and is_users(value.__func__):
        recorder.value(value, value.__func__.__name__)
        recorder.unconverted(value.__func__, (value.__self__,))
        if reads_of(value.__func__.__code__).hides_stores:
            from .handed import hand_over

            hand_over(value.__self__)
    elif is_users(value):
        recorder.unconverted(value, ())
    elif isinstance(value, module_class()) and is_users(type(value).forward):
        recorder.unconverted(type(value).forward, (value,))


def _walk(recorder: Any, owner: Any, names: tuple[str, ...]) -> Any:
    for name in names:
        if owner is MISSING or is_plain(owner) or isinstance(owner, CONTAINERS):
            return MISSING
        found = find(owner, name)
        if found.code is not None or found.value is MISSING:
            return MISSING
        owner = recorder.attr(owner, name) if id(owner) in recorder.old else found.value
    return owner
