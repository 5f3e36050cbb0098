"""User objects passed to code that is not converted.

Operators and other protocols of user classes are called as ordinary functions. C code
and libraries may read and change every part of an object that they receive: its
attributes and elements become guards, and every call writes what they hold afterwards.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import operator
import threading
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .. import _core
from .._symbols.symbol import Symbol
from .answers import is_long, is_true
from .elements import percent, refuse_key, wanting
from .errors import StagingError
from .impure import refuse_if_iterator
from .object_reads import (
    CONTAINERS,
    in_class as find_in_class,
    is_library_class,
    is_plain,
    is_users,
    module_class,
    package_of,
)
from .lists import element, refuse_grown
from .mixed import compared, mixed, note, refuse_compared, refuse_operand
from .places import SLOT, INSTANCE, Instance, Slot, elements
from .texts import Text, is_of_graph, needed
from .values import (
    MISSING,
    Tensor,
    in_graph,
    number_of,
    python_number,
    refuse_number,
)

_DEEP = 5
# Special methods that no operator and no builtin function calls.
_NOT_ASKED = frozenset(
    "__init__ __new__ __del__ __getattr__ __getattribute__ __setattr__ __delattr__ "
    "__init_subclass__ __class_getitem__ __set_name__ __get__ __set__ __delete__ "
    "__enter__ __exit__ __call__ __reduce__ __reduce_ex__ __getstate__ __setstate__ "
    "__deepcopy__ __copy__".split()
)
_SKIPPED = (type, types.ModuleType, types.CodeType, types.CellType, weakref.ref)


def in_class(cls: type, name: str) -> Any:
    """The user function that implements a special method; None if there is none."""
    for base in cls.__mro__:
        if name in base.__dict__:
            found = base.__dict__[name]
            return found if is_users(found) else None
    return None


def is_users_object(value: Any) -> bool:
    """Whether the value's class is defined by the user."""
    if is_plain(value) or isinstance(value, _SKIPPED):
        return False
    return not is_library_class(type(value))


def is_known(value: Any) -> bool:
    """Whether the parts of the value are tracked elsewhere, or it is our own object."""
    if is_plain(value) or isinstance(value, (*CONTAINERS, tuple, *_SKIPPED)):
        return True
    if isinstance(value, module_class()):
        return True
    return package_of(type(value)) in ("sluice", "numpy")


def _called(function: Any) -> Any:
    from .calls import callee

    return callee(function)


def referred(value: Any) -> Any:
    """The object behind a weak proxy; any other value unchanged. If that object is
    gone, throws what the proxy throws."""
    if type(value) in weakref.ProxyTypes:
        recorder = _core.recorder()
        return value if recorder is None else recorder.referent(value)
    return value


def asked(value: Any, name: str) -> Any:
    """The user's special method, converted and bound; None if there is none."""
    value = referred(value)
    if is_plain(value):
        return None
    if isinstance(value, _SKIPPED) and is_library_class(type(value)):
        return None
    recorder = _core.recorder()
    if recorder is None:
        return None
    recorder.special(type(value), name)
    found = in_class(type(value), name)
    if found is None:
        return None
    if recorder.from_outside(value):
        recorder.value(found, name)
    return _called(types.MethodType(found, value))


# ---- Objects passed to other code ----


def hand_over(value: Any, *, whole: bool = True) -> None:
    """Notes that code that is not converted receives the value, and may read and
    change it."""
    recorder = _core.recorder()
    if recorder is not None and not is_plain(value):
        _hand(recorder, value, set(), _DEEP if whole else 1)


def _hand(recorder: Any, value: Any, seen: set[int], deep: int) -> None:
    value = referred(value)
    if isinstance(value, weakref.ref) and id(value) in recorder.old:
        value, reference = value(), value
        if value is not None:
            recorder.value(value, recorder.names.get(id(reference), "a reference"))
    if is_plain(value) or id(value) in seen or isinstance(value, _SKIPPED):
        return
    seen.add(id(value))
    if isinstance(value, types.FunctionType):
        _function(recorder, value, seen, deep)
        return
    if deep == 0:
        return
    if isinstance(value, CONTAINERS):
        if id(value) in recorder.old or recorder.existed(value):
            recorder.changes(value)
        parts = list(value.values()) if isinstance(value, dict) else list(value)
        if isinstance(value, bytearray):
            return
        for part in parts:
            _hand(recorder, part, seen, deep - 1)
        if is_library_class(type(value)):
            return
    elif isinstance(value, (tuple, frozenset)):
        for part in elements(value):
            _hand(recorder, part, seen, deep - 1)
        if is_library_class(type(value)):
            return
    elif type(value) is functools.partial:
        # Looking up its attributes would create its dict, which changes partial(p).
        for part in (value.func, value.args, value.keywords):
            _hand(recorder, part, seen, deep)
        return
    elif isinstance(value, types.MethodType):
        _hand(recorder, value.__func__, seen, deep)
        _hand(recorder, value.__self__, seen, deep)
        return
    if isinstance(value, module_class()):
        _module(recorder, value, seen, deep)
        return
    if package_of(type(value)) in ("sluice", "numpy"):
        return
    _instance(recorder, value, seen, deep)


def _function(recorder: Any, function: Any, seen: set[int], deep: int) -> None:
    from .build import is_converted

    if is_users(function) and not is_converted(function):
        recorder.unconverted(function, ())
    for cell in function.__closure__ or ():
        try:
            inner = cell.cell_contents
        except ValueError:
            continue
        if not isinstance(inner, types.FunctionType):
            _hand(recorder, inner, seen, min(deep, 2) - 1)


def _module(recorder: Any, module: Any, seen: set[int], deep: int) -> None:
    for path, part in module.named_modules():
        if is_library_class(type(part)):
            continue
        text = recorder.names.get(id(module), type(module).__name__)
        text = f"{text}.{path}" if path else text
        for name, value in list(part.__dict__.items()):
            if not name.startswith("_") or name in type(part).__dict__:
                recorder.instance_by_epoch(part, name, value, f"{text}.{name}")
                _hand(recorder, value, seen, deep - 1)
        if is_users(type(part).forward):
            recorder.unconverted(type(part).forward, (part,))


def _instance(recorder: Any, value: Any, seen: set[int], deep: int) -> None:
    old = id(value) in recorder.old
    if old and not isinstance(value, threading.local):
        recorder.names_read(value)
    for place, kind in attributes(recorder, value):
        held = place.get()
        if held is MISSING:
            continue
        if old:
            if recorder.read(kind, value, place.name, held, place.text):
                recorder.value(held, place.text)
            recorder.note(place)
        _hand(recorder, held, seen, deep - 1)
    if is_library_class(type(value)):
        return
    for base in type(value).__mro__:
        for name, code in list(base.__dict__.items()):
            if isinstance(code, property) and is_users(code.fget):
                _runs(recorder, code.fget, value)
            elif is_users(code) and name.startswith("__") and name not in _NOT_ASKED:
                counted = recorder.counted
                _runs(recorder, code, value)
                if name == "__hash__" and recorder.counted != counted:
                    _refuse_hash(code)


def _runs(recorder: Any, code: types.FunctionType, value: Any) -> None:
    """Notes a method of the value's class that Python may call unconverted."""
    if recorder.from_outside(value):
        recorder.value(code, code.__name__)
    recorder.unconverted(code, (value,))


def _refuse_hash(code: types.FunctionType) -> None:
    made = code.__code__
    raise StagingError(
        f"{made.co_filename}:{made.co_firstlineno}: {code.__qualname__} counts "
        "something up, and a recording may ask for a hash more often than the code; "
        "wanted it without that"
    )


def attributes(recorder: Any, value: Any) -> Iterator[tuple[Any, int]]:
    """The places where an object keeps its attributes."""
    of_thread = isinstance(value, threading.local)
    for name in list(getattr(value, "__dict__", ())):
        if of_thread:
            yield Slot(value, name, recorder.text(value, name)), SLOT
            continue
        yield Instance(value, name, recorder.text(value, name)), INSTANCE
    for base in type(value).__mro__:
        if is_library_class(base):
            continue
        for name, raw in list(base.__dict__.items()):
            if isinstance(raw, types.MemberDescriptorType):
                yield Slot(value, name, recorder.text(value, name)), SLOT


def handing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a C or library function for calls with user objects."""

    done = wanting(function)

    def call(*args: Any, **kwargs: Any) -> Any:
        recorder = _core.recorder()
        if recorder is None:
            return function(*args, **kwargs)
        given = [a for a in (*args, *kwargs.values()) if not is_plain(a)]
        owner = getattr(function, "__self__", None)
        if owner is not None and not isinstance(owner, (*CONTAINERS, *_SKIPPED)):
            given.append(owner)
        if not given:
            return done(*args, **kwargs)
        for arg in map(referred, given):
            refuse_if_iterator(arg)
            hand_over(arg)
        with watched(given):
            return done(*args, **kwargs)

    return call


@contextlib.contextmanager
def watched(given: Iterable[Any]) -> Iterator[None]:
    """While code that is not converted holds the objects, notes attributes it adds."""
    recorder = _core.recorder()
    before = [
        (arg, set(getattr(arg, "__dict__", ())))
        for arg in given
        if id(arg) in recorder.old and hasattr(arg, "__dict__")
    ]
    try:
        yield
    finally:
        for arg, names in before:
            for name in set(getattr(arg, "__dict__", ())) - names:
                recorder.came(Instance(arg, name, recorder.text(arg, name)))


# ---- Operators ----

_BINARY: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "+": (operator.add, "__add__"),
    "-": (operator.sub, "__sub__"),
    "*": (operator.mul, "__mul__"),
    "/": (operator.truediv, "__truediv__"),
    "//": (operator.floordiv, "__floordiv__"),
    "%": (operator.mod, "__mod__"),
    "**": (operator.pow, "__pow__"),
    "@": (operator.matmul, "__matmul__"),
    "<<": (operator.lshift, "__lshift__"),
    ">>": (operator.rshift, "__rshift__"),
    "&": (operator.and_, "__and__"),
    "|": (operator.or_, "__or__"),
    "^": (operator.xor, "__xor__"),
    "==": (operator.eq, "__eq__"),
    "!=": (operator.ne, "__ne__"),
    "<": (operator.lt, "__lt__"),
    "<=": (operator.le, "__le__"),
    ">": (operator.gt, "__gt__"),
    ">=": (operator.ge, "__ge__"),
}
_UNARY: dict[str, tuple[Callable[[Any], Any], str]] = {
    "-": (operator.neg, "__neg__"),
    "+": (operator.pos, "__pos__"),
    "~": (operator.invert, "__invert__"),
}


def binary(op: str, a: Any, b: Any) -> Any:
    """a + b and the like."""
    python, name = _BINARY[op]
    a, b = referred(a), referred(b)
    if op in _OF_BITS or a is None or b is None:
        _refuse_operands(python, a, b)
    if op in _COMPARING:
        refuse_compared(op, a, b)
        refuse_grown(op, a)
        refuse_grown(op, b)
        return compared(_binary(op, a, b), a, b)
    refuse_operand(op, a, b)
    refuse_operand(op, b, a)
    return _binary(op, a, b)


def _binary(op: str, a: Any, b: Any) -> Any:
    python, name = _BINARY[op]
    both = _is_numeric(a) and _is_numeric(b)
    if _core.recorder() is None or (both and is_plain(a) and is_plain(b)):
        return python(a, b)
    if is_plain(a) and is_plain(b) and not (is_of_graph(a) or is_of_graph(b)):
        return percent(a, b) if op == "%" and type(a) is str else python(a, b)
    if isinstance(a, str) and isinstance(b, str) and op == "+":
        return Text.of(a, b) if Text in (type(a), type(b)) else a + b
    if op == "%" and type(a) is str:
        hand_over(b)
        return percent(a, b)
    if is_of_graph(a) and not _is_numeric(b):
        return binary(op, needed(a, f"{op} takes"), b)
    if is_of_graph(b) and not _is_numeric(a):
        return binary(op, a, needed(b, f"{op} takes"))
    first = type(b) is not type(a) and isinstance(b, type(a))  # b's method first
    mine = None if first else asked(a, name)
    if mine is None:
        for value in (a, b):
            if not is_known(value) or (op in ("==", "!=") and is_users_object(value)):
                hand_over(value)
        return python(a, b)
    made = mine(b)
    if made is not NotImplemented:
        return made
    hand_over(a)
    hand_over(b)
    return python(a, b)


_COMPARING = frozenset(("==", "!=", "<", "<=", ">", ">="))


_OF_BITS = frozenset(("<<", ">>", "&", "|", "^", "@"))


def _refuse_operands(python: Callable[[Any, Any], Any], a: Any, b: Any) -> None:
    """Throws the error that Python raises for numbers that an operator rejects."""
    kinds = [python_number(v) if isinstance(v, Tensor) else None for v in (a, b)]
    if any(kinds) and not any(
        isinstance(v, Tensor) and kind is None for v, kind in zip((a, b), kinds)
    ):
        stand_ins = [v if k is None else k(0) for v, k in zip((a, b), kinds)]
        if all(v is None or type(v) in (bool, int, float) for v in stand_ins):
            python(*stand_ins)


def _is_numeric(value: Any) -> bool:
    """Whether a number of a graph can compute with the value. A list, string or array
    needs a Python number instead: [0] * n."""
    if isinstance(value, (Tensor, int, float, Symbol, types.NoneType)):
        return True
    return is_users_object(value) or package_of(type(value)) == "sluice"


def contiguous(value: Any) -> Any:
    """value.is_contiguous()."""
    recorder = _core.recorder()
    if isinstance(value, Tensor) and recorder is not None:
        return recorder.contiguous(value)
    return _called(_core.attr(value, "is_contiguous"))()


def unary(op: str, a: Any) -> Any:
    """-a and the like."""
    python, name = _UNARY[op]
    own = asked(a, name)
    if own is not None:
        return own()
    kind = python_number(a) if isinstance(a, Tensor) else None
    if kind is not None:
        python(kind(0))  # raises for ~ of a float
    made = python(number_of(a, int) if kind is bool else a)
    if mixed(a):
        note(made, a)
    return made


def item(owner: Any, key: Any) -> Any:
    """owner[key]."""
    if isinstance(owner, Tensor):
        refuse_number(owner, lambda number: number[0])
    if not isinstance(owner, Tensor):
        key = key_of(owner, key)
    if _core.recorder() is None or is_plain(owner):
        if not is_plain(key):
            hand_over(key)
        return owner[key]
    own = asked(owner, "__getitem__")
    if own is None and isinstance(owner, type):
        made = _core.attr(owner, "__class_getitem__") if _is_generic(owner) else None
        own = made and _called(made)
    if own is not None:
        return own(key)
    if not is_plain(key):
        hand_over(key)
    if not is_known(owner):
        hand_over(owner)
    elif isinstance(owner, dict) and not dict.__contains__(owner, key):
        other = asked(owner, "__missing__")
        if other is not None:
            return other(key)
        if isinstance(owner, collections.defaultdict):
            return _made_for(owner, key)
    if isinstance(owner, _core.List):
        return element(owner[key])
    return owner[key]


def _is_generic(cls: type) -> bool:
    """Whether cls[key] calls a user function."""
    raw = find_in_class(cls, "__class_getitem__")
    return is_users(getattr(raw, "__func__", raw))


def _made_for(owner: Any, key: Any) -> Any:
    """The value that a defaultdict creates for a missing key, and stores."""
    recorder, make = _core.recorder(), owner.default_factory
    recorder.adding(owner)
    if make is None or is_library_class(type(make)) and not is_users(make):
        return owner[key]
    if id(owner) in recorder.old:
        text = recorder.text(owner, "default_factory")
        if recorder.read(SLOT, owner, "default_factory", make, text):
            recorder.value(make, text)
    made = owner[key] = _called(make)()
    return made


_BY_NUMBER = (list, tuple, str, bytes, bytearray, range, collections.deque)


def key_of(owner: Any, key: Any) -> Any:
    """A key for Python's own lookup: a number that the graph computes takes its value
    in the call being recorded."""
    if isinstance(key, Tensor):
        refuse_key(owner, key)
        if is_of_graph(key) and isinstance(owner, (*_BY_NUMBER, dict)):
            return needed(key, "this is looked up by")
        if isinstance(owner, _BY_NUMBER) and in_graph(key) is not None:
            return needed(in_graph(key), "this is looked up by")
    elif type(key) is slice and isinstance(owner, _BY_NUMBER):
        parts = (key.start, key.stop, key.step)
        if any(isinstance(p, Tensor) for p in parts):
            return slice(*(key_of(owner, p) for p in parts))
    elif type(key) is tuple and isinstance(owner, dict):
        if any(map(is_of_graph, key)):
            return tuple(key_of(owner, p) for p in key)
    elif type(key) is Text:
        return needed(key, "this is looked up by")
    return key


def hashed(key: Any) -> Any:
    """The value as a key of a new dict or an element of a new set."""
    if not is_plain(key):
        hand_over(key)
    return key_of({}, key)


def true(value: Any) -> Any:
    """The truth value of a user object, as `if` sees it; other values unchanged."""
    if is_plain(value):
        return value
    own = asked(value, "__bool__")
    if own is not None:
        return is_true(own())
    own = asked(value, "__len__")
    return value if own is None else is_long(own())


def iterated(items: Any) -> Any:
    """The iterable that a loop iterates over."""
    items = referred(items)
    refuse_if_iterator(items)
    if is_plain(items) or _core.recorder() is None:
        return items
    own = asked(items, "__iter__")
    if own is None:
        if not is_known(items) and hasattr(items, "__dict__"):
            hand_over(items)
        return items
    made = own()
    return made if in_class(type(made), "__next__") is None else _steps(made)


def _steps(iterator: Any) -> Iterator[Any]:
    step = asked(iterator, "__next__")
    while True:
        try:
            value = step()
        except StopIteration:
            return
        yield value


def has_setters(cls: type) -> bool:
    """Whether assigning to an instance runs user code."""
    names = ("__setattr__", "__setitem__", "__delattr__", "__delitem__")
    return any(in_class(cls, name) is not None for name in names)


def matched(subject: Any) -> Any:
    """The subject of a match statement, whose patterns read attributes and elements."""
    if is_of_graph(subject):
        return needed(subject, "match takes")
    hand_over(subject)
    return subject
