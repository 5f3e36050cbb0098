"""Datasets: elements by index, or in sequence."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from .. import _core
from .._array.create import tensor
from .._recorded import as_seen, item_of, read
from ._seeds import seed_of

__all__ = [
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Elements by number: a subclass defines ``__getitem__`` and ``__len__``."""

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError(f"{type(self).__name__} defines no __getitem__")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """Elements one after another: a subclass defines ``__iter__``, which is
    called once for every pass."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} defines no __iter__")

    def __getitem__(self, index: Any) -> T_co:
        raise TypeError(f"{type(self).__name__} has no elements by number")


class TensorDataset(Dataset[tuple[Any, ...]]):
    """Rows of tensors that agree in the size of axis 0."""

    def __init__(self, *tensors: Any) -> None:
        if not tensors:
            raise ValueError("TensorDataset: no tensors")
        self.tensors = tuple(
            t if isinstance(t, _core.Tensor) else tensor(t) for t in tensors
        )
        sizes = [t.shape[0] if t.shape else None for t in self.tensors]
        if None in sizes or len(set(sizes)) != 1:
            shapes = ", ".join(str(t.shape) for t in self.tensors)
            raise ValueError(
                f"TensorDataset: tensors of shapes {shapes}; wanted the same "
                "size of axis 0"
            )

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(t[index] for t in read(self, "tensors"))

    @as_seen
    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])

    def batch(self, rows: list[int]) -> tuple[Any, ...]:
        """Several rows at once, without creating a tensor for each."""
        if _core.recorder() is not None:
            return self[rows]
        return tuple(_core.gather_rows(list(self.tensors), rows))


class Subset(Dataset[T_co]):
    """Some elements of a dataset, by their numbers."""

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: int) -> T_co:
        row = item_of(read(self, "indices"), index)
        found: T_co = item_of(read(self, "dataset"), row)
        return found

    @as_seen
    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset[T_co]):
    """Several datasets one after the other."""

    def __init__(self, datasets: Iterable[Dataset[T_co]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ValueError("ConcatDataset: no datasets")
        self.cumulative_sizes: list[int] = []
        total = 0
        for d in self.datasets:
            if isinstance(d, IterableDataset):
                raise TypeError("ConcatDataset: an IterableDataset has no numbers")
            total += len(d)  # type: ignore[arg-type]
            self.cumulative_sizes.append(total)

    def __getitem__(self, index: int) -> T_co:
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"element {index} of a dataset of {size}")
        if index < 0:
            index += size
        sizes = read(self, "cumulative_sizes")
        which = bisect_right(sizes, index)
        before = sizes[which - 1] if which else 0
        found: T_co = item_of(read(self, "datasets")[which], index - before)
        return found

    @as_seen
    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


def random_split(
    dataset: Dataset[T_co],
    lengths: Sequence[float],
    generator: Any = None,
    *,
    seed: int | None = None,
) -> list[Subset[T_co]]:
    """Splits a dataset at random into parts of these lengths, or fractions of
    it that add up to 1. ``generator`` or ``seed`` decides how."""
    size = len(dataset)  # type: ignore[arg-type]
    counts: list[int] = []
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1 + 1e-9:
        if any(not 0 <= part <= 1 for part in lengths):
            raise ValueError(f"lengths are {list(lengths)}; wanted fractions")
        counts = [math.floor(size * part) for part in lengths]
        for i in range(size - sum(counts)):
            counts[i % len(counts)] += 1
    else:
        counts = [int(n) for n in lengths]
    if sum(counts) != size or any(n < 0 for n in counts):
        raise ValueError(
            f"lengths are {list(lengths)}; wanted numbers that add up to {size}, "
            "or fractions that add up to 1"
        )
    rows = _core.shuffled_rows(size, seed_of(generator, seed), 0)
    parts: list[Subset[T_co]] = []
    start = 0
    for n in counts:
        parts.append(Subset(dataset, rows[start : start + n]))
        start += n
    return parts
