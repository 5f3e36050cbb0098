"""Checkpoints: everything a run needs to resume as if it had never stopped.

Each is a folder of safetensors files and one manifest.json. C++ code writes it under a
temporary name, syncs, checks and renames it. Nothing in it can be executed. Objects
with ``state_dict()`` are saved by name: tensors as safetensors, plain numbers, lists
and text in the manifest. The random state is saved too.
"""

from __future__ import annotations

import contextlib
import json
import warnings
import weakref
from collections.abc import Mapping
from typing import Any

from .. import _core
from .._closed import closed
from .._recorded import refuse_files
from ._rank_states import RankStates

__all__ = ["Checkpoint", "CheckpointManager", "load_checkpoint", "save_checkpoint"]


def split_state(name: str, part: Any, state: Any) -> tuple[dict[str, Any], Any]:
    """The tensors of an object's state, and the rest of the state."""
    if not isinstance(state, Mapping):
        raise TypeError(
            f"checkpoint: {name} is a {type(part).__name__}; wanted what has "
            "state_dict(), or a dict"
        )
    tensors = {k: v for k, v in state.items() if isinstance(v, _core.Tensor)}
    return tensors, {k: v for k, v in state.items() if k not in tensors}


def as_json(value: Any) -> str:
    """The value as JSON for the manifest."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "checkpoint: state that is neither tensors nor JSON (numbers, text, "
            f"lists, dicts): {error}"
        ) from None


def _snapshot(
    parts: Mapping[str, Any], metrics: Mapping[str, Any] | None, extra: Any
) -> Any:
    snapshot = _core.Snapshot()
    states: dict[str, Any] = {}
    for name, part in parts.items():
        if part is None:
            continue
        state = part.state_dict() if hasattr(part, "state_dict") else part
        tensors, rest = split_state(name, part, state)
        snapshot.set(name, tensors)
        states[name] = rest
    snapshot.extra = as_json({"states": states, "extra": extra})
    snapshot.metrics = [(k, float(v)) for k, v in (metrics or {}).items()]
    return snapshot


@closed
class Checkpoint:
    """What was saved: ``step``, ``metrics``, ``extra``, and a state dict for
    each part by name, ``checkpoint["model"]``. One of several ranks is read by
    any number of them (sluice.distributed.checkpoint)."""

    def __init__(self, core: Any, rank: int = 0, ranks: int = 1) -> None:
        self._core = core
        self.step: int = core.step
        self.metrics: dict[str, float] = core.metrics
        read = json.loads(core.extra) or {}
        self._states = RankStates(read, rank, ranks)
        self._ranks = ranks
        self.extra: Any = read.get("extra")

    def parts(self) -> list[str]:
        """The names of the saved parts."""
        return list(self._core.sections())

    def __contains__(self, name: str) -> bool:
        return name in self.parts()

    def __getitem__(self, name: str) -> dict[str, Any]:
        refuse_files("a Checkpoint")
        if name not in self:
            raise KeyError(
                f"the checkpoint of step {self.step} has no {name!r}; it has "
                + ", ".join(self.parts())
            )
        tensors = self._states.of_this_rank(name, self._core.get(name))
        return {**tensors, **self._states.mine(name)}

    def restore(self, *, random: bool = True, **parts: Any) -> None:
        """Loads the states into modules, optimizers, loaders and schedulers, and
        restores the random state."""
        refuse_files("Checkpoint.restore()")
        states = {
            name: self[name] for name, part in parts.items() if part is not None
        }
        for name, state in states.items():
            if self._states.as_many:
                parts[name].load_state_dict(state)
            else:
                self._divide_again(name, parts[name], state)
        if random:
            mine = self._states.random()
            if mine is not None:
                self._core.random = mine
            self._core.restore_random()

    def _divide_again(self, name: str, part: Any, state: Any) -> None:
        """Divides a part among the ranks again, such as the data, because their number
        has changed."""
        saved = self._states.of_all(name)
        if self._states.has_alone(name):
            raise ValueError(
                f"checkpoint: {name} has tensors that were others on each of "
                f"{len(saved)} ranks, and there are {self._ranks}; wanted as many"
            )
        if hasattr(part, "load_rank_states"):
            part.load_rank_states(saved, self._ranks)
        elif not self._states.differs(name):
            part.load_state_dict(state)
        else:
            raise ValueError(
                f"checkpoint: {name} had another state on each of {len(saved)} ranks, "
                f"and there are {self._ranks}; wanted as many, or a "
                f"load_rank_states() of {type(part).__name__}"
            )


def _say(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)


def _finish(core: Any) -> None:
    """Waits for writes in progress. Nobody is left to receive their errors."""
    with contextlib.suppress(OSError):
        core.steps()


@closed
class CheckpointManager:
    """A folder in which a run leaves checkpoints, the newest of which is whole
    whatever happens.

    The last ``keep_last`` are kept (0: all), and the one with the best metric
    ``keep_best`` (the smallest, or with ``best="max"`` the largest). They are
    written in the ``background`` from a copy of the tensors. The next ``save`` or
    ``wait`` raises errors of that.
    """

    def __init__(
        self,
        folder: Any,
        keep_last: int = 3,
        keep_best: str = "",
        best: str = "min",
        background: bool = True,
    ) -> None:
        if best not in ("min", "max"):
            raise ValueError(f"best is {best!r}; wanted 'min' or 'max'")
        self._core = _core.CheckpointManager(
            folder, keep_last, keep_best, best == "max", background, _say
        )
        # A write in progress when the program ends is completed.
        core = self._core
        self._finish = weakref.finalize(self, _finish, core)

    @property
    def folder(self) -> str:
        """The folder of the checkpoints."""
        return str(self._core.folder)

    def save(
        self,
        step: int,
        *,
        metrics: Mapping[str, Any] | None = None,
        extra: Any = None,
        **parts: Any,
    ) -> None:
        """Saves objects with ``state_dict()`` by name: ``save(100, model=net,
        optimizer=adam, loader=loader)``. ``extra`` is any JSON value."""
        refuse_files("CheckpointManager.save()")
        self._core.save(step, _snapshot(parts, metrics, extra))

    def wait(self) -> None:
        """Waits until everything is on disk."""
        self._core.wait()

    def steps(self) -> list[int]:
        """The steps of complete checkpoints, oldest first."""
        refuse_files("CheckpointManager.steps()")
        return list(self._core.steps())

    def best_step(self) -> int | None:
        """The step with the best metric ``keep_best``."""
        refuse_files("CheckpointManager.best_step()")
        step: int | None = self._core.best_step()
        return step

    def load(self, step: int | None = None) -> Checkpoint | None:
        """The checkpoint of a step, or the newest complete one; None if there is
        none."""
        refuse_files("CheckpointManager.load()")
        if step is not None:
            return Checkpoint(self._core.load(step))
        found = self._core.load_latest()
        return None if found is None else Checkpoint(found)

    def restore(
        self, step: int | None = None, *, random: bool = True, **parts: Any
    ) -> Checkpoint | None:
        """``load``, followed by restoring the states into these objects."""
        found = self.load(step)
        if found is not None:
            found.restore(random=random, **parts)
        return found


def save_checkpoint(
    folder: Any,
    step: int = 0,
    *,
    metrics: Mapping[str, Any] | None = None,
    extra: Any = None,
    **parts: Any,
) -> None:
    """One checkpoint, on the disk when this returns; older ones stay."""
    refuse_files("save_checkpoint()")
    manager = CheckpointManager(folder, keep_last=0, background=False)
    manager.save(step, metrics=metrics, extra=extra, **parts)


def load_checkpoint(folder: Any, *, random: bool = True, **parts: Any) -> Checkpoint:
    """The newest whole checkpoint of a folder (or the one that folder is), its
    states loaded into these objects. FileNotFoundError when there is none."""
    refuse_files("load_checkpoint()")
    found = Checkpoint(_core.load_checkpoint(folder))
    if parts:
        found.restore(random=random, **parts)
    return found
