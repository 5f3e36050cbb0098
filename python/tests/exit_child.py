"""Works on daemon threads, and ends meanwhile with the code 7: one of KINDS,
which test_exit.py runs one after the other."""

import sys
import threading
import time

import numpy as np

import sluice as sl
from sluice import data

a = sl.rand(64, 64)
feed = np.ones((64, 64), np.float32)


def ops():
    return lambda: (a @ a).sum()


def trees():
    return lambda: sl.tree.map(lambda x: x + 1, [a, (a, {"k": a})])


def sessions():
    with sl.Graph() as graph:
        x = sl.placeholder(sl.float32, (None, 64))
        y = (x @ x).sum()
    session = sl.Session(graph)
    return lambda: session.run(y, {x: feed})


def sessions_that_wait():
    with sl.Graph() as graph:
        queue = sl.FIFOQueue(2, [sl.float32])
        got = queue.dequeue()
    session = sl.Session(graph)
    return lambda: session.run(got)


def graphs():
    def work():
        with sl.Graph() as graph:
            x = sl.placeholder(sl.float32, (None,))
            y = x
            for _ in range(50):
                y = y * 2.0
        sl.Session(graph).run(y, {x: np.ones(3, np.float32)})

    return work


def functions():
    net = sl.nn.Sequential(sl.nn.Linear(64, 64), sl.nn.ReLU(), sl.nn.Linear(64, 9))
    step = sl.function(lambda x: net(x).sum())
    return lambda: step(a)


def tracing():
    net = sl.nn.Linear(64, 64)
    return lambda: sl.function(lambda x: net(x).sum())(a)


def backward():
    def work():
        w = sl.rand(64, 64, requires_grad=True)
        (w @ a).sum().backward()

    return work


def hooks():
    def work():
        w = sl.rand(8, 8, requires_grad=True)
        h = w * 2.0
        h.register_hook(lambda g: g * sum(range(50)))
        h.sum().backward()

    return work


def transforms():
    def work():
        sl.grad(lambda x: (x * x).sum())(a)
        sl.vmap(lambda x: (x * 2).sum())(a)

    return work


def loops():
    def work():
        sl.while_loop(lambda i, y: i < 20, lambda i, y: (i + 1, y * 1.01), (0, a))

    return work


def slow_python():
    """Python that C++ called and that waits, for longer than the process."""

    def body(x):
        time.sleep(0.001)
        threading.Event().wait(0.001)
        return (x * x).sum()

    return lambda: sl.grad(body)(a)


def training():
    def work():
        net = sl.nn.Linear(64, 8)
        optimizer = sl.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(a).sum().backward()
            optimizer.step()

    return work


def pipelines():
    def work():
        for _ in data.range(200).map(lambda x: x * 2).batch(10).prefetch(4):
            pass

    return work


class Squares(data.Dataset):
    def __len__(self):
        return 500

    def __getitem__(self, i):
        return sl.full((4,), float(i * i))


def loaders():
    def work():
        for _ in data.DataLoader(Squares(), 4, num_workers=2):
            pass

    return work


kept = []


def left_open():
    """Threads of pipelines that nobody asks any more, still filling."""

    def slowly(x):
        threading.Event().wait(0.0005)
        return x + 1

    def work():
        opened = iter(data.DataLoader(Squares(), 4, num_workers=2))
        next(opened)
        more = data.range(10**9).map(slowly, threads=2).prefetch(10**6).iterator()
        next(more)
        kept.append((opened, more))
        if len(kept) > 3:
            time.sleep(1000)

    return work


KINDS = [
    "ops", "trees", "sessions", "sessions_that_wait", "graphs", "functions",
    "tracing", "backward", "hooks", "transforms", "loops", "slow_python", "training",
    "pipelines", "loaders", "left_open",
]  # fmt: skip


def main(kind):
    work = globals()[kind]()

    def run():
        while True:
            work()

    for _ in range(3):
        threading.Thread(target=run, daemon=True).start()
    time.sleep(0.03)
    print("fine", flush=True)
    sys.exit(7)


if __name__ == "__main__":
    main(sys.argv[1])
