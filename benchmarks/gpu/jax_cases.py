"""JAX's side: jitted steps and loops."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from timing import first_seconds, host_seconds, run_cases, seconds, tell


class Last:
    """What the last call gave, to be waited for."""

    value: Any = None

    def keep(self, value: Any) -> Any:
        self.value = value
        return value

    def wait(self) -> None:
        jax.block_until_ready(self.value)


def key(n: int) -> Any:
    return jax.random.PRNGKey(n)


def mlp() -> None:
    last = Last()
    params = {
        "w1": jax.random.normal(key(0), (784, 100)) * 0.05, "b1": jnp.zeros(100),
        "w2": jax.random.normal(key(1), (100, 10)) * 0.1, "b2": jnp.zeros(10),
    }
    momentum = jax.tree.map(jnp.zeros_like, params)
    x = jax.random.normal(key(2), (64, 784))
    y = jax.random.randint(key(3), (64,), 0, 10)

    def loss_of(p: Any) -> Any:
        h = jax.nn.relu(x @ p["w1"] + p["b1"])
        rows = jax.nn.log_softmax(h @ p["w2"] + p["b2"])
        return -jnp.take_along_axis(rows, y[:, None], 1).mean()

    @jax.jit
    def step(p: Any, m: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_of)(p)
        m = jax.tree.map(lambda v, g: 0.9 * v + g, m, grads)
        return jax.tree.map(lambda v, g: v - 0.01 * g, p, m), m, loss

    state = [params, momentum]

    def run() -> None:
        state[0], state[1], _ = last.keep(step(*state))

    tell("mlp", "jax first step", first_seconds(run, last.wait))
    tell("mlp", "jax", seconds(run, last.wait))


def op() -> None:
    last = Last()
    x = jax.random.normal(key(0), (64, 64))
    tell("op", "jax", host_seconds(lambda: last.keep(x + x), last.wait))


def loop() -> None:
    last = Last()
    run = jax.jit(lambda x, n: lax.while_loop(lambda v: v < n, lambda v: v + 1, x))
    zero, limit = jnp.zeros(()), jnp.asarray(1000.0)
    tell("while", "jax",
         seconds(lambda: last.keep(run(zero, limit)), last.wait) / 1000)


def tanh_loop() -> None:
    last = Last()
    x = jax.random.normal(key(0), (64, 1024))
    w = jax.random.normal(key(1), (1024, 1024)) * 0.03

    @jax.jit
    def run(x: Any, w: Any, n: Any) -> Any:
        def body(state: Any) -> Any:
            return jnp.tanh(state[0] @ w), state[1] + 1

        return lax.while_loop(lambda s: s[1] < n, body, (x, 0))[0]

    tell("tanh loop", "jax",
         seconds(lambda: last.keep(run(x, w, 1000)), last.wait) / 1000)


def lstm() -> None:
    last = Last()
    xs = jax.random.normal(key(0), (100, 64, 512))
    params = [
        jax.random.normal(key(1), (512, 2048)) * 0.04,
        jax.random.normal(key(2), (512, 2048)) * 0.04,
        jnp.zeros(2048),
    ]
    momentum = [jnp.zeros_like(p) for p in params]

    def loss_of(p: Any) -> Any:
        def cell(state: Any, x: Any) -> Any:
            h, c = state
            i, f, g, o = jnp.split(x @ p[0] + h @ p[1] + p[2], 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        zero = jnp.zeros((64, 512))
        (h, _), _ = lax.scan(cell, (zero, zero), xs)
        return jnp.square(h).mean()

    @jax.jit
    def step(p: Any, m: Any) -> Any:
        grads = jax.grad(loss_of)(p)
        m = [0.9 * v + g for v, g in zip(m, grads)]
        return [v - 0.01 * g for v, g in zip(p, m)], m

    state = [params, momentum]

    def run() -> None:
        state[0], state[1] = last.keep(step(*state))

    tell("lstm", "jax first step", first_seconds(run, last.wait))
    tell("lstm", "jax", seconds(run, last.wait))


def embedding() -> None:
    last = Last()
    rows = jax.random.randint(key(0), (4096,), 0, 10_000_000)

    def step(t: Any, m: Any, v: Any) -> Any:
        g = jax.grad(lambda t: jnp.square(t[rows]).sum())(t)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        return t - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v

    jitted = jax.jit(step, donate_argnums=(0, 1, 2))
    state = [jnp.ones((10_000_000, 64)) * scale for scale in (0.1, 0, 0)]

    def run() -> None:
        state[:] = last.keep(jitted(*state))

    tell("embedding", "jax dense", seconds(run, last.wait))


if __name__ == "__main__":
    run_cases({
        "mlp": mlp,
        "op": op,
        "while": loop,
        "tanh loop": tanh_loop,
        "lstm": lstm,
        "embedding": embedding,
    })
