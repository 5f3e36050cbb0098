"""linearize: f's change around one point, as a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core
from ._flat import Results, carries_gradient, name_of
from ._grad import _check_function, jvp, vjp

__all__ = ["linearize"]


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """f(*primals), and the function of tangents that says how far f moves.

    f is computed once. The returned function is linear and cheap to call again. It
    takes a tree like each of the primals and returns one like f's result. Under vmap,
    and in a captured function that calls it, f is computed there once more.
    """
    _check_function(f, "linearize")
    what = f"linearize of {name_of(f)}"
    out, pull = vjp(f, *primals)
    results = Results(out, what)
    if not all(carries_gradient(y) for y in results.tensors):
        raise TypeError(f"{what}: a result is no floating-point tensor")
    ones = _core.op_function("OnesLike")
    starts = results.tree.unflatten(ones(y).detach() for y in results.tensors)
    # The pulled-back gradient is linear in the incoming one. Its derivative is the
    # change of f.
    _, push = vjp(pull, starts)
    in_graph = _core.is_building()

    def linear(*tangents: Any) -> Any:
        if len(tangents) != len(primals):
            raise ValueError(
                f"{what}: {len(tangents)} tangents; wanted {len(primals)}, one for "
                "each of the primals"
            )
        if _core.is_building() and not in_graph:
            return jvp(f, primals, tangents)[1]
        return push(tangents)[0]

    return out, linear
