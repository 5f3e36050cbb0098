"""JAX's compiled loops over scalars and short rows, for benchmarks beside it."""


def _loop(step, elements=0):
    """while i < count: i + 1, step(x); x begins as 3, or as a row of 3s."""

    def make(count):
        import os

        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        import jax
        from jax import lax, numpy as jnp

        @jax.jit
        def run(n, x):
            def body(state):
                i, x = state
                return i + 1, step(x)

            return lax.while_loop(lambda state: state[0] < n, body, (0, x))[1]

        n = jnp.int32(int(count))
        x = jnp.full((elements,) if elements else (), 3.0, jnp.float32)
        return lambda *_: run(n, x).block_until_ready()

    return make


def _tanh(x):
    from jax import numpy as jnp

    return jnp.tanh(x * 1.5)


def _branch(x):
    from jax import lax

    return lax.cond(x > 0, lambda: x - 1.5, lambda: x + 1.0)


def _pendulum(x):
    from jax import numpy as jnp

    q, v = x[0], x[1]
    return jnp.stack([q + v * 0.01, v - q * 0.01])


# By the names that control_native_bench.cc has for them.
STEPS = {
    "jax_recurrence": _loop(lambda x: x * 0.999 + 0.001),
    "jax_newton": _loop(lambda x: x - (x * x - 2.0) / (2.0 * x)),
    "jax_tanh": _loop(_tanh),
    "jax_branch": _loop(_branch),
    "jax_row_of_4": _loop(lambda x: x * 0.999 + 0.001, 4),
    "jax_pendulum": _loop(_pendulum, 2),
}
