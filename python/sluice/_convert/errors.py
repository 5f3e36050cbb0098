"""What goes wrong in conversion, and where."""

from __future__ import annotations

import os
import re
import sys
from typing import Any


class ConversionWarning(UserWarning):
    """A function could not be converted and runs as it is written."""


class Unconvertible(Exception):
    """Why a function cannot be converted. `line` is 0 where none is to blame."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class StagingError(TypeError):
    """Python code that cannot become part of a graph as it is written."""


class NumberWanted(StagingError):
    """Python needs a number that the graph computes: an index, a key."""


# What ops say of themselves, in any mode.
_OF_AN_OP = re.compile(r"\[[A-Z]")


def is_refusal(error: BaseException | None) -> bool:
    """Whether it says that code cannot be recorded, and not what the code would say.
    A NotImplementedError of Python's is the code's own: of a method that a class
    leaves to others, or of what the library has not got."""
    if isinstance(error, NotImplementedError):
        return hasattr(error, "sluice_code") and not _OF_AN_OP.match(str(error))
    if isinstance(error, StagingError):
        return True
    told = isinstance(error, (TypeError, RuntimeError))
    return told and "part of a graph" in str(error)


def refusal() -> tuple[type[BaseException], ...]:
    """The class of the error being handled, if it is a refusal to record code."""
    error = sys.exc_info()[1]
    return (type(error),) if error is not None and is_refusal(error) else ()


def add_note(error: BaseException, note: str) -> None:
    """Another line for the error's text. Python 3.10 has no notes."""
    if hasattr(error, "add_note"):
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
    elif error.args and isinstance(error.args[0], str):
        error.args = (error.args[0] + "\n" + note, *error.args[1:])


# Operators and indices are calls in converted code.
_OPERATORS = os.path.join(os.path.dirname(__file__), "handed.py")


def _without_operators(error: BaseException) -> None:
    """Ends the traceback at the line that has the operator."""
    last, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != _OPERATORS:
            last = trace
        trace = trace.tb_next
    if last is not None:
        last.tb_next = None


def _with_numbers(error: BaseException) -> None:
    """Sizes among its arguments are numbers: nobody asks them when this is over."""
    from .._symbols.symbol import Symbol

    def number(value: Any) -> Any:
        if isinstance(value, Symbol) and value.hint is not None:
            return value.hint
        return tuple(map(number, value)) if type(value) is tuple else value

    error.args = tuple(map(number, error.args))
    fields = getattr(error, "__dict__", {})
    for name, value in list(fields.items()):
        if isinstance(value, Symbol):
            fields[name] = number(value)


def as_written(error: BaseException) -> BaseException:
    """The error as the code would raise it if it were not converted."""
    from .left_behind import refuse_later
    from .unbound import as_local

    _without_operators(error)
    _with_numbers(error)
    refuse_later(error)
    return as_local(error)
