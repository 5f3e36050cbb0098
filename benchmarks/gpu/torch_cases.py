"""PyTorch's side: eager, a CUDA graph by hand, torch.compile where that is quick."""

from __future__ import annotations

from typing import Any, Callable

import models
import torch
import torch.nn.functional as F
from timing import first_seconds, host_seconds, run_cases, seconds, tell
from torch import nn

wait = torch.cuda.synchronize


def train_step(net: Any, optimizer: Any, low: Any, *args: Any) -> Callable[[], Any]:
    net.cuda()
    steps = optimizer(net.parameters())

    def step() -> Any:
        steps.zero_grad(set_to_none=False)
        with torch.autocast("cuda", dtype=low or torch.bfloat16, enabled=low is not None):
            out = net(*args[:-1])
            loss = F.cross_entropy(out.reshape(-1, out.shape[-1]), args[-1])
        loss.backward()
        steps.step()
        return loss

    return step


def recorded(step: Callable[[], Any]) -> Callable[[], Any]:
    """The step as a CUDA graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def measure(case: str, step: Callable[[], Any], compiled: bool = False) -> None:
    tell(case, "torch eager", seconds(step, wait))
    try:
        tell(case, "torch graph", seconds(recorded(step), wait))
    except Exception as error:  # noqa: BLE001
        tell(case, "torch graph", None, str(error).splitlines()[0][:80])
    if not compiled:
        return
    quick = torch.compile(step, mode="max-autotune-no-cudagraphs")
    tell(case, "torch.compile first step", first_seconds(quick, wait))
    tell(case, "torch.compile", seconds(quick, wait))


def sgd(params: Any) -> Any:
    return torch.optim.SGD(params, lr=0.01, momentum=0.9)


def mlp() -> None:
    x = torch.randn(64, 784, device="cuda")
    y = torch.randint(0, 10, (64,), device="cuda")
    measure("mlp", train_step(models.mlp(nn), sgd, None, x, y))


def op() -> None:
    x = torch.randn(64, 64, device="cuda")
    y = x + x
    tell("op", "torch eager", host_seconds(lambda: x + y, wait))


def loop() -> None:
    limit = torch.tensor(1000.0, device="cuda")

    def run() -> Any:
        x = torch.zeros((), device="cuda")
        while x < limit:
            x = x + 1
        return x

    tell("while", "torch eager", seconds(run, wait) / 1000)


def tanh_loop() -> None:
    torch.set_float32_matmul_precision("high")
    x, w = torch.randn(64, 1024, device="cuda"), torch.randn(1024, 1024, device="cuda")
    w = w * 0.03

    def run() -> Any:
        y = x
        for _ in range(1000):
            y = torch.tanh(y @ w)
        return y

    with torch.no_grad():
        tell("tanh loop", "torch eager", seconds(run, wait) / 1000)
        tell("tanh loop", "torch graph", seconds(recorded(run), wait) / 1000)


def lstm() -> None:
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.allow_tf32 = True
    xs = torch.randn(100, 64, 512, device="cuda")
    cell = nn.LSTMCell(512, 512).cuda()
    whole = nn.LSTM(512, 512).cuda()

    def by_cells() -> Any:
        h = c = torch.zeros(64, 512, device="cuda")
        for i in range(100):
            h, c = cell(xs[i], (h, c))
        return h

    def train(module: Any, run: Callable[[], Any]) -> Callable[[], Any]:
        steps = sgd(module.parameters())

        def step() -> Any:
            steps.zero_grad(set_to_none=False)
            run().square().mean().backward()
            steps.step()

        return step

    measure("lstm", train(cell, by_cells))
    library = train(whole, lambda: whole(xs)[0][-1])
    tell("lstm", "torch cuDNN", seconds(library, wait))


def images(name: str, make: Any, batch: int, low: Any) -> Callable[[], None]:
    def run() -> None:
        torch.set_float32_matmul_precision("high")
        torch.backends.cudnn.allow_tf32 = True
        torch.backends.cudnn.benchmark = True
        x = torch.randn(batch, 3, 224, 224, device="cuda")
        x = x.to(memory_format=torch.channels_last)
        y = torch.randint(0, 1000, (batch,), device="cuda")
        net = make(nn).to(memory_format=torch.channels_last)
        measure(name, train_step(net, sgd, low, x, y))

    return run


def gpt2() -> None:
    torch.set_float32_matmul_precision("high")
    tokens = torch.randint(0, 50257, (8, 1024), device="cuda")
    at = torch.arange(1024, device="cuda")
    next_words = torch.randint(0, 50257, (8 * 1024,), device="cuda")

    def adam(params: Any) -> Any:
        return torch.optim.AdamW(params, lr=1e-4, fused=True, capturable=True)

    net = models.gpt2(torch, nn, F)
    step = train_step(net, adam, torch.bfloat16, tokens, at, next_words)
    measure("gpt2 bf16", step)


def embedding() -> None:
    table = nn.Embedding(10_000_000, 64, sparse=True, device="cuda")
    steps = torch.optim.SparseAdam(table.parameters(), lr=1e-3)
    rows = torch.randint(0, 10_000_000, (4096,), device="cuda")

    def step() -> Any:
        steps.zero_grad()
        table(rows).square().sum().backward()
        steps.step()

    tell("embedding", "torch eager", seconds(step, wait))


if __name__ == "__main__":
    run_cases({
        "mlp": mlp,
        "op": op,
        "while": loop,
        "tanh loop": tanh_loop,
        "lstm": lstm,
        "alexnet bf16": images("alexnet bf16", models.alexnet, 128, torch.bfloat16),
        "alexnet tf32": images("alexnet tf32", models.alexnet, 128, None),
        "vgg-a bf16": images("vgg-a bf16", models.vgg_a, 64, torch.bfloat16),
        "vgg-a tf32": images("vgg-a tf32", models.vgg_a, 64, None),
        "resnet50 bf16": images("resnet50 bf16", models.resnet50, 64, torch.bfloat16),
        "resnet50 tf32": images("resnet50 tf32", models.resnet50, 64, None),
        "resnet50 b8": images("resnet50 b8", models.resnet50, 8, None),
        "gpt2 bf16": gpt2,
        "embedding": embedding,
    })
