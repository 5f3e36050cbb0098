"""JAX's compiled loop over scalars, for benchmarks beside it."""


def jax_loop(count):
    import os

    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    from jax import lax

    @jax.jit
    def run(n, x):
        def body(state):
            i, x = state
            return i + 1, x * 0.999 + 0.001

        return lax.while_loop(lambda state: state[0] < n, body, (0, x))[1]

    n = jax.numpy.int32(int(count))
    x = jax.numpy.float32(3.0)
    return lambda *_: run(n, x).block_until_ready()
