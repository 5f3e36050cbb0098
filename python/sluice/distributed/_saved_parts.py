"""The parts of a checkpoint that ranks share, and those that differ between ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..nn import Module
from ..nn.parallel import _of_this_rank
from ..optim import Optimizer
from ..optim._torch_state import _named
from .._parts import is_part

__all__ = ["keys_of_rank_0", "keys_of_this_rank", "nested_state", "whole_parts"]


def nested_state(flat: Mapping[str, Any]) -> dict[str, Any]:
    """"state.<number>.<slot>" as PyTorch's layout has it."""
    state: dict[int, dict[str, Any]] = {}
    for key, value in flat.items():
        if key.startswith("state."):
            number, slot = key.removeprefix("state.").split(".", 1)
            state.setdefault(int(number), {})[slot] = value
    return {"state": state, "param_groups": flat.get("param_groups")}


# ---- Sharded models: every rank keeps a part of each parameter ----


class _WholeModel:
    """A sharded model that is saved whole, and loaded on any number of ranks."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def state_dict(self) -> dict[str, Any]:
        from .fsdp import full_state_dict

        return full_state_dict(self.module)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        from .fsdp import load_full_state_dict

        load_full_state_dict(self.module, state)


class _WholeOptimizer:
    """The same for an optimizer of such a model's parts."""

    def __init__(self, module: Module, optimizer: Optimizer) -> None:
        self.module, self.optimizer = module, optimizer

    def state_dict(self) -> dict[str, Any]:
        from .fsdp import full_optim_state_dict

        state = full_optim_state_dict(self.module, self.optimizer)
        flat: dict[str, Any] = {"param_groups": state["param_groups"]}
        for number, one in state["state"].items():
            flat.update((f"state.{number}.{slot}", v) for slot, v in one.items())
        return flat

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        from .fsdp import load_full_optim_state_dict

        load_full_optim_state_dict(self.module, self.optimizer, nested_state(state))


def whole_parts(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a checkpoint, with sharded models and their optimizers wrapped so
    that they are saved whole. Raises ValueError for an optimizer without its model."""
    from .fsdp import FullyShardedDataParallel

    sharded = {n: p for n, p in parts.items() if _is_sharded(p)}
    found: dict[str, Any] = {}
    for name, part in parts.items():
        found[name] = part
        if isinstance(part, FullyShardedDataParallel):
            found[name] = _WholeModel(part.module)
        elif name in sharded:
            found[name] = _WholeModel(part)
        elif isinstance(part, Optimizer) and any(map(is_part, _params(part))):
            found[name] = _WholeOptimizer(_model_of(name, part, sharded), part)
    return found


def _is_sharded(part: Any) -> bool:
    return isinstance(part, Module) and any(map(is_part, part.parameters()))


def _params(optimizer: Optimizer) -> list[Any]:
    return [p for group in optimizer.param_groups for p in group["params"]]


def _model_of(name: str, optimizer: Optimizer, models: Mapping[str, Module]) -> Module:
    parts = {id(p) for p in _params(optimizer) if is_part(p)}
    for model in models.values():
        if parts <= {id(p) for p in model.parameters()}:
            return model
    raise ValueError(
        f"checkpoint: {name} is of a rank's parts of parameters; wanted the model "
        "they belong to saved and loaded with it"
    )


# ---- Tensors that differ between ranks ----


def _alone(parts: Mapping[str, Any]) -> dict[int, Any]:
    """Parameters and buffers of modules with ``of_this_rank``."""
    found: dict[int, Any] = {}
    for part in parts.values():
        if isinstance(part, Module):
            found.update(_of_this_rank(part))
    return found


def keys_of_this_rank(parts: Mapping[str, Any]) -> dict[str, set[str]]:
    """By part, the keys of tensors that differ between ranks: experts, and optimizer
    state for them."""
    alone = _alone(parts)
    found: dict[str, set[str]] = {}
    for name, part in parts.items() if alone else ():
        if isinstance(part, Module):
            found[name] = {k for k, t in part._named_state("") if id(t) in alone}
        elif isinstance(part, Optimizer) and not hasattr(part, "shard_state_dict"):
            params = _params(part)
            named = [key for _, _, key in _named(part)]
            mine = {key for key, p in zip(named, params) if id(p) in alone}
            keys = part.state_dict() if mine else ()
            found[name] = {k for k in keys if k.rpartition(".")[0] in mine}
    return found


def keys_of_rank_0(part: Any) -> set[str]:
    """Buffers. What ranks write to them, such as running statistics, differs until the
    next forward, when all take the values of rank 0."""
    module = part.module if isinstance(part, _WholeModel) else part
    if not isinstance(module, Module):
        return set()
    buffers = {id(b) for b in module.buffers()}
    return {k for k, t in module._named_state("") if id(t) in buffers}
