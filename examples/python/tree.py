"""A network that follows the shape of its input: formulas as trees.

The same two layers are applied as often and in the order that each formula says,
by plain recursion; backward() follows the same way back.

python examples/python/tree.py [--steps N]
"""

from __future__ import annotations

import argparse
import random
from typing import Union

import sluice as sl
from sluice import nn, optim

# True, False, ("not", a), ("and", a, b) or ("or", a, b).
Formula = Union[bool, tuple[str, "Formula"], tuple[str, "Formula", "Formula"]]


def some_formula(dice: random.Random, depth: int) -> Formula:
    if depth == 0:
        return dice.random() < 0.5
    left = some_formula(dice, dice.randrange(depth))
    if dice.random() < 0.25:
        return ("not", left)
    return (dice.choice(["and", "or"]), left, some_formula(dice, depth - 1))


def truth(formula: Formula) -> bool:
    if isinstance(formula, bool):
        return formula
    inside = [truth(part) for part in formula[1:]]
    return {"not": not inside[0], "and": all(inside), "or": any(inside)}[formula[0]]


class Thinker(nn.Module):
    """Every formula becomes 16 numbers, whatever its size."""

    def __init__(self) -> None:
        super().__init__()
        self.leaf = nn.Embedding(2, 16)
        self.layers = nn.ModuleDict({
            "not": nn.Linear(16, 16), "and": nn.Linear(32, 16),
            "or": nn.Linear(32, 16)})
        self.out = nn.Linear(16, 1)

    def think(self, formula: Formula) -> sl.Tensor:
        if isinstance(formula, bool):
            leaf: sl.Tensor = self.leaf(sl.tensor(int(formula)))
            return leaf
        parts = sl.concat([self.think(part) for part in formula[1:]])
        return sl.tanh(self.layers[formula[0]](parts))

    def forward(self, formula: Formula) -> sl.Tensor:
        score: sl.Tensor = self.out(self.think(formula))[0]
        return score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=150)
    steps = parser.parse_args().steps

    sl.manual_seed(5)
    dice = random.Random(5)
    net = Thinker()
    optimizer = optim.Adam(net.parameters(), lr=1e-2)
    for i in range(1, steps + 1):
        batch = [some_formula(dice, dice.randrange(1, 4)) for _ in range(16)]
        said = sl.stack([net(formula) for formula in batch])
        wanted = sl.tensor([float(truth(formula)) for formula in batch])
        loss = nn.functional.binary_cross_entropy_with_logits(said, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i == 1 or i % 50 == 0:
            print(f"step {i}: loss {loss.item():.3f}")

    with sl.no_grad():
        deeper = [some_formula(dice, 6) for _ in range(200)]
        right = sum((net(f).item() > 0) == truth(f) for f in deeper)
    print(f"{right / 2:.0f}% right on formulas deeper than all it has seen")


if __name__ == "__main__":
    main()
