"""Sluice: as written, or captured, the update included."""

from __future__ import annotations

from typing import Any, Callable

from torch_like import TorchLike


class Sluice(TorchLike):
    def __init__(self, mode: str, threads: int, low: bool):
        import sluice as sl
        import sluice.nn.functional as functional

        assert sl.get_num_threads() == threads
        super().__init__(sl, sl.nn, functional, mode == "captured", low)

    def autocast(self) -> Any:
        return self.lib.amp.autocast("cpu", dtype=self.lib.bfloat16)

    def compile(self, f: Callable) -> Callable:
        return self.lib.function(f) if self.compiled else f

    def sgd(self, parameters: Any, rate: float = 0.01, momentum: float = 0.0) -> Any:
        return self.lib.optim.SGD(parameters, lr=rate, momentum=momentum)

    def train(self, loss_of: Callable, optimizer: Any, *args: Any):
        """Forward, backward and update: all of it is captured."""

        def step(*args: Any) -> Any:
            with self.precision():
                loss = loss_of(*args)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        run = self.compile(step)
        return lambda: run(*args), self.number
