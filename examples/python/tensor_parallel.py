"""Layers that are cut apart: each rank has some columns of the first weight and the
same rows of the second, so that between the two nothing is sent, and after them one
sum over the ranks (Megatron's pair, Shoeybi et al. 2019). It is a program, not part of
the library: two functions with gradients of their own, made of all_reduce.

sluice launch --ranks 4 python examples/python/tensor_parallel.py [--steps N]
"""

from __future__ import annotations

import argparse
from typing import Any

import sluice as sl
import sluice.distributed as dist
import sluice.distributed.nn.functional as collectives
from sluice import nn, optim


class Copied(sl.autograd.Function):
    """All ranks have x already; each knows a part of its gradient."""

    @staticmethod
    def forward(ctx: Any, x: sl.Tensor) -> sl.Tensor:
        return x * 1

    @staticmethod
    def backward(ctx: Any, grad: sl.Tensor) -> sl.Tensor:
        return collectives.all_reduce(grad)


class Summed(sl.autograd.Function):
    """Each rank has a part of y; all know its gradient already."""

    @staticmethod
    def forward(ctx: Any, y: sl.Tensor) -> sl.Tensor:
        return collectives.all_reduce(y)

    @staticmethod
    def backward(ctx: Any, grad: sl.Tensor) -> sl.Tensor:
        return grad


class Pair(nn.Module):
    """Linear(size, hidden), tanh, Linear(hidden, size), of which this rank has its
    share of the hidden units."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        rank, ranks = dist.get_rank(), dist.get_world_size()
        # Every rank makes the whole, by the same seed, and keeps its part.
        first, second = nn.Linear(size, hidden), nn.Linear(hidden, size)
        mine = slice(rank * hidden // ranks, (rank + 1) * hidden // ranks)
        assert first.bias is not None
        with sl.no_grad():
            self.columns = nn.Parameter(first.weight[mine].clone())
            self.columns_bias = nn.Parameter(first.bias[mine].clone())
            self.rows = nn.Parameter(second.weight[:, mine].clone())
        self.bias = second.bias  # added once, after the sum

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        x = Copied.apply(x)
        h = sl.tanh(nn.functional.linear(x, self.columns, self.columns_bias))
        y: sl.Tensor = Summed.apply(nn.functional.linear(h, self.rows)) + self.bias
        return y


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 16)
        self.pairs = nn.ModuleList(Pair(16, 64) for _ in range(2))
        self.last = nn.Linear(16, 1)

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        x = self.first(x)
        for pair in self.pairs:
            x = x + pair(x)
        y: sl.Tensor = self.last(x)
        return y


def train_apart(steps: int) -> None:
    dist.init_process_group()
    sl.manual_seed(0)  # the same weights and the same data on all ranks
    net = Net()
    optimizer = optim.Adam(net.parameters(), lr=3e-3)

    @sl.function
    def step(x: sl.Tensor) -> sl.Tensor:
        wanted = sl.sin(3 * x).sum(dim=1, keepdim=True)
        loss = nn.functional.mse_loss(net(x), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    held = sum(p.numel() for p in net.parameters())
    for i in range(1, steps + 1):
        loss = step(sl.rand(64, 4))
        if dist.get_rank() == 0 and i % 20 == 0:
            print(f"step {i}: loss {loss.item():.6f} with {held} weights on each rank")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    train_apart(parser.parse_args().steps)
