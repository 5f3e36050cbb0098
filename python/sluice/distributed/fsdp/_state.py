"""Whole states of sharded models: gathered on request, and cut up when loaded.

All functions are called on every rank, in the same order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ... import _core
from ...nn import Module
from ...nn._state import IncompatibleKeys
from .._collectives import all_reduce
from .._group import get_rank
from ._shard import Entry, Unit, units_of

__all__ = [
    "clip_grad_norm_",
    "full_optim_state_dict",
    "full_state_dict",
    "load_full_optim_state_dict",
    "load_full_state_dict",
]


def _owners(module: Module, what: str) -> dict[int, tuple[Unit, Entry]]:
    """The unit and entry of each part, by the part's identity."""
    return {
        id(entry.part): (unit, entry)
        for unit in units_of(module, what)
        for entry in unit.entries
    }


def full_state_dict(module: Module, *, rank0_only: bool = False) -> dict[str, Any]:
    """`state_dict()` of the model as one process has it, whole, on every rank; with
    rank0_only it is empty on the others."""
    owners = _owners(module, "full_state_dict")
    keep = not rank0_only or get_rank() == 0
    state: dict[str, Any] = {}
    for name, tensor in module._named_state(""):
        if id(tensor) in owners:
            unit, entry = owners[id(tensor)]
            tensor = unit.joined(entry, tensor)
        if keep:
            state[name] = tensor.detach()
    return state


def load_full_state_dict(
    module: Module, state_dict: Mapping[str, Any], strict: bool = True
) -> IncompatibleKeys:
    """Takes a whole state, of which every rank keeps its parts. ValueError, and
    nothing is changed, where names or shapes differ; names may with strict=False."""
    owners = _owners(module, "load_full_state_dict")
    wanted = dict(module._named_state(""))
    keys = IncompatibleKeys(
        [name for name in wanted if name not in state_dict],
        [name for name in state_dict if name not in wanted],
    )
    keys.mismatched_keys, keys.table = [], ""
    wrong = [f"{name} is missing" for name in keys.missing_keys if strict]
    wrong += [f"{name} is not the model's" for name in keys.unexpected_keys if strict]
    whole: dict[str, Any] = {}
    for name, tensor in wanted.items():
        if name not in state_dict:
            continue
        given = state_dict[name]
        if not isinstance(given, _core.Tensor):
            given = _core.tensor(given)
        shape = tuple(tensor.shape)
        if id(tensor) in owners:
            shape = owners[id(tensor)][1].shape
        if tuple(given.shape) != shape:
            wrong.append(f"{name} is {list(given.shape)}, wanted {list(shape)}")
        whole[name] = given
    if wrong:
        more = f"; and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        raise ValueError("load_full_state_dict: " + "; ".join(wrong[:5]) + more)
    import sluice as sl

    with sl.no_grad():
        for name, given in whole.items():
            tensor = wanted[name]
            if id(tensor) in owners:
                unit, entry = owners[id(tensor)]
                given = unit.cut(entry, given)
            tensor.copy_(given)
    return keys


def _parts_by_number(
    module: Module, optimizer: Any, what: str
) -> list[tuple[Unit, Entry] | None]:
    owners = _owners(module, what)
    held = [p for group in optimizer.param_groups for p in group["params"]]
    found = [owners.get(id(p)) for p in held]
    if not any(found):
        raise ValueError(
            f"{what}: the optimizer has none of the model's {len(owners)} parts; "
            "wanted one made of model.parameters() after fully_shard()"
        )
    return found


def full_optim_state_dict(
    module: Module, optimizer: Any, *, rank0_only: bool = False
) -> dict[str, Any]:
    """The optimizer's state as that of one process, as PyTorch writes it: what it
    keeps for each element is whole."""
    owners = _parts_by_number(module, optimizer, "full_optim_state_dict")
    state = optimizer.torch_state_dict()
    keep = not rank0_only or get_rank() == 0
    whole: dict[int, dict[str, Any]] = {}
    for number, kept in sorted(state["state"].items()):
        owner = owners[number]
        one = dict(kept)
        for key, value in kept.items():
            if owner is not None and _is_part(value, owner[1]):
                one[key] = owner[0].joined(owner[1], value)
        whole[number] = one
    if not keep:
        return {}
    return {**state, "state": whole}


def load_full_optim_state_dict(
    module: Module, optimizer: Any, state_dict: Mapping[str, Any]
) -> None:
    """Takes a whole state of an optimizer, of which every rank keeps its parts."""
    owners = _parts_by_number(module, optimizer, "load_full_optim_state_dict")
    cut: dict[int, dict[str, Any]] = {}
    for number, kept in state_dict["state"].items():
        owner = owners[int(number)] if int(number) < len(owners) else None
        one = dict(kept)
        for key, value in kept.items():
            if owner is None or not isinstance(value, _core.Tensor):
                continue
            if tuple(value.shape) == owner[1].shape and key != "step":
                one[key] = owner[0].cut(owner[1], value)
        cut[int(number)] = one
    optimizer.load_state_dict({**state_dict, "state": cut})


def _is_part(value: Any, entry: Entry) -> bool:
    """Whether the value is kept per element, like moments; steps are one number."""
    return isinstance(value, _core.Tensor) and tuple(value.shape) == (entry.each,)


def clip_grad_norm_(module: Module, max_norm: float, norm_type: float = 2.0) -> Any:
    """As `nn.utils.clip_grad_norm_` of the whole gradients: scales all so that their
    norm, over all ranks, is max_norm at most. Returns the norm."""
    import sluice as sl

    units = units_of(module, "clip_grad_norm_")
    parts = [entry.part for unit in units for entry in unit.entries]
    grads = [p.grad for p in parts if p.grad is not None]
    infinite = norm_type == float("inf")
    with sl.no_grad():
        total = sl.zeros([])
        for grad in grads:
            one = grad.abs().max() if infinite else (grad.abs() ** norm_type).sum()
            total = sl.maximum(total, one) if infinite else total + one
        total = total.clone()
        all_reduce(total, "max" if infinite else "sum", units[0].group)
        norm = total if infinite else total ** (1.0 / norm_type)
        scale = sl.minimum(max_norm / (norm + 1e-6), sl.ones([]))
        for grad in grads:
            grad.mul_(scale)
    return norm
