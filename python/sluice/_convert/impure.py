"""Refuses calls whose result differs each time, because a graph would keep one."""

from __future__ import annotations

import contextvars
import datetime
import io
import os
import random
import time
from typing import Any

from .. import _core
from .errors import StagingError
from .outside_world import refuse_outside_world
from .place import user_place
from .seeded import is_seeded

_CLOCKS = frozenset(
    {
        time.time, time.time_ns, time.perf_counter, time.perf_counter_ns,
        time.monotonic, time.monotonic_ns, time.process_time, time.process_time_ns,
        time.thread_time, time.thread_time_ns, time.localtime, time.gmtime,
        time.ctime, time.asctime, time.strftime, input, os.urandom,
    }
)


def _is_impure(function: Any) -> bool:
    owner = getattr(function, "__self__", None)
    if function is random.Random:
        return False
    if type(owner) is random.Random and is_seeded(owner, function.__name__):
        return False
    if owner is None or isinstance(owner, type(random)):  # a function of a module
        module = getattr(function, "__module__", None) or ""
        return function in _CLOCKS or module in ("random", "secrets", "uuid")
    if isinstance(owner, (random.Random, contextvars.ContextVar)):
        return True
    if isinstance(owner, type):
        is_date = issubclass(owner, datetime.date)
        return is_date and function.__name__ in ("now", "today", "utcnow")
    return type(owner).__module__.startswith("numpy.random")


def refuse_if_iterator(items: Any) -> None:
    """Throws for an iterator from outside, because every call would advance it."""
    recorder = _core.recorder()
    if recorder is None or id(items) not in recorder.old:
        return
    if not hasattr(type(items), "__next__"):
        return
    filename, line = user_place()
    name = recorder.names.get(id(items), "this")
    if isinstance(items, io.IOBase):
        raise StagingError(
            f"{filename}:{line}: {name} is a file from outside of the function, and "
            "what reads a file or writes to it would do so once, when the function is "
            "recorded; wanted it read outside, and given as an argument, or "
            "write(text), which every call does"
        )
    raise StagingError(
        f"{filename}:{line}: {name} is an iterator made outside of the function, and "
        "every call would take more of it; take from it outside, and give what it "
        "gives as an argument"
    )


def next_(items: Any, *default: Any) -> Any:
    """next(items) in recorded code."""
    refuse_if_iterator(items)
    return next(items, *default)


def refuse_if_impure(function: Any, place: tuple[str, int] | None = None) -> None:
    """Throws where recorded user code calls an impure function."""
    if function is globals:
        filename, line = place or user_place()
        raise StagingError(
            f"{filename}:{line}: globals() is read by code that is recorded, and what "
            "it takes of it is not known; wanted the names themselves"
        )
    if function is os.getenv:
        _core.recorder().value(os.environ, "os.environ")
        return
    try:
        hash(function)
    except TypeError:  # it cannot be looked up
        return
    if not _is_impure(function):
        refuse_outside_world(function, place)
        return
    filename, line = place or user_place()
    name = getattr(function, "__qualname__", str(function))
    raise StagingError(
        f"{filename}:{line}: {name}() gives another value in every call, and what is "
        "recorded would keep this one; give the value as an argument, or draw it "
        "with sl.rand and others"
    )
