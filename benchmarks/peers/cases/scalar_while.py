"""A while loop over two scalars: 10,000 iterations."""

TITLE = "scalar while, 10,000 iterations"
COUNT = 10_000


def torch_like(kit):
    import numpy as np

    def loop(x, limit):
        i = kit.lib.zeros_like(limit)
        while i < limit:
            x = x * 0.999 + 0.001
            i = i + 1
        return x

    if kit.library == "torch" and kit.compiled:
        return None  # it would unroll the loop
    run = kit.compile(loop)
    x, limit = kit.tensor(np.float32([2.0]))[0], kit.tensor(np.int64([COUNT]))[0]
    return lambda: run(x, limit), kit.number


def jax(kit):
    def loop(x, limit):
        return kit.lax.while_loop(
            lambda s: s[0] < limit, lambda s: (s[0] + 1, s[1] * 0.999 + 0.001),
            (0 * limit, x))[1]

    run = kit.jax.jit(loop)
    x, limit = kit.jnp.float32(2.0), kit.jnp.int32(COUNT)
    return lambda: run(x, limit).block_until_ready(), kit.number


def tensorflow(kit):
    tf = kit.tf

    @tf.function(jit_compile=kit.xla)
    def run(x, limit):
        return tf.while_loop(
            lambda i, x: i < limit, lambda i, x: (i + 1, x * 0.999 + 0.001),
            (0 * limit, x))[1]

    x, limit = tf.constant(2.0), tf.constant(COUNT)
    return lambda: run(x, limit), kit.number
