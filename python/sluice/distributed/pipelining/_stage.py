"""One rank's layers, and the messages from and to its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _core
from ...nn import Module
from .._collectives import Work
from .._group import ProcessGroup, get_rank, get_world_size, new_group
from .._messages import irecv, isend

__all__ = ["PipelineStage"]

_DTYPES = (
    "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 "
    "complex128"
).split()
_MOST, _RANK = 8, 8  # tensors of a message, and their axes


class PipelineStage:
    """A module that is one of the stages of a pipeline: those of the ranks in order.

    pipelines lists the ranks of every pipeline, where there are several beside each
    other; without it all ranks are one. Every rank makes its stage at the same time:
    each two neighbours get groups of their own for what goes there and back, so that
    no message waits for another one's receiver.
    """

    def __init__(
        self, submodule: Module, pipelines: Sequence[Sequence[int]] | None = None
    ) -> None:
        if not isinstance(submodule, Module):
            raise TypeError(
                "PipelineStage: submodule is a "
                f"{type(submodule).__name__}; wanted a Module"
            )
        rank, ranks = get_rank(), get_world_size()
        lines = [list(range(ranks))] if pipelines is None else [*map(list, pipelines)]
        if sorted(r for line in lines for r in line) != list(range(ranks)):
            raise ValueError(
                f"PipelineStage: pipelines is {lines}; wanted each of the {ranks} "
                "ranks in one of them"
            )
        self.submodule = submodule
        self.ranks = next(line for line in lines if rank in line)
        self.stage_index, self.num_stages = self.ranks.index(rank), len(self.ranks)
        self.before: Neighbour | None = None
        self.behind: Neighbour | None = None
        for line in lines:
            for first, second in zip(line, line[1:]):
                there, back = new_group([first, second]), new_group([first, second])
                if rank == second:
                    self.before = Neighbour(first, there, back)
                if rank == first:
                    self.behind = Neighbour(second, back, there)

    @property
    def is_first(self) -> bool:
        """Whether it gets the input."""
        return self.before is None

    @property
    def is_last(self) -> bool:
        """Whether it has the loss."""
        return self.behind is None


class Neighbour:
    """The other end of two queues of messages, one for each way."""

    def __init__(self, rank: int, takes: ProcessGroup, gives: ProcessGroup) -> None:
        self.rank, self.takes, self.gives = rank, takes, gives
        self._under_way: list[tuple[Any, Work]] = []

    # ---- Tensors ----

    def send(self, tensors: Sequence[Any]) -> None:
        """Begins to send; `settle()` waits for all."""
        # Messages that have been sent are released.
        self._under_way = [u for u in self._under_way if not u[1].is_completed()]
        for tensor in tensors:
            plain = tensor.detach().contiguous()
            self._under_way.append((plain, isend(plain, self.rank, self.gives)))

    def begin_receive(self, kinds: Sequence[Kind]) -> list[tuple[Any, Work]]:
        """Places for tensors that come, and what to wait for."""
        import sluice as sl

        places = [sl.empty(kind.shape, dtype=kind.dtype) for kind in kinds]
        return [(place, irecv(place, self.rank, self.takes)) for place in places]

    def settle(self) -> None:
        """Waits for what was sent."""
        under_way, self._under_way = self._under_way, []
        for _, work in under_way:
            work.wait()

    # ---- What they will be ----

    def send_kinds(self, kinds: Sequence[Kind]) -> None:
        """Says what the tensors of every micro-batch of this step will be."""
        numbers = [len(kinds)]
        for kind in kinds:
            sizes = [*kind.shape, *([0] * (_RANK - len(kind.shape)))]
            code = _DTYPES.index(_name(kind.dtype))
            numbers += [code, int(kind.learns), len(kind.shape), *sizes]
        numbers += [0] * (_numbers() - len(numbers))
        self.send([_core.tensor(numbers)])

    def receive_kinds(self) -> list[Kind]:
        """What the other side said."""
        import sluice as sl

        place = sl.zeros([_numbers()], dtype=sl.int64)
        irecv(place, self.rank, self.takes).wait()
        numbers = [int(n) for n in place.numpy()]
        each, kinds = 3 + _RANK, []
        for i in range(numbers[0]):
            code, learns, axes, *sizes = numbers[1 + i * each : 1 + (i + 1) * each]
            kinds.append(
                Kind(tuple(sizes[:axes]), getattr(sl, _DTYPES[code]), bool(learns))
            )
        return kinds


class Kind:
    """Shape and type of a tensor, and whether a gradient comes back for it."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, learns: bool) -> None:
        self.shape, self.dtype, self.learns = tuple(shape), dtype, learns

    @classmethod
    def of(cls, tensor: Any) -> Kind:
        """That of a tensor."""
        return cls(tuple(tensor.shape), tensor.dtype, bool(tensor.requires_grad))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and self.__dict__ == other.__dict__

    def __repr__(self) -> str:
        return f"{_name(self.dtype)}{list(self.shape)}"


def check_kinds(kinds: Sequence[Kind], what: str) -> None:
    """Whether they can be told to the other side."""
    if len(kinds) > _MOST or any(len(kind.shape) > _RANK for kind in kinds):
        raise ValueError(
            f"{what}: got {list(kinds)}; wanted at most {_MOST} tensors of at most "
            f"{_RANK} axes between stages"
        )


def _numbers() -> int:
    return 1 + _MOST * (3 + _RANK)


def _name(dtype: Any) -> str:
    return str(dtype).rsplit(".", 1)[-1]
