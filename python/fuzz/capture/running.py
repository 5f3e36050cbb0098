"""One run of a program: the snapshots it showed, and the error that ended it."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import warnings
from collections.abc import Callable
from typing import Any

from .compare import Difference, differences
from .program import globals_of, load
from .snapshot import Snapshot, take

# Of the library and the function under test, what the program calls.
Wrap = Callable[[Any, Callable[..., Any]], Callable[..., Any]]


@dataclasses.dataclass
class Run:
    snapshots: list[Snapshot]
    error: str | None = None  # the name of the exception's class
    message: str = ""


def run(text: str, wrap: Wrap, library: str = "sluice") -> Run:
    """Runs a text from its beginning. Exceptions are part of what is seen."""
    made, printed = Run([]), io.StringIO()
    _as_at_first(library)
    try:
        module = load(text, library)

        def see(result: Any, **reachable: Any) -> None:
            said = {"printed": printed.getvalue()} if printed.getvalue() else {}
            made.snapshots.append(
                take(result=result, **reachable, **globals_of(module), **said))

        with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
            warnings.simplefilter("ignore")
            module.run(lambda f: wrap(module.T, f), see)
    except Exception as error:
        made.error = type(error).__name__
        made.message = str(error)
    finally:
        _as_at_first(library)
    return made


def _as_at_first(library: str) -> None:
    """Modes that an exception may have left are as every program expects them. So
    are random numbers, of a program too that was reduced by its seed."""
    if library == "sluice":
        import sluice as sl

        sl.set_grad_enabled(True)
        sl.manual_seed(0)
    elif library == "torch":
        import torch

        torch.set_grad_enabled(True)
        torch.manual_seed(0)


def compare(want: Run, got: Run, classes: bool = True) -> list[Difference]:
    """Where two runs differ before one of them ended."""
    for i, (a, b) in enumerate(zip(want.snapshots, got.snapshots), 1):
        found = differences(a, b, classes)
        if found:
            return [dataclasses.replace(d, path=f"call {i}: {d.path}") for d in found]
    return []
