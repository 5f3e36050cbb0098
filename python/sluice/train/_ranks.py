"""Joint decisions of the ranks of a training run. A single process is one rank."""

from __future__ import annotations

import signal
import zlib
from collections.abc import Mapping
from typing import Any

from .. import _core

__all__ = ["Ranks"]


class Ranks:
    """The process group, if there are several ranks.

    All ranks take the same number of batches and stop after the same step. They agree
    by one small all-reduce per step, which overlaps with the gradient computation.
    """

    def __init__(self) -> None:
        self.rank, self.size = 0, 1
        self._work: Any = None
        self._mine: list[float] = []
        if _core.dist_is_initialized("world"):
            self.rank = _core.dist_rank("world")
            self.size = _core.dist_world_size("world")
        self.stop = 0  # the signal that any rank caught

    def begin(self, loss: float, caught: int) -> None:
        """Reports this rank's loss of a step, and whether it was told to stop."""
        terminated = float(caught == signal.SIGTERM)
        self._mine = [loss, terminated, float(caught != 0), 0.0]
        if self.size > 1:
            self._send()

    def end(self, caught: int) -> float:
        """The mean loss of all ranks. Sets ``stop`` on all ranks or on none."""
        if self.size == 1:
            self.stop = caught
            return self._mine[0]
        loss, terminated, told, ended = self._received()
        if ended:
            self._refuse(int(ended), "have no more batches in this pass")
        if told:
            self.stop = int(signal.SIGTERM if terminated else signal.SIGINT)
        return loss / self.size

    def end_pass(self) -> None:
        """Checks that no other rank has more batches in this pass."""
        if self.size == 1:
            return
        self._mine = [0.0, 0.0, 0.0, 1.0]
        self._send()
        ended = int(self._received()[3])
        if ended != self.size:
            self._refuse(self.size - ended, "have more batches in this pass")

    def _refuse(self, how_many: int, what: str) -> None:
        raise ValueError(
            f"Trainer: {how_many} of {self.size} ranks {what} when rank {self.rank} "
            "has not: wanted as many on every rank, as DistributedSampler gives, or "
            "Pipeline.take() after shard()"
        )

    def _send(self) -> None:
        import numpy as np

        self._sum = _core.tensor(np.array(self._mine, dtype=np.float64))
        self._work = _core.dist_all_reduce(self._sum, "sum", "world", True)

    def _received(self) -> list[float]:
        self._work.wait()
        return [float(v) for v in self._sum.numpy()]

    def give_up(self, error: BaseException) -> None:
        """Ends the program without the other ranks. It does not wait for collective
        work in progress, such as a checkpoint, because a lost rank never joins it."""
        if self.size > 1:
            from ..distributed._group import abort_all

            abort_all(error)

    def any(self, wish: bool) -> bool:
        """Whether the flag is set on any rank."""
        if self.size == 1:
            return wish
        self._mine = [float(wish), 0.0, 0.0, 0.0]
        self._send()
        return self._received()[0] > 0

    def mean(self, metrics: Mapping[str, float]) -> dict[str, float]:
        """The means over all ranks, which must have the same names."""
        if self.size == 1:
            return dict(metrics)
        import numpy as np

        names = sorted(metrics)
        # A hash of the names. It equals its mean only if all ranks have the same names.
        which = float(zlib.crc32("\n".join(names).encode()))
        mine = np.array([*(metrics[n] for n in names), which], dtype=np.float64)
        total = _core.tensor(mine)
        _core.dist_all_reduce(total, "avg", "world", False)
        *means, mean = (float(v) for v in total.numpy())
        if mean != which:
            raise ValueError(
                f"Trainer: evaluate() gave {', '.join(names)} on rank {self.rank} and "
                "others on another rank; wanted metrics of the same names on every rank"
            )
        values = dict(zip(names, means))
        return {name: values[name] for name in metrics}
