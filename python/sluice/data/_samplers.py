"""Samplers: the indices of elements in the order of a pass.

Random samplers draw by seed and pass. ``set_epoch`` selects the pass of the next loop;
a DataLoader calls it by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from .. import _core
from .._closed import closed
from .._recorded import as_seen
from ._outside import passes_outside, places_outside
from ._seeds import seed_of

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T_co = TypeVar("T_co", covariant=True)


@closed
class Sampler(Generic[T_co]):
    """The base of samplers: a subclass defines ``__iter__``, and ``__len__``
    where that is known."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} defines no __iter__")


class SequentialSampler(Sampler[int]):
    """0, 1, 2, ..."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    @passes_outside
    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    @as_seen
    def __len__(self) -> int:
        return len(self.data_source)


class _Drawing(Sampler[int]):
    """Draws by seed and pass. Without set_epoch every loop is the next pass."""

    def __init__(self, generator: Any, seed: int | None) -> None:
        self.seed = seed_of(generator, seed)
        self.epoch = 0

    @places_outside
    def set_epoch(self, epoch: int) -> None:
        """The pass that the next loop is."""
        self.epoch = epoch

    def _next_epoch(self) -> int:
        epoch = self.epoch
        self.epoch += 1
        return epoch


class RandomSampler(_Drawing):
    """All elements in a random order, another one in every pass; with
    ``replacement`` each drawn from all."""

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
        *,
        seed: int | None = None,
    ) -> None:
        super().__init__(generator, seed)
        if num_samples is not None and num_samples <= 0:
            raise ValueError(f"num_samples is {num_samples}; wanted 1 or more")
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples

    @property
    def num_samples(self) -> int:
        """The number of elements in a pass."""
        n = self._num_samples
        return len(self.data_source) if n is None else n

    @passes_outside
    def __iter__(self) -> Iterator[int]:
        epoch, size = self._next_epoch(), len(self.data_source)
        if self.replacement:
            rows = _core.drawn_rows(size, self.num_samples, self.seed, epoch)
            return iter(rows)
        # More than the dataset has: several complete orders in sequence.
        rows = []
        part = 0
        while len(rows) < self.num_samples and size > 0:
            seed = (self.seed + part) & (2**64 - 1)
            rows += _core.shuffled_rows(size, seed, epoch)
            part += 1
        return iter(rows[: self.num_samples])

    @as_seen
    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(_Drawing):
    """The given numbers in a random order, another one in every pass."""

    def __init__(
        self, indices: Sequence[int], generator: Any = None, *, seed: int | None = None
    ) -> None:
        super().__init__(generator, seed)
        self.indices = indices

    @passes_outside
    def __iter__(self) -> Iterator[int]:
        rows = _core.shuffled_rows(len(self.indices), self.seed, self._next_epoch())
        return (self.indices[row] for row in rows)

    @as_seen
    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(_Drawing):
    """``num_samples`` numbers drawn with probabilities in proportion to
    ``weights``; without ``replacement`` each at most once."""

    def __init__(
        self,
        weights: Iterable[float],
        num_samples: int,
        replacement: bool = True,
        generator: Any = None,
        *,
        seed: int | None = None,
    ) -> None:
        super().__init__(generator, seed)
        self.weights = [float(w) for w in weights]
        if num_samples <= 0:
            raise ValueError(f"num_samples is {num_samples}; wanted 1 or more")
        positive = sum(1 for w in self.weights if w > 0)
        if not replacement and num_samples > positive:
            raise ValueError(
                f"num_samples is {num_samples} without replacement; there are "
                f"{positive} weights above 0"
            )
        self.num_samples, self.replacement = num_samples, replacement

    @passes_outside
    def __iter__(self) -> Iterator[int]:
        return iter(
            _core.weighted_rows(
                self.weights,
                self.num_samples,
                self.replacement,
                self.seed,
                self._next_epoch(),
            )
        )

    @as_seen
    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of ``batch_size`` numbers of another sampler."""

    def __init__(
        self, sampler: Iterable[int], batch_size: int, drop_last: bool = False
    ) -> None:
        if not isinstance(batch_size, int) or batch_size <= 0:
            raise ValueError(f"batch_size is {batch_size!r}; wanted 1 or more")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    @places_outside
    def set_epoch(self, epoch: int) -> None:
        """Tells the sampler which pass the next loop is."""
        if hasattr(self.sampler, "set_epoch"):
            self.sampler.set_epoch(epoch)

    @passes_outside
    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for row in self.sampler:
            batch.append(row)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    @as_seen
    def __len__(self) -> int:
        size = len(self.sampler)  # type: ignore[arg-type]
        if self.drop_last:
            return size // self.batch_size
        return -(-size // self.batch_size)
