"""Errors of conversion, and their places in the source."""

from __future__ import annotations

import os
import re
import sys
from typing import Any


class ConversionWarning(UserWarning):
    """A function could not be converted and runs unconverted."""


class Unconvertible(Exception):
    """The reason why a function cannot be converted. `line` is 0 if no line is at
    fault."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class StagingError(TypeError):
    """Python code that cannot become part of a graph as it is written."""


class NumberWanted(StagingError):
    """Python needs a number that the graph computes: an index, a key."""


# Errors of ops themselves, in any mode.
_OF_AN_OP = re.compile(r"\[[A-Z]")


def is_refusal(error: BaseException | None) -> bool:
    """Whether the error refuses to record code, and is not the code's own error.
    A plain NotImplementedError is the code's own: an abstract method, or a feature that
    the library lacks."""
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
    """Adds a line to the error's text. Python 3.10 has no notes."""
    if hasattr(error, "add_note"):
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
    elif error.args and isinstance(error.args[0], str):
        error.args = (error.args[0] + "\n" + note, *error.args[1:])


# In converted code, operators and indexing are calls of this file.
_OPERATORS = os.path.join(os.path.dirname(__file__), "handed.py")


def _without_operators(error: BaseException) -> None:
    """Cuts the traceback after the line with the operator."""
    last, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != _OPERATORS:
            last = trace
        trace = trace.tb_next
    if last is not None:
        last.tb_next = None


def _with_numbers(error: BaseException) -> None:
    """Turns sizes among the error's arguments into numbers, because sizes cannot be
    read after the recording."""
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
    """The error as unconverted code would raise it."""
    from .left_behind import refuse_later
    from .unbound import as_local

    _without_operators(error)
    _with_numbers(error)
    refuse_later(error)
    return as_local(error)
