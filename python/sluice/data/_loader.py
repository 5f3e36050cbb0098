"""DataLoader: batches of a dataset, with a loop position that can be saved."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .._closed import closed
from .._recorded import as_seen, number
from ._collate import default_collate
from ._datasets import IterableDataset, Subset, TensorDataset
from ._outside import passes_outside, places_outside
from ._pipeline import Pipeline
from ._rank_places import divided_again
from ._samplers import BatchSampler, RandomSampler, SequentialSampler
from ._seeds import seed_of
from ._workers import Workers

__all__ = ["DataLoader", "get_worker_info"]


def get_worker_info() -> None:
    """None: workers are threads that share one dataset, so that an
    IterableDataset need not divide its elements among them."""
    return None


class _Position:
    """A pass, and the number of its batches yielded so far."""

    def __init__(self, epoch: int, taken: int = 0) -> None:
        self.epoch, self.taken = epoch, taken


class _Batches(Iterator[Any]):
    """One pass. The loader refers only to its position, so that the pass ends when
    the loop drops it."""

    def __init__(self, made: Iterator[Any], position: _Position) -> None:
        self._made: Iterator[Any] | None = made
        self._position = position

    @passes_outside
    def __next__(self) -> Any:
        if self._made is None:
            raise StopIteration
        try:
            batch = next(self._made)
        except StopIteration:
            self._made = None
            self._position.epoch += 1
            self._position.taken = 0
            raise
        except BaseException:
            self._made = None
            raise
        self._position.taken += 1
        return batch


def _numbers(dataset: Any, rows: list[int]) -> tuple[Any, list[int]]:
    """The rows of a Subset as rows of the underlying dataset."""
    while type(dataset) is Subset:
        rows = [dataset.indices[row] for row in rows]
        dataset = dataset.dataset
    return dataset, rows


@closed
class DataLoader:
    """Batches of a dataset, by PyTorch's names.

    ``dataset`` has elements by index (``__getitem__``, ``__len__``) or in sequence
    (``__iter__``), or is a Pipeline, which then makes the batches in C++.
    ``shuffle`` gives every pass another order, determined by ``seed`` (or
    ``generator``) and the number of the pass. ``num_workers`` threads prefetch
    batches; the batches and their order do not depend on them. The loop raises
    their exceptions unchanged. ``batch_size=None`` yields single elements.

    ``state_dict()`` holds the position of the loop. After ``load_state_dict()`` the
    next loop yields exactly the remaining batches. User-defined samplers must give
    the same order again (``set_epoch(epoch)`` is called if they have it). An
    IterableDataset is read again up to the position. If a program calls
    ``set_epoch`` of a DistributedSampler, the next loop is that pass.

    ``pin_memory``, ``persistent_workers`` and ``in_order`` are accepted and
    change nothing: memory of the CPU needs no pinning, threads cost little to
    start, and batches always come in order.
    """

    # As in PyTorch, and the attributes from which samplers and pipelines are made.
    _fixed_attributes = frozenset(
        "batch_size batch_sampler sampler drop_last dataset persistent_workers shuffle "
        "seed".split()
    )

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: None = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
        seed: int | None = None,
    ) -> None:
        if not isinstance(num_workers, int) or not 0 <= num_workers <= 1024:
            raise ValueError(f"num_workers is {num_workers!r}; wanted 0 to 1024")
        if prefetch_factor is not None and prefetch_factor <= 0:
            raise ValueError(f"prefetch_factor is {prefetch_factor}; wanted 1 or more")
        if timeout < 0:
            raise ValueError(f"timeout is {timeout}; wanted 0 or more")
        if multiprocessing_context is not None:
            raise ValueError(
                "multiprocessing_context: workers are threads, not processes"
            )
        self.dataset, self.num_workers = dataset, num_workers
        self.batch_size, self.drop_last = batch_size, drop_last
        self.collate_fn, self.timeout = collate_fn, timeout
        self.pin_memory, self.persistent_workers = pin_memory, persistent_workers
        self.prefetch_factor = 2 if prefetch_factor is None else prefetch_factor
        self.worker_init_fn = worker_init_fn
        self.shuffle = bool(shuffle)
        self.seed = seed_of(generator, seed)
        self.sampler: Any = None
        self.batch_sampler: Any = None
        self._check_sampling(sampler, batch_sampler)
        self._pipeline = self._batched_pipeline()
        self._by_number = self._pipeline is None and not (
            isinstance(dataset, IterableDataset)
            or (hasattr(dataset, "__iter__") and not hasattr(dataset, "__getitem__"))
        )
        if self._by_number:
            self._choose_samplers(sampler, batch_sampler)
        else:
            if self._pipeline is None and shuffle:
                raise ValueError("shuffle of a dataset without numbers")
            if sampler is not None or batch_sampler is not None:
                raise ValueError("a sampler for a dataset without numbers")
        self._position = _Position(0)
        self._restored = True  # nothing was begun
        self._told = False  # the program sets the pass, and counts the passes

    def _check_sampling(self, sampler: Any, batch_sampler: Any) -> None:
        size = self.batch_size
        if size is not None and (not isinstance(size, int) or size <= 0):
            raise ValueError(f"batch_size is {size!r}; wanted 1 or more, or None")
        if sampler is not None and self.shuffle:
            raise ValueError("sampler and shuffle; wanted one of them")
        if batch_sampler is not None and (
            size != 1 or self.shuffle or sampler is not None or self.drop_last
        ):
            raise ValueError(
                "batch_sampler beside batch_size, shuffle, sampler or drop_last"
            )
        if size is None and self.drop_last:
            raise ValueError("drop_last without batches")

    def _batched_pipeline(self) -> Any:
        if not isinstance(self.dataset, Pipeline):
            return None
        if self.collate_fn is not None:
            raise ValueError("collate_fn of a Pipeline; wanted map() before")
        core = self.dataset._core
        if self.batch_size is None:
            ahead = self.prefetch_factor * self.num_workers
            return core.prefetch(ahead) if self.num_workers else core
        return core.loader(
            self.batch_size, self.shuffle, self.num_workers, self.drop_last, self.seed
        )

    def _choose_samplers(self, sampler: Any, batch_sampler: Any) -> None:
        if not hasattr(self.dataset, "__getitem__"):
            raise TypeError(
                f"a dataset is a {type(self.dataset).__name__}; wanted __getitem__ "
                "and __len__, or __iter__"
            )
        if sampler is None and batch_sampler is None:
            if self.shuffle:
                sampler = RandomSampler(self.dataset, seed=self.seed)
            else:
                sampler = SequentialSampler(self.dataset)
        self.sampler = sampler
        if batch_sampler is None and self.batch_size is not None:
            batch_sampler = BatchSampler(sampler, self.batch_size, self.drop_last)
        self.batch_sampler = batch_sampler

    # ---- A pass ----

    @passes_outside
    def __iter__(self) -> Iterator[Any]:
        old, asked = self._position, self._asked_epoch()
        if asked is not None and not self._told:
            position = _Position(asked)
        elif self._restored or old.taken == 0:
            position = _Position(old.epoch, old.taken)
        else:  # a loop that was left early is not resumed
            position = _Position(old.epoch + 1)
        self._restored = self._told = False
        self._position = position
        if self._pipeline is not None:
            return _Batches(self._open_pipeline(position), position)
        jobs = self._jobs(position)
        work = self._work_rows if self._by_number else self._work_elements
        if self.num_workers == 0:
            return _Batches((work(job) for job in jobs), position)
        made = Workers(
            jobs,
            work,
            self.num_workers,
            self.prefetch_factor * self.num_workers,
            self.worker_init_fn or (lambda _: None),
            self.timeout,
        )
        return _Batches(made, position)

    def _open_pipeline(self, position: _Position) -> Iterator[Any]:
        core = self._pipeline.iterator(position.epoch)
        if position.taken:
            place = {
                "pipeline": self._pipeline.describe(),
                "epoch": position.epoch,
                "taken": position.taken,
            }
            core.restore(json.dumps(place))
        return core  # type: ignore[no-any-return]

    def _source(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def _asked_epoch(self) -> int | None:
        """The pass that the program, not this loader, set in a DistributedSampler."""
        inner = getattr(self.batch_sampler, "sampler", None)
        sampler = inner if self.sampler is None else self.sampler
        take = getattr(sampler, "_take_asked", None)
        return None if take is None else take()

    def _jobs(self, position: _Position) -> Iterator[Any]:
        """The jobs of the remaining batches."""
        source: Any = self._source() if self._by_number else self.dataset
        if hasattr(source, "set_epoch"):
            source.set_epoch(position.epoch)
            self._asked_epoch()  # that was this one
        jobs: Iterator[Any] = iter(source)
        if not self._by_number and self.batch_size is not None:
            jobs = iter(BatchSampler(jobs, self.batch_size, self.drop_last))
        for _ in zip(range(position.taken), jobs):
            pass
        return jobs

    def _work_rows(self, rows: Any) -> Any:
        if self.batch_sampler is None:
            element = self.dataset[rows]
            return element if self.collate_fn is None else self.collate_fn(element)
        if self.collate_fn is None:
            dataset, numbers = _numbers(self.dataset, list(rows))
            if type(dataset) is TensorDataset:
                return dataset.batch(numbers)
        if hasattr(self.dataset, "__getitems__"):
            elements = self.dataset.__getitems__(rows)
        else:
            elements = [self.dataset[row] for row in rows]
        return self._collate(elements)

    def _work_elements(self, elements: Any) -> Any:
        if self.batch_size is None:
            return elements if self.collate_fn is None else self.collate_fn(elements)
        return self._collate(elements)

    def _collate(self, elements: list[Any]) -> Any:
        return (self.collate_fn or default_collate)(elements)

    @as_seen
    def __len__(self) -> int:
        """The number of batches in a pass."""
        if self._pipeline is not None:
            size = self._pipeline.size()
            if size < 0:
                raise TypeError("the length of this pipeline is not known")
            return int(size)
        if self._by_number:
            return len(self._source())
        size = len(self.dataset)
        if self.batch_size is None:
            return size
        if self.drop_last:
            return size // self.batch_size
        return -(-size // self.batch_size)

    # ---- The position ----

    @property
    @number
    def epoch(self) -> int:
        """The pass of the next batch."""
        return self._position.epoch

    @places_outside
    def set_epoch(self, epoch: int) -> None:
        """Starts the next loop at the beginning of that pass."""
        self._position = _Position(int(epoch))
        self._restored = self._told = True

    def _settings(self) -> dict[str, Any]:
        try:
            size = len(self.dataset)
        except TypeError:
            size = None
        settings = {
            "batch_size": self.batch_size,
            "shuffle": self.shuffle,
            "drop_last": self.drop_last,
            "seed": self.seed,
            "size": size,
        }
        if self._pipeline is not None:
            settings["pipeline"] = self._pipeline.describe()
        if hasattr(self.sampler, "describe"):
            settings["sampler"] = self.sampler.describe()
        return settings

    @as_seen
    def state_dict(self) -> dict[str, Any]:
        """The position of the loop, as plain numbers and text."""
        position = self._position
        return {
            "epoch": position.epoch,
            "taken": position.taken,
            "settings": self._settings(),
        }

    @places_outside
    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Resumes the next loop at a saved position. Raises ValueError for the state of
        a loader with other settings; the number of workers may differ."""
        try:
            epoch, taken = int(state_dict["epoch"]), int(state_dict["taken"])
            settings = state_dict["settings"]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"this is no state of a DataLoader: {error!r}") from None
        if epoch < 0 or taken < 0:
            raise ValueError(f"a position of pass {epoch}, batch {taken}")
        mine = self._settings()
        if settings != mine:
            raise ValueError(
                f"this is the state of another loader: {settings}; wanted {mine}"
            )
        self._position = _Position(epoch, taken)
        self._restored = self._told = True

    @places_outside
    def load_rank_states(self, states: list[Mapping[str, Any]], ranks: int) -> None:
        """Resumes from the ``states`` of loaders that each had a part of the data that
        ``ranks`` now share: after as many elements, as DistributedSampler and ``shard``
        distribute them. If that is inside a batch of the new loaders, the start of the
        batch is repeated, with a warning. Raises ValueError if the ranks do not divide
        one order of the elements."""
        epoch, taken, again = divided_again(states, self._settings(), ranks)
        if again:
            warnings.warn(
                f"DataLoader: {len(states)} ranks had begun what is a batch of "
                f"{ranks}: {again} elements come again",
                stacklevel=2,
            )
        self._position = _Position(epoch, taken)
        self._restored = self._told = True
