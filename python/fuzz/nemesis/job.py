"""The job: one rank of a small training run, which writes down what it does.

    sluice launch --ranks N --restarts K python job.py FOLDER HISTORY STEPS SAVE_EVERY

HISTORY.rankR.jsonl gets a line for each step: attempt, step, a digest of all that a
next step depends on, the samples, and when it ended (the machine's clock).
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
import time

import numpy as np

import sluice as sl
import sluice.distributed as dist
from sluice import data, nn, optim, train

ROWS, BATCH = 240, 8


def digest(net: nn.Module, adam: optim.Optimizer) -> str:
    """Of parameters, moments and the place in the random numbers."""
    found = hashlib.sha256()
    for state in (net.state_dict(), adam.state_dict()):
        for name, value in state.items():
            found.update(name.encode())
            bits = np.asarray(value.detach()) if isinstance(value, sl.Tensor) else value
            found.update(bits.tobytes() if hasattr(bits, "tobytes") else str(bits).encode())
    found.update(np.asarray(sl.get_rng_state()).tobytes())
    return found.hexdigest()[:32]


def main(folder: str, history: str, steps: int, save_every: int) -> None:
    dist.init_process_group()
    rank, ranks = dist.get_rank(), dist.get_world_size()
    attempt = int(os.environ["SLUICE_RESTART_COUNT"])
    file = os.open(f"{history}.rank{rank}.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    sl.manual_seed(1)
    net = nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Linear(8, 24), nn.Tanh(), nn.Dropout(0.2), nn.Linear(24, 3))
    )
    adam = optim.Adam(net.parameters(), lr=0.01)
    rate = optim.lr_scheduler.ExponentialLR(adam, 0.999)
    sl.manual_seed(100 + rank)  # other dropouts on every rank
    random = np.random.default_rng(2)
    x = random.normal(size=(ROWS, 8)).astype(np.float32)
    y = random.integers(0, 3, size=ROWS)
    rows = data.TensorDataset(x, y, np.arange(ROWS))
    sampler = data.DistributedSampler(rows, ranks, rank, seed=3)
    loader = data.DataLoader(rows, batch_size=BATCH, sampler=sampler)
    seen: list[int] = []

    def loss(batch):
        seen[:] = [int(i) for i in batch[2].numpy()]
        return nn.functional.cross_entropy(net(batch[0]), batch[1])

    def after_step(step, value):
        line = {
            "attempt": attempt,
            "step": step,
            "digest": digest(net, adam),
            "samples": seen,
            "loss": value,
            "time": time.monotonic(),
        }
        os.write(file, (json.dumps(line) + "\n").encode())

    trainer = train.Trainer(
        net, adam, loss, epochs=10**6, max_steps=steps, schedule=rate, dir=folder,
        save_every=save_every, on_save_error="warn", show_progress=False, events=False,
    )  # fmt: skip
    try:
        trainer.fit(loader, after_step=after_step)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        # The last checkpoint has no space: another time it will.
        raise SystemExit(75) from None
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
