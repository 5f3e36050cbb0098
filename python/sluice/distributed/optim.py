"""Optimizers whose state is shared out over the ranks, as ZeRO's first stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _core
from ..nn import Parameter
from ..optim import Optimizer
from ._group import get_rank, get_world_size, group_name
from ._objects import all_gather_object
from ._saved_parts import nested_state

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer):
    """An optimizer of which every rank has the state of some parameters only.

        optimizer = ZeroRedundancyOptimizer(model.parameters(), optim.Adam, lr=1e-3)

    Every parameter belongs to one rank, which keeps its moments and updates it;
    ``step()`` then broadcasts the new values. If all ranks have the same gradients,
    as with DistributedDataParallel, the result is bitwise that of the plain
    optimizer. Parameters are assigned by size, the largest first, each to the rank
    with the least.

    ``consolidate_state_dict()`` gathers the whole state for ``state_dict()``;
    ``load_state_dict`` restores it on any number of ranks.
    """

    def __init__(
        self,
        params: Any,
        optimizer_class: Any,
        process_group: Any = None,
        **defaults: Any,
    ) -> None:
        is_class = isinstance(optimizer_class, type)
        if not (is_class and issubclass(optimizer_class, Optimizer)):
            raise TypeError(
                f"ZeroRedundancyOptimizer: optimizer_class is {optimizer_class!r}; "
                "wanted a class of sluice.optim"
            )
        self._group, self._of = group_name(process_group), process_group
        self._ranks, self._rank = get_world_size(self._of), get_rank(self._of)
        self._optimizer_class = optimizer_class
        self._local: Any = None
        self._whole: dict[str, Any] | None = None
        # The arguments of the class, and their defaults.
        known = optimizer_class([Parameter(_core.tensor([0.0]))], **defaults).defaults
        super().__init__(params, known)
        self._owners = self._shared_out()
        self._make_local()

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Adds parameters before the first step; later calls are refused."""
        if self._local is not None:
            raise NotImplementedError(
                "ZeroRedundancyOptimizer: parameters belong to ranks already; wanted "
                "all groups given at the start"
            )
        super().add_param_group(param_group)

    # ---- Assignment to ranks ----

    def _all(self) -> list[Any]:
        return [p for group in self.param_groups for p in group["params"]]

    def _shared_out(self) -> list[int]:
        """The rank of every parameter, the same on all ranks."""
        sizes = [p.numel() for p in self._all()]
        loads, owners = [0] * self._ranks, [0] * len(sizes)
        for i in sorted(range(len(sizes)), key=lambda i: (-sizes[i], i)):
            owners[i] = loads.index(min(loads))
            loads[owners[i]] += sizes[i]
        return owners

    def _make_local(self) -> None:
        groups, at = [], 0
        self._local_groups: list[int] = []
        self._mine: list[int] = []  # indices of this rank's parameters, in its order
        for g, group in enumerate(self.param_groups):
            numbers = range(at, at + len(group["params"]))
            at += len(group["params"])
            mine = [i for i in numbers if self._owners[i] == self._rank]
            if not mine:
                continue
            params = [group["params"][i - numbers[0]] for i in mine]
            options = {key: group[key] for key in self.defaults}
            groups.append({"params": params, **options})
            self._local_groups.append(g)
            self._mine += mine
        self._local = self._optimizer_class(groups) if groups else False

    # ---- Steps ----

    def step(self, closure: Any = None) -> Any:
        """Updates this rank's parameters and receives those of the others."""
        loss = None if closure is None else _core.with_grad(closure)
        if self._local:
            for local, g in zip(self._local.param_groups, self._local_groups):
                for key in self.defaults:
                    if local[key] != self.param_groups[g][key]:
                        local[key] = self.param_groups[g][key]
            self._local.step()
        self._whole = None
        if self._ranks > 1:
            works = [
                _core.dist_broadcast(p, owner, self._group, True)
                for p, owner in zip(self._all(), self._owners)
                if p.requires_grad
            ]
            for work in works:
                work.wait()
        return loss

    # ---- State ----

    def local_state_dict(self) -> dict[str, Any]:
        """The state of this rank's parameters, by their indices among all."""
        if not self._local:
            return {"state": {}, "mine": []}
        state = self._local.torch_state_dict()["state"]
        return {
            "state": {self._mine[i]: one for i, one in state.items()},
            "mine": list(self._mine),
        }

    def shard_state_dict(self) -> dict[str, Any]:
        """The same flat, as ``sluice.distributed.checkpoint`` saves it from every
        rank: "state.<number>.<slot>", and the settings of the groups.
        ``load_state_dict`` takes those of all ranks together."""
        flat: dict[str, Any] = {"param_groups": self._numbered_groups()}
        for number, one in self.local_state_dict()["state"].items():
            for slot, value in one.items():
                flat[f"state.{number}.{slot}"] = value
        return flat

    def _numbered_groups(self) -> list[dict[str, Any]]:
        groups, at = [], 0
        for group in self.param_groups:
            count = len(group["params"])
            options = {key: group[key] for key in self.defaults}
            groups.append({**options, "params": list(range(at, at + count))})
            at += count
        return groups

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Gathers the state of all ranks on rank ``to``. Every rank calls it, and
        ``state_dict()`` on that rank then has the whole state."""
        found: list[Any] = [None] * self._ranks
        all_gather_object(found, self.local_state_dict(), self._of)
        if self._rank != to:
            return
        state: dict[int, Any] = {}
        for one in found:
            state.update(one["state"])
        ordered = {i: state[i] for i in sorted(state)}
        self._whole = {"state": ordered, "param_groups": self._numbered_groups()}

    def state_dict(self) -> dict[str, Any]:
        """The whole state in PyTorch's layout, after ``consolidate_state_dict()``."""
        if self._whole is None:
            raise RuntimeError(
                "ZeroRedundancyOptimizer: this rank has a part of the state only; "
                "wanted consolidate_state_dict(to=rank) on every rank before, since "
                "the last step"
            )
        return self._whole

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes a whole state, of this class or of the optimizer alone
        (``torch_state_dict()``), or all ranks' ``shard_state_dict()`` in one; every
        rank keeps its part."""
        if "state" not in state_dict:
            state_dict = nested_state(state_dict)
        groups = state_dict.get("param_groups")
        if groups is None or len(groups) != len(self.param_groups):
            raise ValueError(
                "ZeroRedundancyOptimizer: the state has "
                f"{None if groups is None else len(groups)} groups; wanted "
                f"{len(self.param_groups)}, as state_dict() gives"
            )
        for group, given in zip(self.param_groups, groups):
            for key in self.defaults:
                if key in given:
                    group[key] = given[key]
        self._whole = None
        if not self._local:
            return
        numbers = {number: i for i, number in enumerate(self._mine)}
        mine = {
            numbers[int(i)]: one
            for i, one in state_dict["state"].items()
            if int(i) in numbers
        }
        local, at = [], 0
        for one, g in zip(self._local.param_groups, self._local_groups):
            count = len(one["params"])
            options = {k: v for k, v in groups[g].items() if k != "params"}
            local.append({**options, "params": list(range(at, at + count))})
            at += count
        self._local.load_state_dict({"state": mine, "param_groups": local})
