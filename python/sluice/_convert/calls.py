"""What a call in a converted function calls.

The user's functions are converted on the way; Python's own range, len and so on
get a second meaning for tensors of a graph; what belongs to libraries is called
as it is, but functions passed to Sluice (as to sl.scan) are converted.
"""

from __future__ import annotations

import builtins
import functools
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

from .. import _core
from .errors import StagingError
from .iterables import Enumerate, Range, Reversed, Zip, beside, size, staged
from .library import is_library
from .values import Tensor, in_graph, truth

_cast = _core.op_function("Cast")


def _range(*args: Any) -> Any:
    if any(in_graph(arg) is not None for arg in args):
        return Range(*args)
    return range(*args)


def _enumerate(items: Any, start: Any = 0) -> Any:
    known = staged(items)
    if known is None:
        return enumerate(items, start)
    return Enumerate(known, start)


def _zip(*items: Any, strict: bool = False) -> Any:
    if any(staged(item) is not None for item in items):
        return Zip(*map(beside, items))
    return zip(*items, strict=strict) if strict else zip(*items)


def _reversed(items: Any) -> Any:
    known = staged(items)
    if known is not None:
        return Reversed(known)
    return reversed(list(items) if isinstance(items, Tensor) else items)


def _len(items: Any) -> Any:
    tensor = in_graph(items)
    if tensor is not None:
        return size(tensor)
    known = staged(items)
    return len(items) if known is None else known.size()


def _as(python: type, dtype: Any) -> Callable[..., Any]:
    def convert(*args: Any, **kwargs: Any) -> Any:
        tensor = in_graph(args[0]) if len(args) == 1 and not kwargs else None
        return python(*args, **kwargs) if tensor is None else _cast(tensor, dtype=dtype)

    return convert


def _bool(*args: Any) -> Any:
    tensor = in_graph(args[0]) if len(args) == 1 else None
    return bool(*args) if tensor is None else truth(tensor)


def _least(python: Callable[..., Any], op: str) -> Callable[..., Any]:
    function = _core.op_function(op)

    def choose(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) < 2 or all(in_graph(a) is None for a in args):
            return python(*args, **kwargs)
        return functools.reduce(function, args)

    return choose


_OTHERS: dict[Any, Callable[..., Any]] = {
    range: _range,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    len: _len,
    int: _as(int, _core.int64),
    float: _as(float, _core.float32),
    builtins.bool: _bool,
    min: _least(min, "Minimum"),
    max: _least(max, "Maximum"),
}


def _with_converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of ours that is passed functions of the user's."""

    def own(value: Any) -> Any:
        return callee(value) if isinstance(value, types.FunctionType) else value

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(
            *(
                [own(v) for v in value] if type(value) is list else own(value)
                for value in args
            ),
            **{name: own(value) for name, value in kwargs.items()},
        )

    return call


def _joined(function: Callable[..., Any], stacks: bool) -> Callable[..., Any]:
    """stack or concat, of a Python list that has become a List, too."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not args or not isinstance(args[0], _core.List):
            return function(*args, **kwargs)
        axis = args[1] if len(args) > 1 else kwargs.get("axis", kwargs.get("dim", 0))
        if axis != 0:
            raise StagingError(
                f"{function.__name__} of a list that grew in a graph, along axis "
                f"{axis}; wanted axis 0"
            )
        return args[0].stack() if stacks else args[0].concat()[0]

    return call


@functools.cache
def _joins() -> dict[int, Callable[..., Any]]:
    import sluice

    made = {}
    for name in ("stack", "cat", "concat", "concatenate"):
        function = getattr(sluice, name, None)
        if function is not None:
            made[id(function)] = _joined(function, name == "stack")
    return made


def callee(function: Any) -> Any:
    """What to call instead of the function."""
    from . import for_call

    kind = type(function)
    joins = _joins().get(id(function))
    if joins is not None:
        return joins
    if kind is types.FunctionType:
        if is_library(function):
            if (function.__module__ or "").split(".")[0] == "sluice":
                return _with_converted(function)
            return function
        return for_call(function)
    if kind is types.MethodType:
        inner = function.__func__
        if type(inner) is types.FunctionType and not is_library(inner):
            return types.MethodType(for_call(inner), function.__self__)
        return function
    if kind is type or kind is types.BuiltinFunctionType:
        try:
            return _OTHERS.get(function, function)
        except TypeError:
            return function
    if kind is functools.partial:
        made = callee(function.func)
        if made is function.func:
            return function
        return functools.partial(made, *function.args, **function.keywords)
    called = getattr(kind, "__call__", None)
    if type(called) is not types.FunctionType:
        return function
    if not is_library(called):
        return types.MethodType(for_call(called), function)
    return _module_call(function) if hasattr(function, "forward") else function


class _Converting(threading.local):
    modules = 0  # calls of modules under way that came from converted code


_converting = _Converting()


def _forward(forward: Any) -> Any:
    return callee(forward) if _converting.modules else forward


def _module_call(module: Any) -> Any:
    """A module whose forward, and those of its parts, are converted."""
    nn: Any = sys.modules.get("sluice.nn._module")
    if nn is None or not isinstance(module, nn.Module):
        return module
    nn.converted_forward = _forward

    def call(*args: Any, **kwargs: Any) -> Any:
        _converting.modules += 1
        try:
            return module(*args, **kwargs)
        finally:
            _converting.modules -= 1

    return call
