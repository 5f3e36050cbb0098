"""The gradient of a loop of small products: 16x64 by 64x64, 200 iterations."""

from numbers_of_cases import normal, weight

TITLE = "gradient of a while, 16x64 @ 64x64, 200 iterations"
COUNT = 200


def torch_like(kit):
    import numpy as np

    if kit.library == "torch" and kit.compiled:
        return None  # it would unroll the loop

    def gradient(x, w, limit):
        w = w.detach().requires_grad_()
        i = kit.lib.zeros_like(limit)
        while i < limit:
            x = (x @ w).tanh()
            i = i + 1
        x.square().sum().backward()
        return w.grad

    run = kit.compile(gradient)
    x, w = kit.tensor(normal(1, 16, 64)), kit.tensor(weight(0, (64, 64)))
    limit = kit.tensor(np.int64([COUNT]))[0]
    return lambda: run(x, w, limit), kit.number


def jax(kit):
    def loss(w, x):
        x, _ = kit.lax.scan(
            lambda x, _: (kit.jnp.tanh(x @ w), None), x, None, length=COUNT)
        return (x * x).sum()

    run = kit.jax.jit(kit.jax.grad(loss))
    x, w = kit.tensor(normal(1, 16, 64)), kit.tensor(weight(0, (64, 64)))
    return lambda: run(w, x).block_until_ready(), kit.number


def tensorflow(kit):
    tf = kit.tf

    @tf.function(jit_compile=kit.xla)
    def run(x, w):
        with tf.GradientTape() as tape:
            tape.watch(w)
            _, x = tf.while_loop(
                lambda i, x: i < COUNT, lambda i, x: (i + 1, tf.tanh(x @ w)),
                (0, x), maximum_iterations=COUNT)
            loss = tf.reduce_sum(x * x)
        return tape.gradient(loss, w)

    x, w = kit.tensor(normal(1, 16, 64)), kit.tensor(weight(0, (64, 64)))
    return lambda: run(x, w), kit.number
