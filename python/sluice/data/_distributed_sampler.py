"""DistributedSampler: gives each rank its own part of a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Sized

from .. import _core
from .._recorded import as_seen
from ._outside import passes_outside, places_outside
from ._samplers import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every rank's share of the numbers of a dataset, in turn: of one order of all,
    rank r of n has numbers r, r + n, r + 2n, ...

    All ranks have the same number: if it does not divide evenly, some elements come
    twice or, with ``drop_last``, some not at all. Seed and pass determine the order,
    which is the same on every rank. ``set_epoch`` selects the pass of the next loop. A
    DataLoader counts the passes by itself, starting from the last one set.
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        self.num_replicas = (
            _core.dist_world_size("world") if num_replicas is None else num_replicas
        )
        self.rank = _core.dist_rank("world") if rank is None else rank
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(
                f"DistributedSampler: rank is {self.rank} of {self.num_replicas} "
                "replicas; wanted 0 <= rank < num_replicas"
            )
        self.dataset, self.shuffle, self.seed = dataset, shuffle, seed
        self.drop_last = drop_last
        self.epoch = 0
        self._asked: int | None = None
        size, n = len(dataset), self.num_replicas
        self.num_samples = size // n if drop_last else -(-size // n)
        self.total_size = self.num_samples * n

    @places_outside
    def set_epoch(self, epoch: int) -> None:
        """Selects the pass of the next loop."""
        self.epoch = self._asked = epoch

    def _take_asked(self) -> int | None:
        """The pass that was set since the last call, if any."""
        asked, self._asked = self._asked, None
        return asked

    @passes_outside
    def __iter__(self) -> Iterator[int]:
        size = len(self.dataset)
        rows: list[int] = (
            list(_core.shuffled_rows(size, self.seed, self.epoch))
            if self.shuffle
            else list(range(size))
        )
        if self.drop_last:
            rows = rows[: self.total_size]
        else:
            # Repeats the order as often as needed.
            times = -(-self.total_size // max(size, 1))
            rows = (rows * times)[: self.total_size]
        return iter(rows[self.rank :: self.num_replicas])

    @as_seen
    def __len__(self) -> int:
        return self.num_samples

    def describe(self) -> str:
        """A description of what determines the order of all elements."""
        order = f"shuffled by {self.seed}" if self.shuffle else "in order"
        return f"{order}, {'cut' if self.drop_last else 'filled up'}"
