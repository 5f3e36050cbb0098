"""A neural ODE: y' = tanh(y A) B, 32 states of 64, 50 steps of Runge and Kutta."""

import numpy as np
from numbers_of_cases import normal, weight

TITLE = "ODE solver loop, 32 x 64, 50 steps of RK4"
STEPS, SIZE = 50, 64


def rk4(slope, y):
    k1 = slope(y)
    k2 = slope(y + 0.01 * k1)
    k3 = slope(y + 0.01 * k2)
    k4 = slope(y + 0.02 * k3)
    return y + (0.02 / 6) * (k1 + 2 * k2 + 2 * k3 + k4)


def inputs(kit):
    return (kit.tensor(normal(1, 32, SIZE)), kit.tensor(weight(0, (SIZE, SIZE))),
            kit.tensor(weight(1, (SIZE, SIZE))))


def torch_like(kit):
    def solve(y, a, b, end):
        t = kit.lib.zeros_like(end)
        while t < end:
            y = rk4(lambda y: (y @ a).tanh() @ b, y)
            t = t + 1
        return y

    def solve_steps(y, a, b):
        for _ in range(STEPS):
            y = step(y, a, b)
        return y

    if kit.library == "torch":  # a step is compiled, the loop is Python's
        step = kit.compile(lambda y, a, b: rk4(lambda y: (y @ a).tanh() @ b, y))
        args = inputs(kit)

        def run():
            with kit.lib.inference_mode():
                return solve_steps(*args)

        return run, kit.number
    run = kit.compile(solve)
    args = (*inputs(kit), kit.tensor(np.int64([STEPS]))[0])
    return lambda: run(*args), kit.number


def jax(kit):
    def solve(y, a, b):
        step = lambda _, y: rk4(lambda y: kit.jnp.tanh(y @ a) @ b, y)  # noqa: E731
        return kit.lax.fori_loop(0, STEPS, step, y)

    run, args = kit.jax.jit(solve), inputs(kit)
    return lambda: run(*args).block_until_ready(), kit.number


def tensorflow(kit):
    tf = kit.tf

    @tf.function(jit_compile=kit.xla)
    def run(y, a, b):
        return tf.while_loop(
            lambda t, y: t < STEPS,
            lambda t, y: (t + 1, rk4(lambda y: tf.tanh(y @ a) @ b, y)), (0, y))[1]

    args = inputs(kit)
    return lambda: run(*args), kit.number
