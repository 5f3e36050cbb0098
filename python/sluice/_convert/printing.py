"""print and f-strings in recorded code: every call prints its own tensors."""

from __future__ import annotations

import builtins
from typing import Any

from .. import _core
from .handed import hand_over
from .values import Tensor

_print_op = _core.op_function("Print")


class Text(str):
    """An f-string of tensors of a graph, and what it is made of."""

    parts: list[Any]


def text(*parts: Any) -> str:
    """An f-string: texts, and values with how to show them."""
    for part in parts:
        if type(part) is tuple:
            hand_over(part[0])
    made = "".join(_shown(*part) if type(part) is tuple else part for part in parts)
    if any(type(p) is tuple and _in_graph(p[0]) for p in parts):
        lazy = Text(made)
        lazy.parts = [list(part) if type(part) is tuple else part for part in parts]
        return lazy
    return made


def _in_graph(value: Any) -> bool:
    return isinstance(value, Tensor) and value.symbolic


def _shown(value: Any, conversion: int, spec: str) -> str:
    if conversion == ord("r"):
        value = repr(value)
    elif conversion == ord("s"):
        value = str(value)
    elif conversion == ord("a"):
        value = ascii(value)
    if _in_graph(value):
        return repr(value)  # it has no elements to be shown in any other way
    return format(value, spec)


def _whole(part: Any) -> Any:
    """What is printed, once tensors have elements."""
    if type(part) is not list:
        return part[1]
    return "".join(_shown(*p) if type(p) is list else p for p in part)


def _say(*parts: Any, **kwargs: Any) -> None:
    builtins.print(*map(_whole, parts), **kwargs)


_say.__name__ = "print"


def print_(*args: Any, **kwargs: Any) -> None:
    """print(...), which every call of a recorded function does."""
    recorder = _core.recorder()
    if recorder is None:
        builtins.print(*args, **kwargs)
        return
    parts = [list(a.parts) if type(a) is Text else ("value", a) for a in args]
    if not recorder.effect(_say, parts, kwargs):
        _in_branch(args)


def _in_branch(args: tuple[Any, ...]) -> None:
    """Where a tensor decides whether it is printed: by an op, to stderr."""
    words = ""
    for arg in args:
        if _in_graph(arg):
            _print_op(arg, message=words)
            words = ""
        else:
            words += f"{arg} "
    if words:
        _print_op(_core.op_function("Identity")(0), message=words)
