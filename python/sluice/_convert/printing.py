"""print and f-strings in recorded code: every call prints its own tensors."""

from __future__ import annotations

import builtins
import csv
import functools
import io
import logging
import pprint
import sys
import time
import types
import warnings
from typing import Any

from .. import _core
from .elements import text_of
from .errors import StagingError
from .handed import asked, is_users_object
from .left_behind import tensor_inside
from .outside_world import by_name
from .place import user_place
from .texts import Shown, Text, as_now, shown
from .told_from import Logged, warned

def text(*parts: Any) -> str:
    """An f-string: strings, and values with their formats."""
    made = [
        text_of(part[0], part[1], part[2]) if type(part) is tuple else part
        for part in parts
    ]
    if any(type(part) is Text for part in made):
        return Text.of(*made)
    return "".join(made)


def _whole(part: Any) -> Any:
    """The printed value, once tensors have elements."""
    if type(part) is not list:
        return part[1]
    return "".join(shown(*p) if type(p) is list else p for p in part)


def _do(function: Any, parts: list[Any], kwargs: dict[str, Any]) -> None:
    """Runs the function in a call, with the tensors of that call."""
    function(*map(_whole, parts), **kwargs)


_do.__name__ = "print"


def said(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Makes every call repeat the effect, with the arguments as they are now; False
    where that is impossible."""
    recorder = _core.recorder()
    parts = [
        list(a.parts) if type(a) is Text else ("value", as_now(_frozen(a)))
        for a in args
    ]
    named = {k: as_now(v) for k, v in kwargs.items()}
    done: bool = recorder.effect(_do, [function, parts, named], {})
    return done


def _frozen(value: Any) -> Any:
    """The text of a user object as it is now; other values unchanged."""
    if not is_users_object(value):
        return value
    made = text_of(value, ord("s"), "")
    return Shown(made) if type(made) is str else made


def _print(*args: Any, **kwargs: Any) -> None:
    builtins.print(*args, **kwargs)


def print_(*args: Any, **kwargs: Any) -> None:
    """print(...), which every call of a recorded function repeats."""
    recorder = _core.recorder()
    if recorder is None:
        builtins.print(*args, **kwargs)
        return
    where = kwargs.get("file") or sys.stdout
    if kwargs.get("file") is not None and is_users_object(where):
        _print_to(where, args, kwargs)
    elif where is not recorder.stdout and id(where) not in recorder.old:
        for arg in args:  # the code made the stream, and reads it itself
            if type(arg) is Text or tensor_inside([arg]) is not None:
                filename, line = user_place()
                raise StagingError(
                    f"{filename}:{line}: a tensor is printed into a text that the "
                    "function makes; its elements are there only when the graph runs"
                )
        builtins.print(*args, **kwargs)
    elif not said(_print, args, kwargs):
        raise _in_branch()


def _print_to(where: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """print(..., file=where), where user code writes each part."""
    write = asked(where, "write")
    if write is None:
        raise _refused(print, "writes to an object by a method that is not converted")
    sep, end = kwargs.get("sep"), kwargs.get("end")
    for i, arg in enumerate(args):
        if i:
            write(" " if sep is None else sep)
        write(text_of(arg, ord("s"), ""))
    write("\n" if end is None else end)
    if kwargs.get("flush"):
        (asked(where, "flush") or where.flush)()


def redirecting(manager: Any) -> Any:
    """contextlib.redirect_stdout. Calls print the redirected output later."""

    def make(target: Any) -> Any:
        old = _core.recorder().old
        if type(target) is not io.StringIO or id(target) in old:
            raise _refused(manager, "sends what is printed to an object from outside")
        return manager(target)

    return make


# ---- Other effects that every call repeats ----

_SAYING = frozenset("debug info warning error critical exception log warn".split())


def effect_of(function: Any) -> Any:
    """The replacement for a function that is called for its effect."""
    recorder = _core.recorder()
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if isinstance(owner, io.IOBase):
        if id(owner) not in recorder.old:
            return None
        if name not in ("write", "writelines", "flush"):
            raise _refused(function, "reads or moves a file from outside")
        return functools.partial(_said, _Writing(owner, name))
    logs = isinstance(owner, (logging.Logger, logging.LoggerAdapter))
    logs = logs or (isinstance(function, types.FunctionType)
                    and function.__module__ == "logging")  # fmt: skip
    if logs and name in _SAYING:
        return functools.partial(_logged, function)
    if function is warnings.warn:
        return _warned
    if function is time.sleep:
        return functools.partial(_said, function)
    if function in (pprint.pprint, pprint.pp):
        return functools.partial(_pretty, function)
    _refuse_row(function, owner)
    return by_name(function)


def _pretty(function: Any, value: Any, *args: Any, **kwargs: Any) -> None:
    """pprint.pprint(value), handled like print."""
    if args or "stream" in kwargs or is_users_object(value):
        raise _refused(function, "prints an object, or into one, in a way of its own")
    _said(function, value, **kwargs)


_WRITER = type(csv.writer(io.StringIO()))


def _refuse_row(function: Any, owner: Any) -> None:
    """Throws for a csv.writer from outside, which would write during the recording."""
    written = isinstance(owner, (_WRITER, csv.DictWriter))
    if written and id(owner) in _core.recorder().old:
        raise _refused(function, "writes to a file from outside")


def _logged(function: Any, *args: Any, **kwargs: Any) -> Any:
    """logger.info(...) and others."""
    error = kwargs.get("exc_info", function.__name__ == "exception")
    if error and (error is not True or sys.exc_info()[0] is not None):
        raise _refused(function, "shows where an error came from")
    return _said(Logged(function), *args, **kwargs)


def _warned(
    message: Any, category: Any = None, stacklevel: Any = 1, source: Any = None
) -> Any:
    """warnings.warn(...)."""
    repeated = warned(message, category, stacklevel)
    return _said(repeated, message, *([] if category is None else [category]))


def _said(function: Any, *args: Any, **kwargs: Any) -> Any:
    if not said(function, args, kwargs):
        raise _refused(function, "is in a branch or loop that a tensor decides")
    text = args[0] if args else None
    return len(text) if isinstance(function, _Writing) and type(text) is str else None


def _refused(function: Any, why: str) -> StagingError:
    filename, line = user_place()
    name = getattr(function, "__qualname__", None) or getattr(function, "name", "it")
    return StagingError(
        f"{filename}:{line}: {name}() {why}, and would do so when the function is "
        "recorded; wanted it outside of the function"
    )


class _Writing:
    """A file to write to. sys.stdout is looked up when a call writes."""

    def __init__(self, owner: Any, name: str) -> None:
        self.name = name
        self._owner = None if owner is sys.stdout else owner

    def __deepcopy__(self, _: Any) -> Any:
        return self

    def __call__(self, *args: Any) -> None:
        getattr(self._owner or sys.stdout, self.name)(*args)


def _in_branch() -> StagingError:
    """The error for a print that depends on a tensor. A call could decide it only after
    its graph has run, so the function is recorded again with its values deciding."""
    filename, line = user_place()
    return StagingError(
        f"{filename}:{line}: print() is in a branch or loop that a tensor decides, and "
        "is done by Python after the graph has run; wanted sl.print(t), which prints "
        "to stderr on the way"
    )
