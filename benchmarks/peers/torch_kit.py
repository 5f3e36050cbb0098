"""PyTorch: eager and torch.compile; and ONNX Runtime, which runs what it exports."""

from __future__ import annotations

import os
import tempfile
import warnings
from typing import Any, Callable

from torch_like import TorchLike


class Torch(TorchLike):
    def __init__(self, mode: str, threads: int, low: bool):
        import torch
        import torch.nn.functional as functional

        torch.set_num_threads(threads)
        super().__init__(torch, torch.nn, functional, mode == "compile", low)

    def autocast(self) -> Any:
        return self.lib.autocast("cpu", dtype=self.lib.bfloat16)

    def compile(self, f: Callable) -> Callable:
        return self.lib.compile(f) if self.compiled else f

    def sgd(self, parameters: Any, rate: float = 0.01, momentum: float = 0.0) -> Any:
        return self.lib.optim.SGD(parameters, lr=rate, momentum=momentum, fused=True)

    def train(self, loss_of: Callable, optimizer: Any, *args: Any):
        """The loss and its backward pass are compiled; the update is one fused op."""

        def forward(*args: Any) -> Any:
            with self.precision():
                return loss_of(*args)

        run = self.compile(forward)

        def step() -> Any:
            loss = run(*args)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        return step, self.number


class Onnx(Torch):
    """Inference only: the network goes through a file."""

    def __init__(self, mode: str, threads: int, low: bool):
        super().__init__("eager", threads, low)
        self.threads = threads

    def infer(self, net: Callable, *args: Any) -> tuple[Callable, Callable]:
        import onnxruntime

        net.eval()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = os.path.join(folder, "net.onnx")
            self.lib.onnx.export(net, args, path, dynamo=False, opset_version=17)
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self.threads
            session = onnxruntime.InferenceSession(
                path, options, providers=["CPUExecutionProvider"])
        self.session = session
        feeds = {i.name: a.numpy() for i, a in zip(session.get_inputs(), args)}
        return (
            lambda: session.run(None, feeds)[0],
            lambda result: result.ravel()[:8].tolist(),
        )
