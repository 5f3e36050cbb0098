"""The job: one rank of a small training run, which writes down what it does.

    sluice launch --ranks N --restarts K python -m nemesis.job FOLDER HISTORY STEPS
        SAVE_EVERY

HISTORY.rankR.jsonl gets a line for each step: attempt, step, a digest of all that a
next step depends on, the samples, and when it ended (the machine's clock).
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time

import sluice.distributed as dist
from sluice import nn, train

from .model import Setup, digest


def main(folder: str, history: str, steps: int, save_every: int) -> None:
    dist.init_process_group()
    rank, ranks = dist.get_rank(), dist.get_world_size()
    attempt = int(os.environ["SLUICE_RESTART_COUNT"])
    attempt += 1000 * int(os.environ["NEMESIS_LAUNCH"])
    file = os.open(f"{history}.rank{rank}.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    setup = Setup(nn.parallel.DistributedDataParallel)
    setup.begin(rank)
    seen: list[int] = []

    def loss(batch):
        seen[:] = [int(i) for i in batch[2].numpy()]
        return setup.loss(batch)

    def after_step(step, value):
        line = {
            "attempt": attempt,
            "step": step,
            "digest": digest(setup.net, setup.adam),
            "samples": seen,
            "loss": value,
            "time": time.monotonic(),
        }
        os.write(file, (json.dumps(line) + "\n").encode())

    trainer = train.Trainer(
        setup.net, setup.adam, loss, epochs=10**6, max_steps=steps, schedule=setup.rate,
        dir=folder, save_every=save_every, on_save_error="warn", show_progress=False,
        events=False,
    )  # fmt: skip
    try:
        trainer.fit(setup.loader(rank, ranks), after_step=after_step)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        # The last checkpoint has no space: another time it will.
        raise SystemExit(75) from None
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
