"""mnist_mlp.py on several processes: three lines more, each marked. Every rank reads
its part of each batch of 64, and all of them make the step that one process would.

sluice launch --ranks 2 python examples/python/mnist_ranks.py [--epochs N]
"""

from __future__ import annotations

import argparse

import sluice as sl
import sluice.distributed as dist
from sluice import data, nn, optim


class Net(nn.Module):
    """784 pixels, 100 hidden units, 10 digits."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(784, 100)
        self.fc2 = nn.Linear(100, 10)

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        scores: sl.Tensor = self.fc2(sl.relu(self.fc1(x)))
        return scores


def accuracy(net: nn.Module, images: sl.Tensor, labels: sl.Tensor) -> float:
    with sl.no_grad():
        guesses = net(images).argmax(dim=1)
    return float((guesses == labels).float().mean())


def train_ranks(epochs: int) -> None:
    dist.init_process_group()  # 1
    ranks = dist.get_world_size()
    sl.manual_seed(0)
    train = data.mnist("train").shuffle(8000, seed=0)
    train = train.shard(dist.get_rank(), ranks).batch(64 // ranks)  # 2
    net = nn.parallel.DistributedDataParallel(Net())  # 3
    optimizer = optim.Adam(net.parameters(), lr=1e-3)

    @sl.function
    def step(images: sl.Tensor, labels: sl.Tensor) -> sl.Tensor:
        loss = nn.functional.cross_entropy(net(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    unseen = next(iter(data.mnist("test").batch(2000)))
    for epoch in range(1, epochs + 1):
        for images, labels in train:
            step(images, labels)
        share = accuracy(net, *unseen)
        print(f"epoch {epoch}: {share:.1%} of unseen digits read right")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    train_ranks(parser.parse_args().epochs)
