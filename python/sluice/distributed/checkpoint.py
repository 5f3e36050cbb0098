"""Checkpoints that all ranks write together: each a part of the tensors, at the
same time, and rank 0 commits them.

    checkpoints = dist.checkpoint.CheckpointManager("runs/first")
    checkpoints.save(step, model=net, optimizer=adam, loader=loader)
    ...
    last = checkpoints.restore(model=net, optimizer=adam, loader=loader)

The folder is one that all ranks see. What is in it is a checkpoint as any other:
``sluice.io`` reads it, and any number of ranks goes on from it.
"""

from __future__ import annotations

import hashlib
import threading
import warnings
import weakref
from collections.abc import Mapping
from typing import Any

from .. import _core, io
from ..io._checkpoint import Checkpoint, as_json, split_state
from ..io._rank_states import merged_states
from ._group import (
    before_leaving,
    destroy_process_group,
    get_rank,
    get_world_size,
    new_group,
)
from ._objects import all_gather_object, broadcast_object_list

__all__ = ["CheckpointManager"]


def _dealt_out(sizes: list[int], ranks: int) -> list[int]:
    """The rank that writes each tensor: the largest first, each to the rank that
    has least. The same on all ranks."""
    loads, owners = [0] * ranks, [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: (-sizes[i], i)):
        owners[i] = loads.index(min(loads))
        loads[owners[i]] += sizes[i]
    return owners


class _Failure:
    """An exception of one rank, to be raised on all."""

    def __init__(self, rank: int, error: Exception) -> None:
        self.rank, self.text = rank, str(error)
        self.number = getattr(error, "errno", None)
        self.kind = type(error).__name__

    def raised(self) -> Exception:
        text = f"rank {self.rank}: {self.text}"
        if self.number is not None:
            return OSError(self.number, text)
        if self.kind in ("ValueError", "TypeError"):
            return ValueError(text)
        return RuntimeError(f"{text} ({self.kind})")


class _Mine:
    """What this rank contributes to one checkpoint."""

    def __init__(self, parts: Mapping[str, Any], rank: int, ranks: int, copy: bool):
        self.snapshot = _core.Snapshot()
        self.states: dict[str, Any] = {}
        self.sharded: set[str] = set()
        shared: list[tuple[str, str, Any]] = []
        own: dict[str, dict[str, Any]] = {}
        for name, part in parts.items():
            if part is None:
                continue
            if hasattr(part, "shard_state_dict"):
                self.sharded.add(name)
                own[name], self.states[name] = split_state(
                    name, part, part.shard_state_dict()
                )
                continue
            state = part.state_dict() if hasattr(part, "state_dict") else part
            tensors, self.states[name] = split_state(name, part, state)
            own[name] = {}
            shared += [(name, key, tensor) for key, tensor in tensors.items()]
        sizes = [tensor.numel() * tensor.element_size() for _, _, tensor in shared]
        for (name, key, tensor), owner in zip(shared, _dealt_out(sizes, ranks)):
            if owner == rank:
                own[name][key] = tensor
        for name, tensors in own.items():
            if copy:
                tensors = {k: t.detach().clone() for k, t in tensors.items()}
            self.snapshot.set(name, tensors)
        # Ranks with other tensors would write a checkpoint that lacks some.
        words = [f"{n} {k} {t.dtype} {list(t.shape)}" for n, k, t in shared]
        words += sorted(self.sharded)
        self.fingerprint = hashlib.sha256("\n".join(words).encode()).hexdigest()
        seed, calls = self.snapshot.random
        self.random = [str(seed), calls]
        as_json(self.states)  # what cannot be saved is an error here, of this line


class CheckpointManager:
    """The folder in which ranks leave checkpoints together, the newest of which is
    whole whatever happens; as ``io.CheckpointManager``, and every rank calls the
    same.

    Tensors that all ranks have alike are dealt out to them by size. A part with
    ``shard_state_dict()`` (ZeroRedundancyOptimizer) has others on every rank,
    which are all saved; ``load_state_dict`` gets them together. Numbers, text and
    lists may differ from rank to rank, as the place in the data does; so may the
    random state.

    Writing happens in the ``background`` from copies, with a group of its own: an
    error comes out of the next ``save`` or of ``wait``, on all ranks.
    """

    def __init__(
        self,
        folder: Any,
        keep_last: int = 3,
        keep_best: str = "",
        best: str = "min",
        background: bool = True,
    ) -> None:
        self._files = io.CheckpointManager(
            folder, keep_last, keep_best, best, background=False
        )
        self._rank, self._ranks = get_rank(), get_world_size()
        self._background = background
        self._group = new_group()
        self._thread: threading.Thread | None = None
        self._error: Exception | None = None
        this = weakref.ref(self)
        before_leaving(lambda: _finish(this()))

    @property
    def folder(self) -> str:
        """Where the checkpoints are."""
        return self._files.folder

    # ---- Saving ----

    def save(
        self,
        step: int,
        *,
        metrics: Mapping[str, Any] | None = None,
        extra: Any = None,
        **parts: Any,
    ) -> None:
        """Saves what has ``state_dict()``, by name; ``metrics`` and ``extra`` are
        those of rank 0. Raises the error of the one before, where it had one, and
        has then not begun this one."""
        self.wait()
        mine = _Mine(parts, self._rank, self._ranks, self._background)
        rest = ([(k, float(v)) for k, v in (metrics or {}).items()], extra)
        if not self._background:
            return self._write(int(step), mine, rest)

        def write() -> None:
            try:
                self._write(int(step), mine, rest)
            except Exception as error:
                self._error = error

        # The end of the program does not wait for it when others have ended.
        self._thread = threading.Thread(
            target=write, name="sluice checkpoint", daemon=True
        )
        self._thread.start()

    def _write(self, step: int, mine: _Mine, rest: tuple[Any, Any]) -> None:
        save: Any = None
        begun: list[Any] = [None]
        if self._rank == 0:
            try:
                save = _core.SharedSave(self.folder, step)
                begun = [save.path]
            except Exception as error:
                begun = [_Failure(0, error)]
        broadcast_object_list(begun, 0, self._group)
        if isinstance(begun[0], _Failure):
            raise begun[0].raised()
        done: list[Any] = [None] * self._ranks
        all_gather_object(done, self._shard(begun[0], mine), self._group)
        ended: list[Any] = [None]
        if self._rank == 0:
            try:
                self._commit(save, done, mine, rest)
            except Exception as error:
                ended = [_Failure(0, error)]
        failed = [one for one in done if isinstance(one, _Failure)]
        if failed:
            ended = [failed[0]]
        del save  # what was not committed is removed before others are told
        broadcast_object_list(ended, 0, self._group)
        if ended[0] is not None:
            raise ended[0].raised()

    def _shard(self, path: str, mine: _Mine) -> Any:
        """Writes this rank's part; what the others need to know of it."""
        try:
            files = _core.write_shard(path, self._rank, self._ranks, mine.snapshot)
        except FileNotFoundError as error:
            error.strerror = f"{error.strerror}; wanted a folder that all ranks see"
            return _Failure(self._rank, error)
        except Exception as error:
            return _Failure(self._rank, error)
        return {
            "files": files,
            "states": mine.states,
            "random": mine.random,
            "fingerprint": mine.fingerprint,
        }

    def _commit(
        self, save: Any, done: list[Any], mine: _Mine, rest: tuple[Any, Any]
    ) -> None:
        """All that was written becomes a checkpoint, once."""
        if any(isinstance(one, _Failure) for one in done):
            return
        for rank, one in enumerate(done):
            if one["fingerprint"] != mine.fingerprint:
                raise ValueError(
                    f"the parts of rank {rank} have other names, types or shapes than "
                    "those of rank 0; wanted the same on every rank"
                )
        metrics, extra = rest
        snapshot = _core.Snapshot()
        snapshot.random = (int(mine.random[0]), mine.random[1])
        snapshot.metrics = metrics
        kept = merged_states(done, mine.sharded)
        snapshot.extra = as_json({**kept, "extra": extra})
        files = [file for one in done for file in one["files"]]
        self._files._core.commit(save, snapshot, files)

    def wait(self) -> None:
        """Until everything is on the disk, on all ranks."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def close(self) -> None:
        """``wait``, and no more saving or loading: the ranks give up the group that
        they talk about checkpoints in."""
        try:
            self.wait()
        finally:
            destroy_process_group(self._group)

    # ---- Loading ----

    def steps(self) -> list[int]:
        """The steps of whole checkpoints, oldest first."""
        return self._files.steps()

    def best_step(self) -> int | None:
        """The step with the best metric ``keep_best``."""
        return self._files.best_step()

    def load(self, step: int | None = None) -> Checkpoint | None:
        """The checkpoint of a step, or the newest that is whole, the same on all
        ranks; None when there is none at all."""
        self.wait()
        told: list[Any] = [None]
        found: Any = None
        if self._rank == 0:
            try:
                core = self._files._core
                found = core.load_latest() if step is None else core.load(step)
                told = [None if found is None else found.step]
            except Exception as error:
                told = [_Failure(0, error)]
        broadcast_object_list(told, 0, self._group)
        if isinstance(told[0], _Failure):
            raise told[0].raised()
        if told[0] is None:
            return None
        if found is None:
            try:
                found = self._files._core.load(told[0])
            except FileNotFoundError as error:
                error.strerror = f"{error.strerror}; wanted a folder that all ranks see"
                raise
        return Checkpoint(found, self._rank, self._ranks)

    def restore(
        self, step: int | None = None, *, random: bool = True, **parts: Any
    ) -> Checkpoint | None:
        """``load``, and the states into these objects."""
        found = self.load(step)
        if found is not None:
            found.restore(random=random, **parts)
        return found


def _finish(manager: CheckpointManager | None) -> None:
    """The group ends: what is being written is finished before."""
    if manager is None:
        return
    try:
        manager.wait()
    except Exception as error:
        warnings.warn(str(error), RuntimeWarning, stacklevel=2)
