"""functional_call: a module as a function of its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._core import Tensor
from ._module import Module


def functional_call(
    module: Module,
    parameters: Mapping[str, Any] | Sequence[Any],
    args: Any = (),
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """Call a module with other tensors in the place of its parameters and buffers.

        grads = sl.grad(lambda p: loss(nn.functional_call(net, p, x)))(params)

    parameters is a dict by name ("fc1.weight"), of which some may be left out, or a
    list in the order of module.parameters(). args are the module's arguments, a
    tuple or a single one. The module's own are in place again afterwards.
    """
    named = _named(module, parameters)
    places = []
    for name, tensor in named.items():
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} is a {type(tensor).__name__}; wanted a Tensor")
        places.append((*_place(module, name), tensor))
    before = [(table, name, table[name]) for table, name, _ in places]
    try:
        for table, name, tensor in places:
            table[name] = tensor
        given = args if isinstance(args, tuple) else (args,)
        return module(*given, **(kwargs or {}))
    finally:
        for table, name, tensor in before:
            table[name] = tensor


def _named(
    module: Module, parameters: Mapping[str, Any] | Sequence[Any]
) -> Mapping[str, Any]:
    if isinstance(parameters, Mapping):
        return parameters
    given = list(parameters)
    names = [name for name, _ in module.named_parameters()]
    if len(given) != len(names):
        raise ValueError(f"{len(given)} parameters; wanted {len(names)}")
    return dict(zip(names, given))


def _place(module: Module, path: str) -> tuple[dict[str, Any], str]:
    """The table that holds the tensor of a path, and its name there."""
    above, _, name = path.rpartition(".")
    fields = module.get_submodule(above).__dict__
    for table in ("_parameters", "_buffers"):
        if fields[table].get(name) is not None:
            held: dict[str, Any] = fields[table]
            return held, name
    raise KeyError(f"{type(module).__name__} has no parameter or buffer {path!r}")
