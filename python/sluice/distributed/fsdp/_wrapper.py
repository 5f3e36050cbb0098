"""FullyShardedDataParallel: a module around a sharded one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ...nn import Module
from ...nn._state import IncompatibleKeys
from ._shard import fully_shard
from ._state import (
    clip_grad_norm_,
    full_optim_state_dict,
    full_state_dict,
    load_full_optim_state_dict,
    load_full_state_dict,
)

__all__ = ["FullyShardedDataParallel"]


class FullyShardedDataParallel(Module):
    """A model of which every rank keeps a part, with its own data.

        model = FSDP(Net(), auto_wrap_policy={Block})
        optimizer = optim.Adam(model.parameters(), lr=1e-3)

    auto_wrap_policy says which modules inside are gathered by themselves: classes,
    or a function of a module. ``state_dict()`` is that of the whole model, by the
    names of the module inside; all ranks call it.
    """

    def __init__(
        self,
        module: Module,
        process_group: Any = None,
        auto_wrap_policy: Collection[type] | Callable[[Module], bool] | None = None,
        reshard_after_forward: bool | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(module, Module):
            raise TypeError(
                "FullyShardedDataParallel: module is a "
                f"{type(module).__name__}; wanted a Module"
            )
        options: dict[str, Any] = {"process_group": process_group}
        options["reshard_after_forward"] = reshard_after_forward
        inside = _chosen(module, auto_wrap_policy)
        for part in reversed(inside):  # inner modules first
            fully_shard(part, **options)
        fully_shard(module, **options)
        self.module = module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The output of the module."""
        return self.module(*args, **kwargs)

    def state_dict(self, **_: Any) -> dict[str, Any]:
        """The whole state; called on every rank."""
        return full_state_dict(self.module)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Takes a whole state."""
        if assign:
            raise ValueError("assign=True is not supported: elements are copied")
        return load_full_state_dict(self.module, state_dict, strict)

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Any:
        """Scales gradients by the norm of all ranks' parts together."""
        return clip_grad_norm_(self.module, max_norm, norm_type)

    @staticmethod
    def optim_state_dict(model: Module, optim: Any) -> dict[str, Any]:
        """The optimizer's whole state; called on every rank."""
        return full_optim_state_dict(model, optim)

    @staticmethod
    def load_optim_state_dict(
        model: Module, optim: Any, optim_state_dict: Mapping[str, Any]
    ) -> None:
        """Takes an optimizer's whole state."""
        load_full_optim_state_dict(model, optim, optim_state_dict)


def _chosen(module: Module, policy: Any) -> list[Module]:
    if policy is None:
        return []
    inside = [m for m in module.modules() if m is not module]
    if not callable(policy):
        classes = tuple(policy)
        if not all(isinstance(c, type) for c in classes):
            raise TypeError(
                f"FullyShardedDataParallel: auto_wrap_policy is {policy!r}; wanted "
                "classes of modules, or a function of a module"
            )
        return [m for m in inside if isinstance(m, classes)]
    return [m for m in inside if policy(m)]
