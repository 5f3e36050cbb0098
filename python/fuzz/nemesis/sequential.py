"""The sequential model: what two ranks do, by one process without any collective.

It computes the gradient of each rank's batch in turn, with that rank's random numbers,
and makes one step with their average. Of two numbers the sum has no order, so the bits
are those of two ranks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import sluice as sl
from sluice import nn

from .model import Setup, digest

__all__ = ["sequential"]

RANKS = 2


class _Plain(nn.Module):
    """Names as those of DistributedDataParallel."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        return self.module(x)


def _batches(loader: Any) -> Any:
    """Pass after pass."""
    while True:
        yield from loader


def sequential(steps: int) -> list[list[dict[str, Any]]]:
    """The history that two ranks must have, but for times and attempts."""
    setup = Setup(_Plain)
    params = list(setup.net.parameters())
    places, batches = [], []
    for rank in range(RANKS):
        setup.begin(rank)
        places.append(sl.get_rng_state())
        batches.append(_batches(setup.loader(rank, RANKS)))
    lines: list[list[dict[str, Any]]] = [[] for _ in range(RANKS)]
    for step in range(1, steps + 1):
        gradients, losses, seen = [], [], []
        for rank in range(RANKS):
            batch = next(batches[rank])
            seen.append([int(i) for i in batch[2].numpy()])
            sl.set_rng_state(places[rank])
            setup.adam.zero_grad()
            loss = setup.loss(batch)
            losses.append(float(loss))
            loss.backward()
            gradients.append([np.asarray(p.grad).copy() for p in params])
            places[rank] = sl.get_rng_state()
        with sl.no_grad():
            for i, p in enumerate(params):
                mean = (gradients[0][i] + gradients[1][i]) / np.float32(2)
                p.grad.copy_(sl.tensor(mean))
        setup.adam.step()
        setup.rate.step()
        for rank in range(RANKS):
            sl.set_rng_state(places[rank])
            line = {"step": step, "digest": digest(setup.net, setup.adam)}
            line |= {"samples": seen[rank], "loss": (losses[0] + losses[1]) / 2}
            lines[rank].append(line)
    return lines
