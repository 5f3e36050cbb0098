"""Elements of tensors as Python values: item(), tolist(), numbers.

An element is a number that the graph computes. Where Python itself needs it, such as
for a list index, the values of the call decide: the recording then serves calls that
have the same element.
"""

from __future__ import annotations

import collections
import functools
import math
import operator
from collections.abc import Callable
from typing import Any

from .. import _core
from .._symbols.symbol import Symbol
from . import mixed
from .errors import StagingError
from .lists import refuse_grown
from .place import user_place
from .refusals import asked_in_vain, forgive
from .texts import Text, as_now, depends, is_of_graph, known_all, needed, shown
from .values import Tensor, in_graph, number_of

_MOST = 256  # elements of a list, each of which is a result of the graph


def _kind(tensor: Any) -> type:
    dtype = tensor.dtype
    if dtype == _core.bool:
        return bool
    if dtype.is_complex or dtype == _core.string:
        raise _refused("an element", f"is {dtype.name}", "a real number")
    return float if dtype.is_floating_point else int


def _refused(what: str, why: str, wanted: str) -> StagingError:
    filename, line = user_place()
    return StagingError(f"{filename}:{line}: {what} {why}; wanted {wanted}")


def _item(tensor: Any) -> Any:
    return number_of(tensor, _kind(tensor), "item")


def _tolist(tensor: Any) -> Any:
    sizes = [int(size) for size in tensor.shape]
    count = 1
    for size in sizes:
        count *= size
    if count > _MOST:
        raise _refused(
            "tolist() of a tensor of a graph",
            f"has {count} elements",
            f"at most {_MOST}, or it outside of the function",
        )
    return _listed(tensor, sizes)


def _listed(tensor: Any, sizes: list[int]) -> Any:
    if not sizes:
        return _item(tensor)
    return [_listed(tensor[i], sizes[1:]) for i in range(sizes[0])]


def _nonzero(tensor: Any) -> Any:
    return number_of(tensor, bool)


def _outside(name: str) -> Callable[..., Any]:
    """Refuses to read elements of a captured tensor, which would be those of one
    call."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise _refused(
            f"{name}() of a tensor from outside of the function",
            "would give every call the elements of this one",
            "a tensor's operation, or it outside of the function",
        )

    return refuse


_TAKEN: dict[str, Callable[[Any], Any]] = {
    "item": _item,
    "tolist": _tolist,
    "is_nonzero": _nonzero,
}
_OF_MEMORY = frozenset("numpy __array__ __dlpack__ data_ptr _elements".split())


def method(function: Any) -> Any:
    """The replacement for a method of a tensor; None to call the method itself."""
    tensor, name = function.__self__, function.__name__
    taken = _TAKEN.get(name)
    if taken is not None:
        return functools.partial(_checked, taken, tensor)
    if name in ("numpy_array", "array_protocol"):
        name = "numpy"
    if name in _OF_MEMORY and not tensor.symbolic:
        return _outside(name)
    if name == "allclose":
        return functools.partial(_allclose, tensor)
    return None


def _checked(taken: Callable[[Any], Any], tensor: Any) -> Any:
    inner = in_graph(tensor)
    return taken(inner)


def _allclose(a: Any, *args: Any, **kwargs: Any) -> Any:
    from .._array.math import isclose

    return number_of(_core.op_function("All")(isclose(a, *args, **kwargs)), bool)


def _array_equal(a: Any, b: Any) -> Any:
    from .._array.math import as_tensor

    a, b = as_tensor(a), as_tensor(b)
    if tuple(a.shape) != tuple(b.shape):
        return False
    return number_of(_core.op_function("All")(a == b), bool)


def _is_nonzero(x: Any) -> Any:
    tensor = in_graph(x)
    return bool(x) if tensor is None else number_of(tensor, bool)


@functools.cache
def functions() -> dict[int, Callable[..., Any]]:
    """Sluice functions that give a Python bool."""
    from .._array import math, typed

    return {
        id(math.allclose): _allclose,
        id(math.array_equal): _array_equal,
        id(typed.is_nonzero): _is_nonzero,
    }


class History:
    """grad_fn of a tensor of a graph. It exists, but has no readable attributes."""

    def __getattr__(self, name: str) -> Any:
        raise _refused(
            "grad_fn of a tensor of a graph",
            f"is asked for {name}, which is known when gradients are computed",
            "y.grad_fn is None, or it outside of the function",
        )


def grad_fn(owner: Any) -> Any:
    """owner.grad_fn."""
    if not isinstance(owner, Tensor) or in_graph(owner) is None:
        return _core.attr(owner, "grad_fn")
    return History() if owner.requires_grad and not owner.is_leaf else None


# ---- Arguments of C and numpy functions ----


def of_numpy(function: Any) -> Any:
    """Wraps a numpy function. It would make captured tensors constants."""

    def call(*args: Any, **kwargs: Any) -> Any:
        for arg in (*args, *kwargs.values()):
            parts = arg if type(arg) in (list, tuple) else (arg,)
            if any(isinstance(p, Tensor) and not p.symbolic for p in parts):
                _outside(getattr(function, "__name__", "a function of numpy's"))()
        if any(map(_holds, (*args, *kwargs.values()))):
            args = tuple(_all_known(arg, "numpy wants") for arg in args)
            kwargs = {k: _all_known(arg, "numpy wants") for k, arg in kwargs.items()}
        return function(*args, **kwargs)

    return call


def of_enum(cls: Any) -> Any:
    """Wraps an enum class, whose members are looked up by value."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return cls(*known_all(args, _LOOKED_UP), **kwargs)

    return call


def _as_text(how: int) -> Callable[..., Any]:
    def text(value: Any = "", *args: Any) -> Any:
        return text_of(value, how, args[0] if args else "")

    return text


def text_of(value: Any, how: int, spec: Any) -> Any:
    """The string of a value as an f-string formats it."""
    from .handed import asked, hand_over
    from .iterables import Range

    if type(value) is Range:
        value = value.now()
    refuse_grown("a text", value)
    if isinstance(value, (Tensor, Text)) or type(spec) is Text:
        return Text.of([as_now(value), how, spec])
    names = {ord("s"): ("__str__", "__repr__"), ord("r"): ("__repr__",),
             -1: ("__format__",) if spec else ("__format__", "__str__", "__repr__")}
    for name in names.get(how, ()):
        own = asked(value, name)
        if own is None:
            continue
        if name == "__format__":
            return own(spec)
        made = own()
        if spec and type(made) is Text:
            return Text.of([made, -1, spec])
        return format(made, spec) if spec else made
    if depends(value):
        return Text.of([as_now(value), how, spec])
    hand_over(value)
    return shown(value, how, spec)


def own_text(value: Any) -> Any:
    """The repr() of a user object, if user code computes it; else None."""
    from .handed import asked

    own = asked(value, "__repr__")
    return None if own is None else own()


TEXTS: dict[Any, Callable[..., Any]] = {
    repr: _as_text(ord("r")),
    ascii: _as_text(ord("a")),
    format: _as_text(-1),
}


def of_text(function: Any) -> Any:
    """Wraps a string method whose arguments may depend on elements."""
    owner, name = function.__self__, function.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        if name == "format" and any(map(depends, (*args, *kwargs.values()))):
            return Text.of([[as_now(list(args)), as_now(kwargs)], "format", owner])
        if name == "join" and len(args) == 1:
            parts = list(args[0])
            if any(map(depends, parts)):
                return Text.of([parts, "join", owner])
            args = (parts,)
        return function(*known_all(args, f"{name}() wants"), **kwargs)

    return call


def refuse_key(owner: Any, key: Any) -> None:
    """Throws when a tensor of the graph is looked up in a dict or set from outside.
    That container holds the tensors of a call, not their stand-ins."""
    recorder = _core.recorder()
    if recorder is None or not isinstance(key, Tensor) or is_of_graph(key):
        return
    if not key.symbolic or not isinstance(owner, (dict, set, frozenset)):
        return
    if id(owner) in recorder.old:
        raise _refused(
            "a tensor of the graph",
            "is looked up in a dict or set from outside of the function, by what it is",
            "a name or number for a key",
        )


class Id(int):
    """The id() of an object that differs in every call."""


def id_(value: Any) -> int:
    """id(value)."""
    recorder = _core.recorder()
    plain = isinstance(value, Tensor) and not value.symbolic
    if recorder is None or plain or id(value) in recorder.old:
        return id(value)
    return Id(id(value))


def keyed(function: Any) -> Any:
    """Wraps a method of a dict or set, which looks numbers up by value."""

    owner = function.__self__

    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            refuse_key(owner, args[0])
        if args and is_of_graph(args[0]):
            args = (needed(args[0], _LOOKED_UP), *args[1:])
        elif isinstance(owner, set) or function.__name__ in ("update", "fromkeys"):
            pairs = isinstance(owner, dict)
            args = tuple(_known_keys(arg, pairs) for arg in args)
        return function(*args, **kwargs)

    return call


_LOOKED_UP = "this is looked up by"


def _known_keys(arg: Any, pairs: bool) -> Any:
    """An argument whose elements a method of a set or dict looks up one by one."""
    if hasattr(arg, "__next__"):
        arg = list(arg)
    if type(arg) not in (list, tuple) or not any(map(_holds, arg)):
        return arg
    if not pairs:
        return [_all_known(key, _LOOKED_UP) for key in arg]
    return [(_all_known(pair[0], _LOOKED_UP), *pair[1:]) for pair in arg]


def percent(text: str, values: Any) -> Any:
    """text % values."""
    if depends(values):
        return Text.of([as_now(values), "%", text])
    return text % values


_ROUNDING = {round: "Round", math.floor: "Floor", math.ceil: "Ceil"}


def rounded(function: Any) -> Any:
    """Wraps round, floor and others, which turn numbers into integers."""
    done = wanting(function)
    op = _core.op_function(_ROUNDING.get(function, "Trunc"))

    def call(*args: Any) -> Any:
        if args and isinstance(args[0], Tensor) and not is_of_graph(args[0]):
            more = known_all(args[1:], f"{function.__name__}() wants")
            return function(args[0], *more)  # a tensor, as imperatively
        number = args[0] if len(args) == 1 and is_of_graph(args[0]) else None
        if number is None or type(number) is Text:
            if len(args) == 2 and is_of_graph(args[0]):
                args = known_all(args, f"{function.__name__}() wants")
            return done(*args)
        if number.dtype == _core.float64:
            number = op(number.clone())  # keeps its precision
        return number_of(number, int)

    return call


def _as_argument(value: Any) -> Any:
    """An argument of a function that reads the element of a tensor."""
    tensor = in_graph(value) if isinstance(value, Tensor) else None
    return value if tensor is None or is_of_graph(value) else _item(tensor)


def _all_known(value: Any, what: str) -> Any:
    """Sizes and numbers of the graph as Python numbers, also inside containers."""
    if isinstance(value, Symbol):
        return value._now()
    if is_of_graph(value):
        return needed(value, what)
    if type(value) in (list, tuple):
        return type(value)(_all_known(v, what) for v in value)
    if type(value) is dict:
        return {k: _all_known(v, what) for k, v in value.items()}
    return value


def _holds(value: Any) -> bool:
    """Whether the value contains any."""
    if type(value) in (list, tuple):
        return any(map(_holds, value))
    if type(value) is dict:
        return any(map(_holds, value.values()))
    return is_of_graph(value) or isinstance(value, Symbol)


_HASHING = (set, frozenset, dict, collections.Counter)
_COUNTING = (collections.Counter.update, collections.Counter.subtract)

# Modules whose functions access elements through Python's operators only. Other C
# code reads the characters of a string directly.
_ASKING = frozenset(
    "builtins itertools functools copy operator collections dataclasses contextlib "
    "types weakref heapq bisect typing enum abc logging".split()
)


def _reads_letters(function: Any) -> bool:
    """Whether a function may read the characters of strings inside its arguments."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, str):
        return True
    module = getattr(function, "__module__", None) or type(owner).__module__ or ""
    return module.split(".")[0].lstrip("_") not in _ASKING


def _with_letters(value: Any, what: str) -> Any:
    """The value, with strings that depend on elements replaced by those of this
    call."""
    if type(value) is Text:
        return needed(value, what)
    if type(value) is tuple:
        known = [_with_letters(part, what) for part in value]
        return value if all(map(operator.is_, known, value)) else tuple(known)
    if type(value) in (list, dict):
        for k, part in list(value.items() if type(value) is dict else enumerate(value)):
            known_part = _with_letters(part, what)
            if known_part is not part:
                value[k] = known_part
    return value


def wanting(function: Any) -> Callable[..., Any]:
    """Wraps a C function that may need Python numbers. Where it rejects a number of
    the graph, the values of the call decide that number."""

    def call(*args: Any, **kwargs: Any) -> Any:
        name = getattr(function, "__name__", "it")
        mixed.refuse(f"{name}()", *args)
        if getattr(function, "__module__", None) in ("math", "cmath"):
            args = tuple(map(_as_argument, args))
        if function in _HASHING:
            args = tuple(_known_keys(arg, function is dict) for arg in args)
        elif function in _COUNTING:
            args = (args[0], *(_known_keys(arg, False) for arg in args[1:]))
        if any(type(a) is Text for a in (*args, *kwargs.values())):
            args = known_all(args, f"{name}() wants")
        if _reads_letters(function):
            args = tuple(_with_letters(a, f"{name}() wants") for a in args)
        before = asked_in_vain()
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if not any(map(_holds, (*args, *kwargs.values()))):
                raise
            if not isinstance(error, TypeError) and asked_in_vain() == before:
                raise  # not caused by a number of the graph
        forgive(before)
        # Its error may differ from the one it raises for Python numbers.
        what = f"{name}() wants"
        args = tuple(_all_known(a, what) for a in args)
        return function(*args, **{k: _all_known(v, what) for k, v in kwargs.items()})

    return call
