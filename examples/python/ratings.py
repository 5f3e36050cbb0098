"""What people will like, from what they liked: a vector for each of many people and
things, learnt from few ratings. Gradients are rows of the tables: those of the people
and things of a batch, however large the tables are.

python examples/python/ratings.py [--epochs N]
"""

from __future__ import annotations

import argparse

import sluice as sl
from sluice import data, nn, optim

PEOPLE, THINGS, SIZE = 2000, 500, 8


class Tastes(nn.Module):
    """A rating is how far a person's and a thing's vectors agree."""

    def __init__(self) -> None:
        super().__init__()
        self.people = nn.Embedding(PEOPLE, SIZE, sparse=True)
        self.things = nn.Embedding(THINGS, SIZE, sparse=True)
        for table in (self.people, self.things):
            nn.init.normal_(table.weight, std=0.3)

    def forward(self, people: sl.Tensor, things: sl.Tensor) -> sl.Tensor:
        rating: sl.Tensor = (self.people(people) * self.things(things)).sum(dim=1)
        return rating


def made_up(count: int) -> tuple[sl.Tensor, sl.Tensor, sl.Tensor]:
    """Ratings by tastes that nobody knows."""
    of_people, of_things = sl.randn(PEOPLE, 2), sl.randn(THINGS, 2)
    people = sl.randint(0, PEOPLE, (count,))
    things = sl.randint(0, THINGS, (count,))
    return people, things, (of_people[people] * of_things[things]).sum(dim=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=6)
    epochs = parser.parse_args().epochs

    sl.manual_seed(2)
    people, things, ratings = made_up(50_000)
    train = data.from_tensors(people[2000:], things[2000:], ratings[2000:])
    train = train.shuffle(48_000, seed=0).batch(256)
    net = Tastes()
    optimizer = optim.SGD(net.parameters(), lr=6.0)

    for epoch in range(1, epochs + 1):
        for some, liked, wanted in train:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(some, liked), wanted).backward()
            optimizer.step()
        with sl.no_grad():
            error = nn.functional.mse_loss(net(people[:2000], things[:2000]),
                                           ratings[:2000]).item()
        print(f"epoch {epoch}: squared error {error:.3f} for unseen ratings")


if __name__ == "__main__":
    main()
