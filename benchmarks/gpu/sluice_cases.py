"""Sluice's side: each case as a program would write it, captured."""

from __future__ import annotations

from typing import Any, Callable

import models
import sluice as sl
import sluice.nn.functional as F
from sluice import nn
from timing import first_seconds, host_seconds, run_cases, seconds, tell

wait = sl.cuda.synchronize


def train_step(net: Any, optimizer: Any, low: Any, *args: Any) -> Callable[[], Any]:
    """One captured step of training; the last argument is the labels."""
    net.cuda()
    steps = optimizer(net.parameters())

    @sl.function
    def step(*args: Any) -> Any:
        steps.zero_grad()
        if low is None:
            out = net(*args[:-1])
            loss = F.cross_entropy(out.reshape(-1, out.shape[-1]), args[-1])
        else:
            with sl.amp.autocast("cuda", dtype=low):
                out = net(*args[:-1])
                loss = F.cross_entropy(out.reshape(-1, out.shape[-1]), args[-1])
        loss.backward()
        steps.step()
        return loss

    return lambda: step(*args)


def measure(case: str, step: Callable[[], Any], budget: float = 2.0) -> None:
    tell(case, "sluice first step", first_seconds(step, wait))
    tell(case, "sluice", seconds(step, wait, budget))


def sgd(params: Any) -> Any:
    return sl.optim.SGD(params, lr=0.01, momentum=0.9)


def mlp() -> None:
    x, y = sl.randn(64, 784).cuda(), sl.randint(0, 10, (64,)).cuda()
    measure("mlp", train_step(models.mlp(nn), sgd, None, x, y))


def op() -> None:
    x = sl.randn(64, 64).cuda()
    y = x + x
    tell("op", "sluice", host_seconds(lambda: x + y, wait))


def loop() -> None:
    @sl.function
    def run(x: Any, limit: Any) -> Any:
        while x < limit:
            x = x + 1
        return x

    x, limit = sl.zeros(()).cuda(), sl.tensor(1000.0).cuda()
    tell("while", "sluice", seconds(lambda: run(x, limit), wait) / 1000)


def tanh_loop() -> None:
    sl.cuda.allow_tf32(True)

    @sl.function
    def run(x: Any, w: Any, count: Any) -> Any:
        i = sl.zeros_like(count)
        while i < count:
            x = (x @ w).tanh()
            i = i + 1
        return x

    x, w = sl.randn(64, 1024).cuda(), (sl.randn(1024, 1024) * 0.03).cuda()
    count = sl.tensor(1000).cuda()
    tell("tanh loop", "sluice", seconds(lambda: run(x, w, count), wait) / 1000)


def lstm() -> None:
    sl.cuda.allow_tf32(True)
    cell = nn.LSTMCell(512, 512).cuda()
    xs = sl.randn(100, 64, 512).cuda()
    steps = sgd(cell.parameters())

    @sl.function
    def step(xs: Any) -> Any:
        steps.zero_grad()
        h = sl.zeros(64, 512, device="cuda")
        c = sl.zeros(64, 512, device="cuda")
        for i in range(100):
            h, c = cell(xs[i], (h, c))
        loss = h.square().mean()
        loss.backward()
        steps.step()
        return loss

    measure("lstm", lambda: step(xs))


def images(name: str, make: Any, batch: int, low: Any) -> Callable[[], None]:
    def run() -> None:
        sl.cuda.allow_tf32(True)
        x = sl.randn(batch, 3, 224, 224).cuda()
        y = sl.randint(0, 1000, (batch,)).cuda()
        measure(name, train_step(make(nn), sgd, low, x, y))

    return run


def gpt2() -> None:
    sl.cuda.allow_tf32(True)
    tokens = sl.randint(0, 50257, (8, 1024)).cuda()
    at, next_words = sl.arange(1024).cuda(), sl.randint(0, 50257, (8 * 1024,)).cuda()

    def adam(params: Any) -> Any:
        return sl.optim.AdamW(params, lr=1e-4)

    net = models.gpt2(sl, nn, F)
    measure("gpt2 bf16", train_step(net, adam, sl.bfloat16, tokens, at, next_words))


def embedding() -> None:
    table = nn.Embedding(10_000_000, 64, sparse=True).cuda()
    steps = sl.optim.Adam(table.parameters(), lr=1e-3)  # of the rows looked up
    rows = sl.randint(0, 10_000_000, (4096,)).cuda()

    @sl.function
    def step(rows: Any) -> Any:
        steps.zero_grad()
        loss = table(rows).square().sum()
        loss.backward()
        steps.step()
        return loss

    tell("embedding", "sluice", seconds(lambda: step(rows), wait))


if __name__ == "__main__":
    run_cases({
        "mlp": mlp,
        "op": op,
        "while": loop,
        "tanh loop": tanh_loop,
        "lstm": lstm,
        "alexnet bf16": images("alexnet bf16", models.alexnet, 128, sl.bfloat16),
        "alexnet tf32": images("alexnet tf32", models.alexnet, 128, None),
        "vgg-a bf16": images("vgg-a bf16", models.vgg_a, 64, sl.bfloat16),
        "vgg-a tf32": images("vgg-a tf32", models.vgg_a, 64, None),
        "resnet50 bf16": images("resnet50 bf16", models.resnet50, 64, sl.bfloat16),
        "resnet50 tf32": images("resnet50 tf32", models.resnet50, 64, None),
        "resnet50 b8": images("resnet50 b8", models.resnet50, 8, None),
        "gpt2 bf16": gpt2,
        "embedding": embedding,
    })
