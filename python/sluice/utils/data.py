"""Datasets and loaders, by the names of torch.utils.data: those of sluice.data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .. import _core
from ..data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    get_worker_info,
    random_split,
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]


class ChainDataset(IterableDataset[Any]):
    """The elements of several iterable datasets, one dataset after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise TypeError(
                    f"ChainDataset: a {type(dataset).__name__}; wanted an "
                    "IterableDataset, or ConcatDataset for it"
                )
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self.datasets)


class StackDataset(Dataset[Any]):
    """Elements of datasets of one length side by side: tuples, or dicts by name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError("StackDataset: wanted datasets by place, or all by name")
        self.datasets: Any = kwargs or args
        parts = list(kwargs.values()) if kwargs else list(args)
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise ValueError(
                f"StackDataset: datasets of {[len(part) for part in parts]} elements; "
                "wanted one length"
            )

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: part[index] for name, part in self.datasets.items()}
        return tuple(part[index] for part in self.datasets)

    def __len__(self) -> int:
        return self._length


def default_convert(data: Any) -> Any:
    """Arrays anywhere in a tree as tensors; all else as it is."""
    leaves, form = _core.tree_flatten(data)
    return form.unflatten(
        _core.tensor(leaf) if _is_array(leaf) else leaf for leaf in leaves
    )


def _is_array(leaf: Any) -> bool:
    if isinstance(leaf, _core.Tensor) or not hasattr(leaf, "__array_interface__"):
        return False
    return leaf.dtype.kind in "biufc"
