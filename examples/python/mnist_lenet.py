"""LeNet-5 reads handwritten digits; its weights go to a file and come back.

python examples/python/mnist_lenet.py [--steps N]
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile

import sluice as sl
from sluice import data, nn, optim


def lenet() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(),
        nn.Linear(120, 84), nn.ReLU(),
        nn.Linear(84, 10),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=250)
    steps = parser.parse_args().steps

    sl.manual_seed(0)
    train = data.mnist("train", flat=False).shuffle(8000, seed=0).batch(64)
    net = lenet()
    optimizer = optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
    print(f"{sum(p.numel() for p in net.parameters())} weights")

    @sl.function
    def step(images: sl.Tensor, labels: sl.Tensor) -> sl.Tensor:
        loss = nn.functional.cross_entropy(net(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    for done, (images, labels) in enumerate(train.repeat().take(steps), 1):
        loss = step(images, labels)
        schedule.step()
        if done % 50 == 0:
            print(f"step {done}: loss {loss.item():.2f}")

    images, labels = next(iter(data.mnist("test", flat=False).batch(2000)))
    net.eval()
    with sl.no_grad():
        right = (net(images).argmax(dim=1) == labels).float().mean().item()
    print(f"{right:.1%} of unseen digits read right")

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "lenet.safetensors"
        sl.save(net.state_dict(), path)
        again = lenet()
        again.load_state_dict(sl.load(path))
        again.eval()
        with sl.no_grad():
            same = bool((again(images[:10]) == net(images[:10])).all())
    print(f"the network from the file says the same: {same}")


if __name__ == "__main__":
    main()
