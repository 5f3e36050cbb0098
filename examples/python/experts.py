"""A mixture of experts: each example runs through its own expert, and no other.

vmap of a switch gathers the examples of each branch, runs the branch on them
alone, and puts the results back. Gradients reach only the experts that ran.

python examples/python/experts.py [--steps N]
"""

from __future__ import annotations

import argparse

import sluice as sl
from sluice import nn, optim

EXPERTS = 4


class Mixture(nn.Module):
    """The gate names an expert for every example."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.gate = nn.Linear(inputs, EXPERTS)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(inputs, 16), nn.Tanh(), nn.Linear(16, outputs))
            for _ in range(EXPERTS))

    def forward(self, x: sl.Tensor) -> tuple[sl.Tensor, sl.Tensor]:
        chances = self.gate(x).softmax(dim=-1)
        chosen = chances.argmax(dim=-1)

        def one(row: sl.Tensor, expert: sl.Tensor) -> sl.Tensor:
            result: sl.Tensor = sl.switch(expert, list(self.experts), row)
            return result

        weight = chances.gather(1, chosen.unsqueeze(1))
        return sl.vmap(one)(x, chosen) * weight, chosen


def target(x: sl.Tensor) -> sl.Tensor:
    """Something else in each quarter of the plane."""
    a, b = x[:, :1], x[:, 1:]
    y: sl.Tensor = sl.where(a > 0, sl.where(b > 0, a * b, sl.sin(3 * a)),
                            sl.where(b > 0, a - b, sl.cos(3 * b)))
    return y


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    steps = parser.parse_args().steps

    sl.manual_seed(4)
    net = Mixture(2, 1)
    optimizer = optim.Adam(net.parameters(), lr=1e-2)

    @sl.function
    def step(x: sl.Tensor) -> tuple[sl.Tensor, sl.Tensor]:
        y, chosen = net(x)
        loss = ((y - target(x)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss, chosen

    for i in range(1, steps + 1):
        loss, chosen = step(sl.rand(128, 2) * 2 - 1)
        if i == 1 or i % 100 == 0:
            shares = [(chosen == e).float().mean().item() for e in range(EXPERTS)]
            print(f"step {i}: loss {loss.item():.3f}, the experts' shares "
                  + " ".join(f"{share:.0%}" for share in shares))


if __name__ == "__main__":
    main()
