"""The source lines of warnings and log messages in captured code: the line of the code
that issued them, not of the code that repeats them in every call."""

from __future__ import annotations

import logging
import sys
import threading
import types
import warnings
from typing import Any

from .codes import THUNK
from .place import is_ours

_lock = threading.RLock()


def _frames() -> list[tuple[types.FrameType, str]]:
    """The frames of the program's functions, innermost first, with their names. Blocks
    of a function, which are functions after conversion, carry its name."""
    found = []
    frame: Any = sys._getframe(1)
    inner = None
    while frame is not None:
        code = frame.f_code
        if not is_ours(code.co_filename):
            inner = inner or frame
            helper = code.co_name.startswith("__sl_") or THUNK in code.co_varnames
            if not helper:
                found.append((inner, code.co_name))
                inner = None
        frame = frame.f_back
    return found


class Repeated:
    """A function that every call repeats, with the line that called it."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__ = getattr(function, "__name__", "it")
        frame, self.called = _frames()[0]
        self.file, self.line = frame.f_code.co_filename, frame.f_lineno

    def __deepcopy__(self, _: Any) -> Any:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


class Logged(Repeated):
    """A method of a logger, or a function of `logging`."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        owner: Any = getattr(function, "__self__", None)
        while isinstance(owner, logging.LoggerAdapter):
            owner = owner.logger
        self._logger = owner if isinstance(owner, logging.Logger) else logging.root

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        told = self.file, self.line, self.called, None
        with _lock:
            own = self._logger.__dict__
            before = own.get("findCaller")
            own["findCaller"] = lambda *_, **__: told
            try:
                return self.function(*args, **kwargs)
            finally:
                del own["findCaller"]
                if before is not None:
                    own["findCaller"] = before


class Warned(Repeated):
    """warnings.warn, whose stacklevel says how many frames out the line is."""

    def __init__(self, stacklevel: int) -> None:
        super().__init__(warnings.warn)
        frames = _frames()
        frame, _ = frames[min(max(stacklevel, 1), len(frames)) - 1]
        self.file, self.line = frame.f_code.co_filename, frame.f_lineno
        around = frame.f_globals
        self._module = around.get("__name__", "<string>")
        self._registry = around.setdefault("__warningregistry__", {})

    def __call__(self, message: Any, category: Any = None, **_: Any) -> None:
        if isinstance(message, Warning):
            category = type(message)
        warnings.warn_explicit(
            message,
            category or UserWarning,
            self.file,
            self.line,
            module=self._module,
            registry=self._registry,
        )


def warned(message: Any, category: Any = None, stacklevel: int = 1) -> Any:
    """A repeatable warnings.warn; the function itself for arguments it rejects."""
    if category is not None and not isinstance(message, Warning):
        if not (isinstance(category, type) and issubclass(category, Warning)):
            return warnings.warn
    return Warned(stacklevel) if type(stacklevel) is int else warnings.warn
