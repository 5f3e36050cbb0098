"""Converts Python control flow over tensors to control flow of graphs.

`convert(f)` gives a function that behaves like f. Where an `if`, `while`, `for`, `and`
or the like depends on a tensor of a graph, it becomes part of that graph
(docs/python/convert.md). Everywhere else it remains Python.
"""

from __future__ import annotations

import dis
import functools
import inspect
import types
import warnings
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _core
from .errors import ConversionWarning, StagingError, Unconvertible, add_note

__all__ = ["ConversionWarning", "StagingError", "convert", "do_not_convert"]

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__sl_do_not_convert__"
# The attribute in which a function keeps its conversion, so that both are freed
# together. A copy of it by functools.wraps is not mistaken for the original.
_KEPT = "__sl_converted__"


def do_not_convert(f: F) -> F:
    """Marks a function so that it runs unconverted."""
    setattr(f, _MARK, True)
    return f


def _make(function: types.FunctionType) -> types.FunctionType:
    """The converted function. Throws Unconvertible."""
    from .build import as_function, converted_code, is_converted
    from .runtime import Runtime

    if is_converted(function) or getattr(function, _MARK, False):
        return function
    return as_function(function, converted_code(function, Runtime))


def _branches(code: types.CodeType) -> bool:
    jumps = {*dis.hasjabs, *dis.hasjrel}
    return any(i.opcode in jumps for i in dis.get_instructions(code))


def _explained(function: types.FunctionType, why: Unconvertible) -> Any:
    """The unconverted function. Reading a tensor's truth in it raises an error that
    explains why it was not converted."""
    from .unconverted import told

    code = function.__code__
    line = why.line or code.co_firstlineno
    note = (
        f"{function.__qualname__} ({code.co_filename}:{line}) is not converted into "
        f"a graph: {why.reason}"
    )

    def explain(error: TypeError) -> None:
        if "part of a graph" in str(error):
            add_note(error, note)

    from .steps import followed

    @functools.wraps(function)
    def as_it_is(*args: Any, **kwargs: Any) -> Any:
        try:
            with told(function, args):
                return function(*args, **kwargs)
        except TypeError as error:
            explain(error)
            raise

    @functools.wraps(function)
    def generator(*args: Any, **kwargs: Any) -> Any:
        try:
            return (yield from followed(function, args, kwargs))
        except TypeError as error:
            explain(error)
            raise

    if inspect.isgeneratorfunction(function):
        as_it_is = generator
    setattr(as_it_is, _MARK, note)
    return as_it_is


def _function(function: types.FunctionType, warn: bool) -> Any:
    owner, made, code = function.__dict__.get(_KEPT, (None, None, None))
    if owner is not None and owner() is function and code is function.__code__:
        if not hasattr(made, _MARK) and made is not function:
            made.__defaults__ = function.__defaults__
            made.__kwdefaults__ = function.__kwdefaults__
        return made
    try:
        made = _make(function)
    except Unconvertible as why:
        made = _explained(function, why)
        if warn and _branches(function.__code__):
            warnings.warn(
                f"{getattr(made, _MARK)}. It runs as it is: its branches and loops "
                "cannot depend on tensors; use sl.cond and sl.while_loop",
                ConversionWarning,
                stacklevel=4,
            )
    setattr(function, _KEPT, (weakref.ref(function), made, function.__code__))
    return made


def is_left_as_it_is(made: Any) -> bool:
    """Whether a result of for_call is not converted."""
    return bool(getattr(made, _MARK, False))


def for_call(function: types.FunctionType) -> Any:
    """The converted function, for a call in converted code."""
    return _function(function, warn=False)


def convert(f: Callable[..., Any]) -> Callable[..., Any]:
    """f, with its control flow ready to become part of graphs.

    f is a function, a method, a functools.partial of one, or an object that is
    called. Functions it calls are converted when they are called, unless they
    belong to installed packages. Outside of a graph it does what f does.

    What cannot be converted (generators, async functions, code without source)
    is warned of once, and runs as it is.
    """
    made: Callable[..., Any]
    if isinstance(f, types.FunctionType):
        made = _function(f, warn=True)
        return made
    if isinstance(f, types.MethodType) and isinstance(f.__func__, types.FunctionType):
        return types.MethodType(_function(f.__func__, warn=True), f.__self__)
    if isinstance(f, functools.partial):
        return functools.partial(convert(f.func), *f.args, **f.keywords)
    if isinstance(f, (staticmethod, classmethod)):
        return type(f)(convert(f.__func__))
    if not callable(f):
        raise TypeError(f"convert: f is a {type(f).__name__}; wanted a function")
    from .calls import callee

    made = callee(f)
    return made
