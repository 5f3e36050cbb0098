"""A scheme of one's own, made of collectives: every rank trains alone on its own
digits, and now and then all of them go on from the average of their networks.

sluice launch --ranks 2 python examples/python/local_sgd.py [--alone STEPS]
"""

from __future__ import annotations

import argparse

import sluice as sl
import sluice.distributed as dist
from sluice import data, nn, optim


def average(net: nn.Module) -> None:
    """Every parameter becomes the average of all ranks' ones."""
    works = [
        dist.all_reduce(p, dist.ReduceOp.AVG, async_op=True) for p in net.parameters()
    ]
    for work in works:
        if work is not None:
            work.wait()


def accuracy(net: nn.Module) -> float:
    images, labels = next(iter(data.mnist("test").batch(2000)))
    with sl.no_grad():
        guesses = net(images).argmax(dim=1)
    return float((guesses == labels).float().mean())


def train_apart(alone: int) -> None:
    dist.init_process_group()
    sl.manual_seed(0)  # all begin with the same network
    net = nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10))
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    train = data.mnist("train").shuffle(8000, seed=0)
    train = train.shard(dist.get_rank(), dist.get_world_size()).batch(32)

    @sl.function
    def step(images: sl.Tensor, labels: sl.Tensor) -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(images), labels).backward()
        optimizer.step()

    for i, (images, labels) in enumerate(train, 1):
        step(images, labels)
        if i % alone == 0:
            average(net)
    average(net)
    print(f"{accuracy(net):.1%} of unseen digits read right")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alone", type=int, default=8)
    train_apart(parser.parse_args().alone)
