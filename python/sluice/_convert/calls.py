"""Chooses the function that a call in converted code runs.

User functions are converted when they are called. Python's range, len and so on also
accept tensors of a graph. Library functions are called unchanged, but functions passed
to Sluice (for example to sl.scan) are converted.
"""

from __future__ import annotations

import array
import builtins
import contextlib
import enum
import functools
import io
import itertools
import math
import operator
import random
import types
import weakref
from collections.abc import Callable
from typing import Any

from .. import _core
from .._symbols.numbers import Symbol, SymFloat, choose as choose_size
from . import cached, class_reads, mixed, object_reads
from .collected import filter_test
from .dispatched import by_class
from .elements import (
    TEXTS,
    functions,
    id_,
    method,
    of_enum,
    of_numpy,
    of_text,
    rounded,
    keyed,
    text_of,
)
from .errors import StagingError
from .frames import changed, places
from .places import CONTAINERS as PLAIN_CONTAINERS
from .handed import (
    hand_over,
    handing,
    is_users_object,
    iterated,
    true,
)
from .impure import next_, refuse_if_impure, refuse_if_iterator
from .joins import joins
from .library import is_library
from .logic import if_exp
from .module_calls import converting_modules, module_call
from .outside_world import by_name, words_of
from .plain_attributes import PLAIN_ATTRIBUTES, by_attributes, by_slot
from .printing import effect_of, print_, redirecting
from .seeded import random_
from .sequences import enumerate_, len_, range_, reversed_, zip_
from .steps import managed
from .texts import Text, attr, is_of_graph, known_all, needed, ordered
from .values import (
    Tensor,
    decided,
    in_graph,
    number_of,
)



def _symbol_as(python: type, value: Any) -> Any:
    """int(n) or float(n) of a size, which stays a size."""
    if python is float:
        return value if isinstance(value, SymFloat) else value * 1.0
    return math.trunc(value) if isinstance(value, (int, float)) else int(value)


def _as(python: type) -> Callable[..., Any]:
    def convert(*args: Any, **kwargs: Any) -> Any:
        tensor = in_graph(args[0]) if len(args) == 1 and not kwargs else None
        if tensor is None and len(args) == 1 and isinstance(args[0], Symbol):
            return _symbol_as(python, args[0])
        if tensor is not None:
            if python is float:  # precision is lost
                mixed.refuse("float()", args[0])
            return number_of(tensor, python)
        # Python would parse the string of the call being recorded.
        args = known_all(args, f"{python.__name__}() reads")
        for arg in args:
            hand_over(arg)
        return python(*args, **kwargs)

    return convert


def _bool(*args: Any) -> Any:
    args = tuple(map(decided, args))
    tensor = in_graph(args[0]) if len(args) == 1 else None
    if tensor is not None:
        return number_of(tensor, bool)
    return bool(*map(true, args))


def _extreme(
    python: Callable[..., Any], wins: Callable[[Any, Any], Any]
) -> Callable[..., Any]:
    def choose(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and type(args[0]) in (list, tuple) and len(args[0]) > 1:
            if not kwargs and any(in_graph(a) is not None for a in args[0]):
                args = tuple(args[0])
        if kwargs or len(args) < 2 or all(in_graph(a) is None for a in args):
            if not kwargs and any(isinstance(a, Symbol) for a in args):
                made = choose_size(python.__name__, args)
                if made is not None:
                    return made
            return _by_key(handing(python))(*args, **kwargs)
        # One of the values: the first of those that are equal, or unordered (NaN).
        best = args[0]
        for arg in args[1:]:
            best = _the_better(wins, arg, best)
        return best

    return choose


def _the_better(wins: Callable[[Any, Any], Any], arg: Any, best: Any) -> Any:
    return if_exp(wins(arg, best), lambda: arg, lambda: best)


def _named(name: Any) -> Any:
    """The name of an attribute as a string for Python's lookup."""
    return needed(name, "an attribute is asked for by") if type(name) is Text else name


def _getattr(owner: Any, name: str, *default: Any) -> Any:
    name = _named(name)
    try:
        return attr(owner, name)
    except AttributeError:
        if default:
            return default[0]
        raise


def _hasattr(owner: Any, name: str) -> bool:
    name = _named(name)
    try:
        attr(owner, name)
    except AttributeError:
        return False
    return True


def _setattr(owner: Any, name: str, value: Any) -> None:
    setattr(_core.place(owner), _named(name), value)


def _delattr(owner: Any, name: str) -> None:
    delattr(_core.place(owner), _named(name))


def _with_own(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps map and others, which call user functions."""

    def call(*args: Any, **kwargs: Any) -> Any:
        named = {name: _own(arg) for name, arg in kwargs.items()}
        if args and _is_called(args[0]):
            args = (callee(args[0]), *args[1:])
        return function(*map(_own, args), **named)

    return call


def _own(value: Any) -> Any:
    kinds = (types.FunctionType, types.MethodType, functools.partial)
    return callee(value) if isinstance(value, kinds) else value


def _is_called(value: Any) -> bool:
    """Whether the value, passed as a function, is a user object, a module, or a method
    that looks up keys."""
    if isinstance(value, object_reads.module_class()) or value in (int, float):
        return True
    if isinstance(value, types.BuiltinFunctionType):
        of_file = isinstance(value.__self__, io.IOBase)
        if of_file or value in (print, next) or words_of(value) is not None:
            return True
        return isinstance(value.__self__, (dict, set))
    return is_users_object(value) and callable(value)


def _by_key(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps max, list.sort and others, which may take a key."""

    def call(*args: Any, **kwargs: Any) -> Any:
        key = kwargs.get("key")
        if key is not None:
            own = callee(key) if _is_called(key) else _own(key)
            kwargs["key"] = lambda value: ordered(own(value))
        elif args and type(args[0]) in (list, tuple) and any(map(_is_one, args[0])):
            kwargs["key"] = ordered
        return function(*args, **kwargs)

    return call


def _is_one(value: Any) -> bool:
    """Whether the value is a tensor of the graph that is not a number."""
    return isinstance(value, Tensor) and value.symbolic and not is_of_graph(value)


def _truths(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps any and all."""

    def call(*args: Any) -> Any:
        if len(args) != 1:
            return function(*args)
        return function(filter_test(value) for value in iterated(args[0]))

    return call


def _filter(test: Any, items: Any) -> Any:
    own = test if test is None else callee(test) if _is_called(test) else _own(test)
    return (v for v in iterated(items) if filter_test(v if own is None else own(v)))


def _vars(*args: Any) -> Any:
    return _core.attr(args[0], "__dict__") if len(args) == 1 else vars(*args)


def _str(*args: Any, **kwargs: Any) -> Any:
    if len(args) == 1 and not kwargs:
        return text_of(args[0], ord("s"), "")
    return str(*args, **kwargs)


_OTHERS: dict[Any, Callable[..., Any]] = {
    range: range_,
    enumerate: enumerate_,
    zip: zip_,
    reversed: reversed_,
    len: len_,
    int: _as(int),
    float: _as(float),
    builtins.bool: _bool,
    isinstance: class_reads.isinstance_,
    type: class_reads.type_,
    min: _extreme(min, operator.lt),
    max: _extreme(max, operator.gt),
    getattr: _getattr,
    hasattr: _hasattr,
    setattr: _setattr,
    delattr: _delattr,
    vars: _vars,
}
# The same while a function is recorded.
_RECORDED: dict[Any, Callable[..., Any]] = {
    f: _with_own(handing(f)) for f in (map, functools.reduce, itertools.starmap)
}
_RECORDED[filter] = _filter
_RECORDED[any] = _truths(any)
_RECORDED[all] = _truths(all)
_RECORDED[sorted] = _by_key(handing(sorted))
_RECORDED[id] = id_
_RECORDED[dir] = class_reads.dir_
_RECORDED[issubclass] = class_reads.issubclass_
_RECORDED[round] = rounded(round)
_RECORDED.update((f, rounded(f)) for f in (math.floor, math.ceil, math.trunc))
_RECORDED.update({print: print_, next: next_, str: _str, **TEXTS})
_RECORDED[random.Random] = random_
for _redirect in (contextlib.redirect_stdout, contextlib.redirect_stderr):
    _RECORDED[_redirect] = redirecting(_redirect)


# Functions whose argument code becomes a region of its own in the graph.
_REGIONS = frozenset(
    "cond case switch switch_case while_loop fori_loop scan associative_scan map "
    "map_fn vectorized_map foldl foldr vmap checkpoint".split()
)


def _in_region(code: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Wraps the code of a region. What it would leave outside is refused."""

    @functools.wraps(code)
    def call(*args: Any, **kwargs: Any) -> Any:
        with places() as journal, journal.frame() as frame:
            result = code(*args, **kwargs)
            for place, before in frame.values():
                if changed(place, before):
                    raise StagingError(
                        f"{place.text} is assigned by a function that sl.{name} calls, "
                        "which runs as a part of the graph of its own; return it "
                        "instead, and assign it outside"
                    )
            return result

    return call


def _with_converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a Sluice function that takes user functions."""

    region = function.__name__ in _REGIONS

    def own(value: Any) -> Any:
        if not isinstance(value, (types.FunctionType, types.MethodType)):
            if is_users_object(value):
                hand_over(value)
            return value
        made = callee(value)
        return _in_region(made, function.__name__) if region else made

    def call(*args: Any, **kwargs: Any) -> Any:
        given = [
            [own(v) for v in value] if type(value) is list else own(value)
            for value in args
        ]
        named = {name: own(value) for name, value in kwargs.items()}
        modules = any(
            isinstance(value, object_reads.module_class())
            for value in (*args, *kwargs.values())
        )
        with converting_modules(modules):
            return function(*given, **named)

    return call


_CACHE = type(functools.cache(lambda: None))


def callee(function: Any) -> Any:
    """The function to call in place of the given one."""
    from . import for_call

    kind = type(function)
    recorder = _core.recorder()
    if function is _core.List and recorder is not None:
        recorder.own_lists = True
    if kind in weakref.ProxyTypes and recorder is not None:
        return callee(recorder.referent(function))
    joined = joins().get(id(function))
    if joined is not None:
        return joined
    if kind is types.FunctionType:
        if hasattr(function, "__sl_under__"):
            return _under_mode(function)
        if is_library(function):
            if recorder is not None and id(function) in functions():
                return functions()[id(function)]
            if recorder is not None:
                refuse_if_impure(function)
            if (function.__module__ or "").split(".")[0] == "sluice":
                return _with_converted(function)
            if recorder is None:
                return function
            return effect_of(function) or _wrapper(function, recorder)
        if recorder is not None:
            recorder.function(function)
        return for_call(function)
    if kind is types.MethodType:
        inner = function.__func__
        if hasattr(inner, "__sl_under__"):
            return types.MethodType(_under_mode(inner), function.__self__)
        if type(inner) is types.FunctionType and not is_library(inner):
            if recorder is not None:
                recorder.function(inner)
            return types.MethodType(for_call(inner), function.__self__)
        if is_users_object(inner):  # a class used as a decorator
            return functools.partial(callee(inner), function.__self__)
        if recorder is None:
            return function
        refuse_if_impure(function)
        if type(inner) is _CACHE:
            return functools.partial(cached.asked(inner, recorder), function.__self__)
        if type(inner) is not types.FunctionType:
            return function
        if isinstance(function.__self__, Tensor):
            return method(function) or function
        if (inner.__module__ or "").split(".")[0] == "sluice":
            calls = inner.__name__ in ("apply", "step")  # they call their argument
            return _with_own(function) if calls else function
        effect = effect_of(function)
        if effect is not None:
            return effect
        return types.MethodType(_wrapper(inner, recorder), function.__self__)
    if isinstance(function, type) or kind is types.BuiltinFunctionType:
        try:
            other = _OTHERS.get(function)
        except TypeError:
            return function
        if other is not None:
            return other
        if recorder is None:
            return function
        refuse_if_impure(function)
        if function in _RECORDED:
            return _RECORDED[function]
        if not isinstance(function, type):
            return effect_of(function) or _builtin(function)
        if kind.__call__ is type.__call__:
            return _constructor(function, recorder)
        if isinstance(function, enum.EnumMeta):
            return of_enum(function)
    if kind is functools.partial:
        made = callee(function.func)
        if made is function.func:
            return function
        return functools.partial(made, *function.args, **function.keywords)
    if kind is _CACHE and recorder is not None:
        return cached.asked(function, recorder)
    called = getattr(kind, "__call__", None)
    if type(called) is not types.FunctionType:
        return function if recorder is None else _of_c(function, recorder)
    if not is_library(called):
        if recorder is not None:
            recorder.special(kind, "__call__")
            if recorder.from_outside(function):
                recorder.value(called, "__call__")
            recorder.function(called)
        return types.MethodType(for_call(called), function)
    return module_call(function) if hasattr(function, "forward") else function


def _under_mode(function: Any) -> Any:
    """A user function decorated with no_grad or a similar mode."""
    mode, inner = function.__sl_under__
    made = callee(inner)

    @functools.wraps(inner)
    def call(*args: Any, **kwargs: Any) -> Any:
        with mode._copy():
            return made(*args, **kwargs)

    return call


def _wrapper(function: Any, recorder: Any) -> Any:
    """A library function that wraps a user function, as contextmanager makes."""
    dispatched = by_class(function, recorder)
    if dispatched is not None:
        return dispatched
    inner = getattr(function, "__wrapped__", None)
    handed = handing(function)
    if type(inner) is not types.FunctionType or is_library(inner):
        return handed
    recorder.function(inner)
    manager = managed(function, inner)
    if manager is not None:
        return manager

    def call(*args: Any, **kwargs: Any) -> Any:
        recorder.unconverted(inner, args)
        return function(*args, **kwargs)

    return call


def _builtin(function: Any) -> Any:
    """A C function outside Sluice."""
    module = getattr(function, "__module__", None) or ""
    if module.split(".")[0] in ("sluice", "numpy"):
        return function if module.startswith("sluice") else of_numpy(function)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, str) and function.__name__ in ("join", "format"):
        return of_text(function)
    recorder = _core.recorder()
    if isinstance(owner, type) and function.__name__ in ("mro", "__subclasses__"):
        recorder.caches.append(class_reads.Family(function))
    if isinstance(owner, object_reads.CONTAINERS) and recorder.knows(owner):
        # Noted where it is called, not where it was read: add = seen.append. For a
        # user class, super() gave the method.
        if type(owner) in PLAIN_CONTAINERS:
            function = recorder.attr(owner, function.__name__)
        else:
            recorder.changes(owner)
    elif isinstance(owner, array.array):
        recorder.changes_array(owner)
    if not isinstance(function, types.BuiltinFunctionType):
        return function
    if isinstance(owner, (dict, set)):
        return keyed(function)
    if isinstance(owner, object_reads.CONTAINERS):
        return _by_key(function) if function.__name__ == "sort" else function
    return handing(function)


_CHANGING = frozenset(
    f"__{name}__" for name in "setitem delitem iadd imul ior iand isub ixor".split()
)


def _of_c(function: Any, recorder: Any) -> Any:
    """Another callable object of C."""
    kind = type(function)
    refuse_if_impure(function)
    if kind is weakref.ReferenceType:
        if id(function) in recorder.old:  # else this code made it
            recorder.value(function(), "what a weak reference refers to")
            recorder.caches.append(class_reads.Referred(function))
        return function
    if kind is operator.attrgetter:
        return by_attributes(function)
    if kind is types.MethodWrapperType:  # super().__setattr__
        refuse_if_iterator(function.__self__)
        if function.__name__ in _CHANGING and recorder.knows(function.__self__):
            recorder.changes(function.__self__)
        if function.__name__ == "__call__":
            return _by_wrapper(function, recorder)
        if isinstance(function.__self__, types.MemberDescriptorType):
            return by_slot(function)
        plain = PLAIN_ATTRIBUTES.get(function.__name__)
        if plain is not None and function.__self__ is not None:
            return functools.partial(plain, function, function.__self__)
        return function
    if kind is types.MethodDescriptorType:  # list.append(seen, x)
        if issubclass(function.__objclass__, object_reads.CONTAINERS):
            return lambda owner, *args, **kwargs: callee(function.__get__(owner))(
                *args, **kwargs
            )
        return handing(function)
    if kind is types.WrapperDescriptorType:  # object.__setattr__
        plain = PLAIN_ATTRIBUTES.get(function.__name__)
        if plain is not None:
            return lambda owner, *args: plain(
                functools.partial(function, owner), owner, *args
            )
        return handing(function)
    package = object_reads.package_of(kind)
    if package == "nanobind":
        if isinstance(getattr(function, "__self__", None), Tensor):
            return method(function) or function
    if package == "numpy":
        return by_name(function) or of_numpy(function)
    if package in ("nanobind", "sluice"):
        return mixed.unmixed(function) if callable(function) else function
    return handing(function)


def _by_wrapper(function: Any, recorder: Any) -> Any:
    """f.__call__, and a metaclass's super().__call__, which makes an instance."""
    owner = function.__self__
    if isinstance(owner, (types.FunctionType, types.MethodType)):
        return callee(owner)
    return _constructor(owner, recorder) if isinstance(owner, type) else function


def _constructor(cls: Any, recorder: Any) -> Any:
    """A user class, whose methods are converted."""
    for name in ("__new__", "__init__"):
        recorder.special(cls, name)
    new, init = cls.__new__, cls.__init__
    own_new = type(new) is types.FunctionType and not is_library(new)
    own_init = type(init) is types.FunctionType and not is_library(init)
    if not own_new and not own_init:
        library = object_reads.is_library_class(cls)
        ours = object_reads.package_of(cls) in ("sluice", "numpy")
        if object_reads.package_of(cls) == "numpy":
            return of_numpy(cls)
        return handing(cls) if library and not ours else cls
    for own in (new, init):
        if id(cls) in recorder.old and object_reads.is_users(own):
            recorder.value(own, cls.__name__)
    if own_init:
        recorder.function(init)

    def make(*args: Any, **kwargs: Any) -> Any:
        if own_new:
            recorder.function(new)
            made = for_call_of(new)(cls, *args, **kwargs)
        elif new is object.__new__:
            made = object.__new__(cls)
        else:
            made = new(cls, *args, **kwargs)
        if not isinstance(made, cls):
            return made
        recorder.made(made)
        if own_init:
            for_call_of(init)(made, *args, **kwargs)
        else:
            init(made, *args, **kwargs)
        return made

    return make


def for_call_of(function: types.FunctionType) -> Any:
    """The function, converted."""
    from . import for_call

    return for_call(function)
