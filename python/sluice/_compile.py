"""compile: PyTorch's name of function."""

from __future__ import annotations

import functools
from typing import Any

from ._function import function

__all__ = ["compile"]


def compile(
    model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None,
    backend: Any = None, mode: str | None = None, options: Any = None,
    disable: bool = False,
) -> Any:  # fmt: skip
    """Python code, or a module, as a graph: sl.function by PyTorch's name.

    fullgraph is function's one_graph. One recording serves all sizes, as dynamic=True
    asks for. Of a module it is another one that shares its parameters, under
    `_orig_mod`. disable=True leaves all as it is.
    """
    for name, given in (("backend", backend), ("mode", mode), ("options", options)):
        if given is not None:
            raise NotImplementedError(
                f"compile(): {name} is {given!r}; wanted None: there is one way to "
                "compile (docs/capture.md)"
            )
    if dynamic is False:
        raise NotImplementedError(
            "compile(): dynamic=False; wanted None or True: one recording serves all "
            "sizes"
        )
    if model is None:
        return functools.partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, disable=disable
        )
    if disable:
        return model
    from .nn import Module

    if not isinstance(model, Module):
        return function(model, one_graph=fullgraph)
    from .nn._compiled import CompiledModule

    return CompiledModule(model, fullgraph)
