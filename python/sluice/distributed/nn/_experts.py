"""A mixture of experts distributed over several ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...autograd import Function
from ...nn import Module, ModuleList
from .._group import get_world_size
from . import functional as collectives

__all__ = ["ExpertsOfRank", "MixtureOfExperts", "Route"]


class ExpertsOfRank(ModuleList):
    """Modules that other ranks have others in place of: DistributedDataParallel lets
    their parameters alone."""

    of_this_rank = True


class Route(NamedTuple):
    """The routing of rows, with one element for each row and choice."""

    place: Any  # the slot among those of all experts; past the last: dropped
    weight: Any  # the weight of the expert's result
    slots: int  # slots of one expert for the rows of one rank


class MixtureOfExperts(Module):
    """Each row of the input goes to the experts that the gate chooses, wherever they
    are: a call of every rank at the same time.

        experts = [make_expert() for _ in range(2)]      # of this rank
        layer = MixtureOfExperts(nn.Linear(64, 2 * ranks), experts)
        y = layer(x)                                     # x: [rows, 64]

    Experts are numbered by rank, those of rank 0 first. Rows are sent by all_to_all.
    capacity sets the number of slots of each expert, as a multiple of rows / experts;
    None makes room for all rows. A row whose expert has no free slot gets zeros.

    With DistributedDataParallel around the model, gradients of the gate and of
    experts are those of one process that has all experts and all ranks' rows.
    """

    def __init__(
        self,
        gate: Module,
        experts: Sequence[Module],
        *,
        top_k: int = 1,
        capacity: float | None = None,
        group: Any = None,
    ) -> None:
        super().__init__()
        if not experts:
            raise ValueError(
                "MixtureOfExperts: experts is empty; wanted at least one on each rank"
            )
        self.gate, self.experts = gate, ExpertsOfRank(experts)
        fields = self.__dict__
        fields["_group"], fields["_ranks"] = group, get_world_size(group)
        self.count = len(experts) * fields["_ranks"]
        if not 1 <= top_k <= self.count:
            raise ValueError(
                f"MixtureOfExperts: top_k is {top_k}; wanted 1 to {self.count}, the "
                "number of experts"
            )
        if capacity is not None and not capacity > 0:
            raise ValueError(
                f"MixtureOfExperts: capacity is {capacity}; wanted more than 0, or "
                "None for no limit"
            )
        self.top_k, self.capacity = top_k, capacity

    def route(self, x: Any) -> Route:
        """Assigns slots to the rows of x."""
        import sluice as sl

        rows = x.shape[0]
        scores = self.gate(x)
        if scores.shape[-1] != self.count:
            raise ValueError(
                f"MixtureOfExperts: the gate gives {scores.shape[-1]} scores; wanted "
                f"{self.count}, one for each expert of all ranks"
            )
        weight, chosen = scores.softmax(dim=-1).topk(self.top_k, dim=-1)
        if self.top_k > 1:
            weight = weight / weight.sum(dim=-1, keepdim=True)
        chosen, weight = chosen.reshape(-1), weight.reshape(-1)
        slots = rows * self.top_k
        if self.capacity is not None:
            slots = max(1, int(-(-slots * self.capacity // self.count)))
        # The first rows in order are accepted.
        ones = (chosen.unsqueeze(1) == sl.arange(self.count)).to(sl.int64)
        turn = (sl.cumsum(ones, 0) * ones).sum(dim=1) - 1
        nowhere = sl.full_like(chosen, self.count * slots)
        place = sl.where(turn < slots, chosen * slots + turn, nowhere)
        return Route(place, weight, slots)

    def forward(self, x: Any) -> Any:
        """The experts' outputs for the rows of x: [rows, size]."""
        import sluice as sl

        if x.ndim != 2:
            raise ValueError(
                f"MixtureOfExperts: x is of shape {list(x.shape)}; wanted [rows, size]"
            )
        route = self.route(x)
        rows = x if self.top_k == 1 else x.repeat_interleave(self.top_k, dim=0)
        all_slots = self.count * route.slots
        # One extra row, for rows over the capacity.
        empty = sl.zeros([all_slots + 1, x.shape[1]], dtype=x.dtype)
        slots = sl.index_add(empty, 0, route.place, rows)[:all_slots]
        found = self._computed(slots, route.slots)
        found = sl.concat([found, sl.zeros([1, found.shape[1]], dtype=found.dtype)], 0)
        y = found.index_select(0, route.place) * route.weight.unsqueeze(1)
        if self.top_k > 1:
            y = y.reshape(x.shape[0], self.top_k, y.shape[1]).sum(dim=1)
        return y

    def _computed(self, slots: Any, each: int) -> Any:
        """The slots of all experts, computed by the ranks that hold them."""
        import sluice as sl

        ranks, here = self._ranks, len(self.experts)
        came = collectives.all_to_all_single(slots, self._group)
        # Experts get gradients averaged over ranks, rows those of their own
        # rank's loss only: scaled down for the former, up for the latter.
        came = _Scaled.apply(came, float(ranks)).reshape(ranks, here, each, -1)
        done = []
        for number, expert in enumerate(self.experts):
            rows = came[:, number].reshape(ranks * each, -1)
            done.append(expert(rows).reshape(ranks, each, -1))
        out = done[0] if here == 1 else sl.concat(done, 1)
        out = out.reshape(ranks * here * each, -1)
        return collectives.all_to_all_single(
            _Scaled.apply(out, 1.0 / ranks), self._group
        )


class _Scaled(Function):
    """The tensor itself, whose gradient is scaled."""

    @staticmethod
    def forward(ctx: Any, x: Any, scale: float) -> Any:
        ctx.scale = scale
        return x * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.scale, None
