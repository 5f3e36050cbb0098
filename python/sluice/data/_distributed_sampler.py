"""DistributedSampler: every rank its own part of a dataset."""

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

    All ranks have as many: some elements come twice where the number does not divide,
    or, with ``drop_last``, some not at all. The order is drawn by seed and pass, the
    same on every rank; ``set_epoch`` says which pass the next loop is. A DataLoader
    counts the passes by itself, from the last one it was told.
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
        """The pass that the next loop is."""
        self.epoch = self._asked = epoch

    def _take_asked(self) -> int | None:
        """The pass that was asked for since this was last looked at."""
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
            # From the beginning again, as often as it takes.
            times = -(-self.total_size // max(size, 1))
            rows = (rows * times)[: self.total_size]
        return iter(rows[self.rank :: self.num_replicas])

    @as_seen
    def __len__(self) -> int:
        return self.num_samples

    def describe(self) -> str:
        """What decides the order of all elements, whoever takes them."""
        order = f"shuffled by {self.seed}" if self.shuffle else "in order"
        return f"{order}, {'cut' if self.drop_last else 'filled up'}"
