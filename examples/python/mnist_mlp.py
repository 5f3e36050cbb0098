"""A network of two layers reads handwritten digits: the first program to write.

python examples/python/mnist_mlp.py [--epochs N]
"""

from __future__ import annotations

import argparse

import sluice as sl
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


def accuracy(net: Net, images: sl.Tensor, labels: sl.Tensor) -> float:
    with sl.no_grad():
        guesses = net(images).argmax(dim=1)
    return float((guesses == labels).float().mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    epochs = parser.parse_args().epochs

    sl.manual_seed(0)
    train = data.mnist("train").shuffle(8000, seed=0).batch(64)
    net = Net()
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
            loss = step(images, labels)
        print(f"epoch {epoch}: loss of the last batch {loss.item():.2f}, "
              f"{accuracy(net, *unseen):.1%} of unseen digits read right")


if __name__ == "__main__":
    main()
