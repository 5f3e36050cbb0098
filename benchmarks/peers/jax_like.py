"""JAX and TensorFlow: a case is a function of weights it takes and arrays.

`kit.take(...)` inside of the function gives the next weight; everything else a
case needs has one name here and two meanings. Images are channels last, as both
prefer them; weights are asked for in PyTorch's shapes and turned here.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class JaxLike:
    def __init__(self, low: bool):
        self.low = low
        self.dealt: Any = None

    def take(self, *shape: int) -> Any:
        return self.cast(self.tensor_of(self.dealt.take(*shape)))

    def tensor_of(self, weight: Any) -> Any:
        return self.tensor(weight) if isinstance(weight, np.ndarray) else weight

    def linear(self, x: Any, inputs: int, outputs: int) -> Any:
        w, b = self.take(outputs, inputs), self.take(outputs)
        return self.matmul(x, self.transpose(w)) + b

    def layer_norm(self, x: Any, size: int) -> Any:
        scale, shift = self.take(size), self.take(size)
        x = self.as_f32(x)
        middle = self.mean(x, -1)
        spread = self.mean((x - middle) ** 2, -1)
        return self.cast((x - middle) * self.rsqrt(spread + 1e-5) * scale + shift)

    def batch_norm(self, x: Any, size: int, training: bool) -> Any:
        """Running statistics are those of a fresh layer: 0 and 1."""
        scale, shift = self.take(size), self.take(size)
        if not training:
            return x * self.cast(scale / np.float32(np.sqrt(1 + 1e-5))) + shift
        x = self.as_f32(x)
        middle = self.mean(x, (0, 1, 2))
        spread = self.mean((x - middle) ** 2, (0, 1, 2))
        return self.cast((x - middle) * self.rsqrt(spread + 1e-5) * scale + shift)

    def conv(self, x: Any, a: int, b: int, size: int, stride: int = 1,
             pad: int | None = None, groups: int = 1, bias: bool = False) -> Any:
        w = self.transpose(self.take(b, a // groups, size, size), (2, 3, 1, 0))
        pad = size // 2 if pad is None else pad
        y = self.convolve(x, w, stride, pad, groups)
        return y + self.take(b) if bias else y
