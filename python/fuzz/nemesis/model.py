"""What is trained: a small network with dropout, its data, and what a step leaves."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

import sluice as sl
from sluice import data, nn, optim

__all__ = ["BATCH", "ROWS", "Setup", "digest"]

ROWS, BATCH = 240, 8


class Setup:
    """Network, optimizer and schedule, the same on every rank."""

    def __init__(self, wrap: Any) -> None:
        sl.manual_seed(1)
        self.net = wrap(
            nn.Sequential(nn.Linear(8, 24), nn.Tanh(), nn.Dropout(0.2), nn.Linear(24, 3))
        )
        self.adam = optim.Adam(self.net.parameters(), lr=0.01)
        self.rate = optim.lr_scheduler.ExponentialLR(self.adam, 0.999)

    def begin(self, rank: int) -> None:
        """Other dropouts on every rank."""
        sl.manual_seed(100 + rank)

    def loader(self, rank: int, ranks: int) -> data.DataLoader:
        """A rank's part of the data; every row has its number."""
        random = np.random.default_rng(2)
        x = random.normal(size=(ROWS, 8)).astype(np.float32)
        y = random.integers(0, 3, size=ROWS)
        rows = data.TensorDataset(x, y, np.arange(ROWS))
        sampler = data.DistributedSampler(rows, ranks, rank, seed=3)
        return data.DataLoader(rows, batch_size=BATCH, sampler=sampler)

    def loss(self, batch: Any) -> sl.Tensor:
        return nn.functional.cross_entropy(self.net(batch[0]), batch[1])


def digest(net: nn.Module, adam: optim.Optimizer) -> str:
    """Of parameters, moments and the place in the random numbers."""
    found = hashlib.sha256()
    for state in (net.state_dict(), adam.state_dict()):
        for name, value in state.items():
            found.update(name.encode())
            is_tensor = isinstance(value, sl.Tensor)
            bits = np.asarray(value.detach()).tobytes() if is_tensor else str(value).encode()
            found.update(bits)
    found.update(np.asarray(sl.get_rng_state()).tobytes())
    return found.hexdigest()[:32]
