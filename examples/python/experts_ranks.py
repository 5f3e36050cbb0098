"""A mixture of experts that are on several ranks: rows travel to the expert that the
gate names for them, and their results come back; so do gradients.

sluice launch --ranks 2 python examples/python/experts_ranks.py [--steps N]
"""

from __future__ import annotations

import argparse

import sluice as sl
import sluice.distributed as dist
from sluice import nn, optim
from sluice.distributed.nn import MixtureOfExperts

HERE = 2  # experts of each rank


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2, 16)
        gate = nn.Linear(16, HERE * dist.get_world_size())
        self.mixture = MixtureOfExperts(gate, [
            nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 16))
            for _ in range(HERE)])
        self.last = nn.Linear(16, 1)

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        h = sl.tanh(self.first(x))
        y: sl.Tensor = self.last(h + self.mixture(h))
        return y


def target(x: sl.Tensor) -> sl.Tensor:
    """Something else in each quarter of the plane."""
    a, b = x[:, :1], x[:, 1:]
    y: sl.Tensor = sl.where(a > 0, sl.where(b > 0, a * b, sl.sin(3 * a)),
                            sl.where(b > 0, a - b, sl.cos(3 * b)))
    return y


def train_experts() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    steps = parser.parse_args().steps

    dist.init_process_group()
    sl.manual_seed(dist.get_rank())  # experts differ; the rest becomes rank 0's
    net = nn.parallel.DistributedDataParallel(Net(), find_unused_parameters=True)
    optimizer = optim.Adam(net.parameters(), lr=1e-2)

    @sl.function
    def step(x: sl.Tensor) -> sl.Tensor:
        loss = ((net(x) - target(x)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    for i in range(1, steps + 1):
        loss = step(sl.rand(64, 2) * 2 - 1)
        if dist.get_rank() == 0 and (i == 1 or i % 50 == 0):
            print(f"step {i}: loss {loss.item():.4f}")


if __name__ == "__main__":
    train_experts()
