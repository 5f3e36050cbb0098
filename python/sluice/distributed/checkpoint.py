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

import threading
import warnings
import weakref
from collections.abc import Mapping
from typing import Any

from .. import _core, io
from ..io._checkpoint import Checkpoint, as_json
from ..io._rank_states import merged_states
from ._group import (
    before_leaving,
    destroy_process_group,
    get_rank,
    get_world_size,
    new_group,
)
from ._objects import all_gather_object, broadcast_object_list
from ._rank_part import RankFailure, RankPart
from ._saved_parts import whole_parts

__all__ = ["CheckpointManager"]


class CheckpointManager:
    """The folder in which ranks leave checkpoints together, the newest of which is
    whole whatever happens; as ``io.CheckpointManager``, and every rank calls the
    same.

    Tensors that all ranks have alike are dealt out to them by size; buffers are
    those of rank 0. A part with ``shard_state_dict()`` (ZeroRedundancyOptimizer) has
    others on every rank, which are all saved; ``load_state_dict`` gets them together.
    Sharded models (fsdp) and their optimizers are saved whole. Of modules with
    ``of_this_rank = True``, as experts, every rank's are saved, for as many ranks.
    Numbers, text and lists may differ from rank to rank, as the place in the data
    does; so may the random state.

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
        """The folder of the checkpoints."""
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
        """Saves objects with ``state_dict()`` by name; ``metrics`` and ``extra`` are
        those of rank 0. Raises the error of the previous save, if any, without
        starting this one."""
        self.wait()
        parts = whole_parts(parts)
        mine = RankPart(parts, self._rank, self._ranks, self._background)
        rest = ([(k, float(v)) for k, v in (metrics or {}).items()], extra)
        if not self._background:
            return self._write(int(step), mine, rest)

        def write() -> None:
            try:
                self._write(int(step), mine, rest)
            except Exception as error:
                self._error = error

        # A daemon, so that the program does not wait for it when other ranks have
        # ended.
        self._thread = threading.Thread(
            target=write, name="sluice checkpoint", daemon=True
        )
        self._thread.start()

    def _write(self, step: int, mine: RankPart, rest: tuple[Any, Any]) -> None:
        save: Any = None
        begun: list[Any] = [None]
        if self._rank == 0:
            try:
                save = _core.SharedSave(self.folder, step)
                begun = [save.path]
            except Exception as error:
                begun = [RankFailure(0, error)]
        broadcast_object_list(begun, 0, self._group)
        if isinstance(begun[0], RankFailure):
            raise begun[0].raised()
        done: list[Any] = [None] * self._ranks
        all_gather_object(done, self._shard(begun[0], mine), self._group)
        ended: list[Any] = [None]
        if self._rank == 0:
            try:
                self._commit(save, done, mine, rest)
            except Exception as error:
                ended = [RankFailure(0, error)]
        failed = [one for one in done if isinstance(one, RankFailure)]
        if failed:
            ended = [failed[0]]
        del save  # removes uncommitted files before other ranks are notified
        broadcast_object_list(ended, 0, self._group)
        if ended[0] is not None:
            raise ended[0].raised()

    def _shard(self, path: str, mine: RankPart) -> Any:
        """Writes this rank's part. Gives what the other ranks need to know about it."""
        try:
            files = _core.write_shard(path, self._rank, self._ranks, mine.snapshot)
        except FileNotFoundError as error:
            error.strerror = f"{error.strerror}; wanted a folder that all ranks see"
            return RankFailure(self._rank, error)
        except Exception as error:
            return RankFailure(self._rank, error)
        return {
            "files": files,
            "states": mine.states,
            "alone": mine.alone,
            "random": mine.random,
            "fingerprint": mine.fingerprint,
        }

    def _commit(
        self, save: Any, done: list[Any], mine: RankPart, rest: tuple[Any, Any]
    ) -> None:
        """Commits all written parts as a checkpoint, once."""
        if any(isinstance(one, RankFailure) for one in done):
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
        """Waits until everything is on disk on all ranks."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def close(self) -> None:
        """``wait``, followed by leaving the group for checkpoints: no more saving or
        loading."""
        try:
            self.wait()
        finally:
            destroy_process_group(self._group)

    # ---- Loading ----

    def steps(self) -> list[int]:
        """The steps of complete checkpoints, oldest first."""
        return self._files.steps()

    def best_step(self) -> int | None:
        """The step with the best metric ``keep_best``."""
        return self._files.best_step()

    def load(self, step: int | None = None) -> Checkpoint | None:
        """The checkpoint of a step, or the newest complete one, the same on all ranks;
        None if there is none."""
        self.wait()
        told: list[Any] = [None]
        found: Any = None
        if self._rank == 0:
            try:
                core = self._files._core
                found = core.load_latest() if step is None else core.load(step)
                told = [None if found is None else found.step]
            except Exception as error:
                told = [RankFailure(0, error)]
        broadcast_object_list(told, 0, self._group)
        if isinstance(told[0], RankFailure):
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
        """``load``, followed by restoring the states into these objects."""
        found = self.load(step)
        if found is not None:
            found.restore(random=random, **whole_parts(parts))
        return found


def _finish(manager: CheckpointManager | None) -> None:
    """Completes a write in progress before the group ends."""
    if manager is None:
        return
    try:
        manager.wait()
    except Exception as error:
        warnings.warn(str(error), RuntimeWarning, stacklevel=2)
