"""A scheme of one's own, made of graphs: elastic averaging.

Every worker trains a network of its own in its own task, and now and then pulls
it and the one in the middle, which a parameter task keeps, towards each other.
Nothing of it is in the library: variables in tasks, a subtraction, two changes.

python examples/python/elastic_averaging.py [--workers N] [--steps N]
"""

from __future__ import annotations

import argparse
import threading

import numpy as np

import sluice as sl
import sluice.distributed as dist
from sluice import data, optim

SIZES = (784, 100, 10)
PULL = 0.3  # of the difference
APART = 8  # steps between two pulls


def network(name: str) -> list[sl.Variable]:
    rng = np.random.default_rng(0)  # all begin alike
    made = []
    for i, (wide, out) in enumerate(zip(SIZES, SIZES[1:])):
        first = rng.normal(0, wide**-0.5, (wide, out)).astype(np.float32)
        made.append(sl.Variable(first, name=f"{name}/w{i}"))
        made.append(sl.Variable(np.zeros(out, np.float32), name=f"{name}/b{i}"))
    return made


def scores(net: list[sl.Variable], x: sl.Tensor) -> sl.Tensor:
    return sl.relu(x @ net[0] + net[1]) @ net[2] + net[3]


def pull(mine: list[sl.Variable], middle: list[sl.Variable]) -> list[sl.Operation]:
    """Each goes part of the way to the other, from where both are now."""
    changes = []
    for own, shared in zip(mine, middle):
        part = PULL * (own.read() - shared.read())
        changes += [own.assign_sub(part), shared.assign_add(part)]
    return changes


def train(workers: int, steps: int) -> float:
    digits = [
        iter(data.mnist("train").shuffle(8000, seed=k).shard(k, workers).batch(64))
        for k in range(workers)
    ]
    graph = sl.Graph()
    with sl.cluster.local(1 + workers) as cluster, graph.as_default():
        with dist.parameter_servers([cluster.task(0)]):
            middle = network("middle")
        x = sl.placeholder(sl.float32, [None, 784])
        y = sl.placeholder(sl.int64, [None])
        alone, together = [], []
        for k in range(workers):
            with sl.device(cluster.task(1 + k)):
                net = network(f"net{k}")
                loss = sl.nn.functional.cross_entropy(scores(net, x), y)
                alone.append(optim.SGD(lr=0.1).minimize(loss, net))
                together.append(pull(net, middle))
        guesses = scores(middle, x).argmax(dim=1)
        begin = sl.global_variables_initializer()
        session = sl.Session(graph, target=cluster.target())
        session.run(begin)

        def work(k: int) -> None:
            for i in range(steps):
                images, labels = next(digits[k])
                pixels = images.numpy().reshape(-1, 784)
                session.run(alone[k], {x: pixels, y: labels.numpy()})
                if (i + 1) % APART == 0:
                    session.run(together[k])

        threads = [threading.Thread(target=work, args=(k,)) for k in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        images, labels = next(iter(data.mnist("test").batch(2000)))
        read = session.run(guesses, {x: images.numpy().reshape(-1, 784)})
        session.close()
        return float((read.numpy() == labels.numpy()).mean())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=60)
    said = parser.parse_args()
    right = train(said.workers, said.steps)
    print(f"{right:.1%} of unseen digits read right")
