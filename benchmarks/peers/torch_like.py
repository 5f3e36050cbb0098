"""Sluice and PyTorch: programs of one look. A case is written once for both.

`kit.lib`, `kit.nn`, `kit.F` are the package and its layers; what differs between
the two, and between running as written and captured or compiled, is here.
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable

import numpy as np
from numbers_of_cases import weight


class TorchLike:
    def __init__(self, lib: Any, nn: Any, functional: Any, compiled: bool, low: bool):
        self.lib, self.nn, self.F = lib, nn, functional
        self.compiled, self.low = compiled, low

    def tensor(self, array: np.ndarray) -> Any:
        return self.lib.from_numpy(np.ascontiguousarray(array))

    def number(self, result: Any) -> list[float]:
        return result.detach().flatten()[:8].float().tolist()

    def fill(self, net: Any) -> Any:
        """Gives the parameters the numbers that all libraries begin with."""
        with self.lib.no_grad():
            for i, p in enumerate(net.parameters()):
                p.copy_(self.tensor(weight(i, tuple(p.shape))))
        return net

    def parameters(self, *shapes: tuple[int, ...]) -> list[Any]:
        made = [self.tensor(weight(i, shape)) for i, shape in enumerate(shapes)]
        return [self.nn.Parameter(w) for w in made]

    def precision(self) -> Any:
        if not self.low:
            return contextlib.nullcontext()
        return self.autocast()

    def infer(self, net: Callable, *args: Any) -> tuple[Callable, Callable]:
        """A call of a network that is not trained."""
        if hasattr(net, "eval"):
            net.eval()

        def forward(*args: Any) -> Any:
            with self.lib.no_grad(), self.precision():
                return net(*args)

        run = self.compile(forward)
        return lambda: run(*args), self.number
