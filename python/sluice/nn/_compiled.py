"""A module whose calls run as a graph: what sl.compile makes of one."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from .._function import function
from ._module import Module

__all__: list[str] = []

# Not an ordinary attribute: a copy of a module must capture its own calls.
_captured: WeakKeyDictionary[Module, Any] = WeakKeyDictionary()


class CompiledModule(Module):
    """A module, as `_orig_mod`, with calls that are captured.

    It shares the parameters; other attributes are the module's.
    """

    def __init__(self, module: Module, fullgraph: bool) -> None:
        super().__init__()
        self._orig_mod = module
        self._fullgraph = fullgraph

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's call, as a graph."""
        call = _captured.get(self)
        if call is None:
            call = function(self._orig_mod.__call__, one_graph=self._fullgraph)
            _captured[self] = call
        return call(*args, **kwargs)

    def traces(self) -> Any:
        """The recordings, with their reasons."""
        call = _captured.get(self)
        return [] if call is None else call.traces()

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "_orig_mod":
                raise
        return getattr(self._orig_mod, name)
