"""mnist_ranks.py with the Trainer, so that it survives its processes. Kill any of
them: all start again, go on from the last checkpoint, and end with the same network.

sluice launch --ranks 2 --restarts 9 python examples/python/mnist_survives.py
    [--dir FOLDER] [--epochs N] [--accident STEP]

With --accident, rank 1 kills itself after that step, the first time.
"""

from __future__ import annotations

import argparse
import os
import signal

import sluice as sl
import sluice.distributed as dist
from sluice import data, nn, optim, train


def digits(split: str) -> data.TensorDataset:
    images, labels = next(iter(data.mnist(split).batch(100_000)))
    return data.TensorDataset(images, labels)


def survive(folder: str, epochs: int, accident: int) -> None:
    dist.init_process_group()
    sl.manual_seed(0)
    net = nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10))
    )
    adam = optim.Adam(net.parameters(), lr=1e-3)
    rows = digits("train")
    loader = data.DataLoader(
        rows, batch_size=32, sampler=data.DistributedSampler(rows, seed=1)
    )
    images, labels = digits("test").tensors

    def evaluate() -> dict[str, float]:
        right = (net(images).argmax(dim=1) == labels).float().mean()
        return {"accuracy": float(right)}

    def after_step(step: int, loss: float) -> None:
        first = os.environ.get("SLUICE_RESTART_COUNT", "0") == "0"
        if step == accident and first and dist.get_rank() == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    trainer = train.Trainer(
        net,
        adam,
        lambda batch: nn.functional.cross_entropy(net(batch[0]), batch[1]),
        epochs=epochs,
        dir=folder,
        save_every=20,
        show_progress=False,
    )
    result = trainer.fit(loader, evaluate, after_step)
    if dist.get_rank() == 0:
        since = "" if result.resumed is None else f", gone on from {result.resumed}"
        print(f"{result.steps} steps{since}")
        print(f"{result.metrics['accuracy']:.2%} of unseen digits read right")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dir", default="runs/survives")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--accident", type=int, default=0)
    given = parser.parse_args()
    survive(given.dir, given.epochs, given.accident)
