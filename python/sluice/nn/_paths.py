"""Where in a model a call is: for errors, and for names of nodes in graphs."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any

from .. import _core

if TYPE_CHECKING:
    from ._module import Module

# Errors of the library name their place on a separate line.
_HAS_LINE = re.compile(r"\n\s+at .*:\d+")


def path_below(outer: Module, inner: Module) -> str | None:
    """The name of a module in one around it; None when it is not in it."""
    for path, module in outer.named_modules():
        if module is inner:
            return path
    return None


def note_error(module: Module, error: BaseException) -> None:
    """Add "in encoder.layers.0 (Linear(784, 100))" to an error that passes.

    Called by the innermost module first, then by those around it: each puts its
    own name for the module before the path.
    """
    noted: dict[str, Any] | None = getattr(error, "_sluice_module", None)
    if noted is None:
        noted = {"module": module, "outer": module, "path": "", "text": None}
        try:
            error._sluice_module = noted  # type: ignore[attr-defined]
        except AttributeError:  # an exception without a __dict__
            return
    elif noted["outer"] is not module:
        below = path_below(module, noted["outer"])
        if below:
            noted["path"] = below + ("." + noted["path"] if noted["path"] else "")
            noted["outer"] = module
    text = module_text(noted["path"], noted["module"])
    _replace(error, noted["text"], "in " + text)
    noted["text"] = "in " + text


def module_text(path: str, module: Module) -> str:
    """ "fc1 (Linear(784, 100))" """
    described = module._one_line()
    return f"{path} ({described})" if path else described


def _replace(error: BaseException, old: str | None, new: str) -> None:
    args = error.args
    if len(args) == 1 and isinstance(args[0], str) and _HAS_LINE.search(args[0]):
        text = args[0]
        if old is not None and text.endswith("\n  " + old):
            text = text[: -len("\n  " + old)]
        error.args = (f"{text}\n  {new}",)
        return
    notes: list[str] | None = getattr(error, "__notes__", None)
    if notes and old is not None and notes[-1] == old:
        notes[-1] = new
    elif hasattr(error, "add_note"):
        error.add_note(new)


class _Calls(threading.local):
    def __init__(self) -> None:
        self.open: list[Module] = []


_calls = _Calls()


class GraphCall:
    """A call of a module while a graph is built: nodes get its name."""

    def __init__(self, module: Module) -> None:
        self._module = module
        path = ""
        if _calls.open:
            path = path_below(_calls.open[-1], module) or ""
        self._scope = _core.NnScope(path.replace(".", "/"))

    def __enter__(self) -> None:
        self._scope.__enter__()
        _calls.open.append(self._module)

    def __exit__(self, *what: Any) -> None:
        _calls.open.pop()
        self._scope.__exit__(*what)


def path_in_calls(module: Module) -> str:
    """The path from the outermost module that is being called."""
    if not _calls.open:
        return ""
    return path_below(_calls.open[0], module) or ""
