"""What goes wrong in conversion, and where."""

from __future__ import annotations


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


def add_note(error: BaseException, note: str) -> None:
    """Another line for the error's text. Python 3.10 has no notes."""
    if hasattr(error, "add_note"):
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
    elif error.args and isinstance(error.args[0], str):
        error.args = (error.args[0] + "\n" + note, *error.args[1:])
