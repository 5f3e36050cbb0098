"""A network learns the law of a motion; the solver chooses its own steps.

The adaptive solver is a loop whose number of steps depends on the motion. The
gradient goes through it, whatever it did.

python examples/python/neural_ode.py [--steps N]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import sluice as sl
from sluice import nn, optim

Motion = Callable[[sl.Tensor], sl.Tensor]
APART = 0.2  # time between two points of a path
TOLERANCE = 1e-3


def solve(moves: Motion, y: sl.Tensor, end: float) -> tuple[sl.Tensor, sl.Tensor]:
    """y after time `end`, and the number of tries: Heun with Euler inside."""

    def unfinished(t: sl.Tensor, h: sl.Tensor, tries: sl.Tensor,
                   y: sl.Tensor) -> sl.Tensor:
        return t < end - 1e-6

    def advance(t: sl.Tensor, h: sl.Tensor, tries: sl.Tensor,
                y: sl.Tensor) -> tuple[sl.Tensor, ...]:
        h = sl.minimum(h, end - t)
        first = moves(y)
        second = moves(y + h * first)
        error = (0.5 * h * (second - first)).abs().max().detach()
        good = error <= TOLERANCE

        def accept() -> tuple[sl.Tensor, sl.Tensor]:
            return t + h, y + 0.5 * h * (first + second)

        def refuse() -> tuple[sl.Tensor, sl.Tensor]:
            return t, y

        t, y = sl.cond(good, accept, refuse)
        grow = sl.clip(0.9 * sl.sqrt(TOLERANCE / (error + 1e-12)), 0.2, 4.0)
        return t, h * grow, tries + 1, y

    _, _, tries, y = sl.while_loop(unfinished, advance, 0.0, end, 0, y)
    return y, tries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=60)
    steps = parser.parse_args().steps

    sl.manual_seed(2)
    law = sl.tensor([[-0.1, 2.0], [-2.0, -0.1]])  # a spiral

    def spiral(y: sl.Tensor) -> sl.Tensor:
        return (y ** 3) @ law

    net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
    optimizer = optim.Adam(net.parameters(), lr=1e-2)

    def learned(y: sl.Tensor) -> sl.Tensor:
        move: sl.Tensor = net(y ** 3)
        return move

    @sl.function
    def step(here: sl.Tensor, there: sl.Tensor) -> tuple[sl.Tensor, sl.Tensor]:
        guess, tries = solve(learned, here, APART)
        loss = ((guess - there) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss, tries

    for i in range(1, steps + 1):
        here = sl.rand(64, 2) * 3 - 1.5
        there, _ = solve(spiral, here, APART)
        loss, tries = step(here, there)
        if i == 1 or i % 20 == 0:
            print(f"step {i}: loss {loss.item():.4f}, "
                  f"{tries.item()} steps of the solver")


if __name__ == "__main__":
    main()
