"""JAX: everything under jit, what is trained handed over (donated)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from jax_like import JaxLike
from numbers_of_cases import Deal, Weights


class Jax(JaxLike):
    def __init__(self, mode: str, threads: int, low: bool):
        import jax
        import jax.numpy as jnp

        super().__init__(low)
        self.jax, self.jnp, self.lax = jax, jnp, jax.lax
        self.relu, self.tanh, self.sigmoid = jax.nn.relu, jnp.tanh, jax.nn.sigmoid
        self.rsqrt, self.matmul = jax.lax.rsqrt, jnp.matmul
        self.reshape, self.transpose = jnp.reshape, jnp.transpose
        self.where, self.einsum, self.concat = jnp.where, jnp.einsum, jnp.concatenate

    def tensor(self, array: np.ndarray) -> Any:
        return self.jnp.asarray(array)

    def number(self, result: Any) -> list[float]:
        return np.asarray(result, dtype=np.float32).ravel()[:8].tolist()

    def cast(self, x: Any) -> Any:
        return x.astype(self.jnp.bfloat16) if self.low else x

    def as_f32(self, x: Any) -> Any:
        return x.astype(self.jnp.float32)

    def mean(self, x: Any, axis: Any) -> Any:
        return x.mean(axis, keepdims=True)

    def softmax(self, x: Any) -> Any:
        return self.cast(self.jax.nn.softmax(self.as_f32(x)))

    def gelu(self, x: Any) -> Any:
        return self.jax.nn.gelu(x, approximate=False)

    def relu6(self, x: Any) -> Any:
        return self.jnp.clip(x, 0, 6)

    def lower_triangle(self, size: int) -> Any:
        return np.tri(size, dtype=bool)

    def rows(self, table: Any, at: Any) -> Any:
        return table[at]

    def cross_entropy(self, logits: Any, y: Any) -> Any:
        log = self.jax.nn.log_softmax(self.as_f32(logits))
        return -self.jnp.take_along_axis(log, y[:, None], 1).mean()

    def segment_sum(self, x: Any, at: Any, count: int) -> Any:
        return self.jax.ops.segment_sum(x, at, num_segments=count)

    def convolve(self, x: Any, w: Any, stride: int, pad: int, groups: int) -> Any:
        return self.lax.conv_general_dilated(
            x, w, (stride, stride), [(pad, pad)] * 2, feature_group_count=groups,
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        )

    def max_pool(self, x: Any, size: int, stride: int, pad: int = 0) -> Any:
        return self.lax.reduce_window(
            x, -np.inf, self.lax.max, (1, size, size, 1),
            (1, stride, stride, 1), [(0, 0), (pad, pad), (pad, pad), (0, 0)],
        )

    def weights_of(self, net: Callable, args: Any) -> list[Any]:
        made = self.dealt = Weights()
        self.jax.eval_shape(net, *args)
        return [self.tensor(w) for w in made.made]

    def applied(self, net: Callable) -> Callable:
        def run(weights: list[Any], *args: Any) -> Any:
            self.dealt = Deal(weights)
            return net(*args)

        return run

    def scan(self, step: Callable, state: Any, xs: Any) -> tuple[Any, Any]:
        return self.lax.scan(step, state, xs)

    def infer(self, net: Callable, *args: Any) -> tuple[Callable, Callable]:
        weights = self.weights_of(net, args)
        run = self.jax.jit(self.applied(net))
        return lambda: self.jax.block_until_ready(run(weights, *args)), self.number

    def train(self, loss_of: Callable, rate: float, momentum: float, *args: Any):
        jax = self.jax
        weights = self.weights_of(loss_of, args)
        apply = self.applied(loss_of)

        def train(weights: Any, speeds: Any, *args: Any) -> Any:
            loss, grads = jax.value_and_grad(apply)(weights, *args)
            if momentum:
                speeds = [momentum * s + g for s, g in zip(speeds, grads)]
                grads = speeds
            return loss, [w - rate * g for w, g in zip(weights, grads)], speeds

        run = jax.jit(train, donate_argnums=(0, 1))
        kept = {"weights": weights,
                "speeds": [0 * w for w in weights] if momentum else []}

        def step() -> Any:
            loss, kept["weights"], kept["speeds"] = run(
                kept["weights"], kept["speeds"], *args
            )
            return loss.block_until_ready()

        return step, self.number
