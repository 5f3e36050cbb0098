"""autograd.grad and autograd.backward, as PyTorch has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core

__all__ = ["backward", "grad"]


def _list(value: Any) -> list[Any]:
    if value is None or isinstance(value, _core.Tensor):
        return [value]
    if hasattr(value, "__iter__") and not hasattr(value, "__array__"):
        return list(value)
    return [value]


def _tensors(value: Any, what: str) -> list[Any]:
    tensors = _list(value)
    variable = getattr(_core, "Variable", ())
    for t in tensors:
        if not isinstance(t, _core.Tensor) and not isinstance(t, variable):
            raise TypeError(
                f"{what} holds a {type(t).__name__}; wanted a tensor or several"
            )
    if not tensors:
        raise ValueError(f"{what} is empty; wanted a tensor or several")
    return tensors


def _flows(given: Any, ys: list[Any], what: str) -> list[Any] | None:
    if given is None:
        return None
    flows = _list(given)
    if len(flows) != len(ys):
        raise ValueError(f"{what}: {len(flows)} gradients for {len(ys)} tensors")
    return flows


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
    *,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of the sum of outputs with respect to inputs, as a tuple.

    `grad_outputs` flow into the outputs; they may be left out for scalars. An input
    the outputs do not depend on is an error that says why; None with `allow_unused`,
    zeros with `materialize_grads`. In a graph it adds nodes.
    """
    ys, xs = _tensors(outputs, "grad: outputs"), _tensors(inputs, "grad: inputs")
    retain = create_graph if retain_graph is None else bool(retain_graph)
    unused = "zeros" if materialize_grads else "none" if allow_unused else "error"
    flows = _flows(grad_outputs, ys, "grad: grad_outputs")
    if _core.recorder() is not None:
        wanted = [x for x in xs if isinstance(x, _core.Tensor)]
        _core.check_gradients_known(ys, wanted)
    return tuple(
        _core.gradients(ys, xs, flows, retain, bool(create_graph), unused, False)
    )


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Sequence[Any] | None = None,
) -> None:
    """Adds the gradients of several tensors to the grad of their leaves."""
    ys = _tensors(tensors, "backward: tensors")
    flows = _flows(grad_tensors, ys, "backward: grad_tensors") or [None] * len(ys)
    retain = create_graph if retain_graph is None else bool(retain_graph)
    for i, (y, flow) in enumerate(zip(ys, flows)):
        # What one shares with the next is needed until the last.
        more = i + 1 < len(ys)
        y.backward(flow, retain or more, create_graph, inputs)
