"""What JAX does of what `run.py` compares: everything under jit."""

import functools

import jax
import jax.numpy as jnp
import mlp_data


def mlp_compiled():
    def loss_of(weights, x, y):
        w1, b1, w2, b2 = weights
        logits = jax.nn.relu(x @ w1 + b1) @ w2 + b2
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1)
        return -picked.mean()

    @functools.partial(jax.jit, donate_argnums=0)
    def train(weights, x, y):
        loss, grads = jax.value_and_grad(loss_of)(weights, x, y)
        return loss, [w - mlp_data.RATE * g for w, g in zip(weights, grads)]

    state = {"weights": [jnp.asarray(w) for w in mlp_data.weights()]}
    x, y = map(jnp.asarray, mlp_data.batch())

    def step():
        loss, state["weights"] = train(state["weights"], x, y)
        return loss.block_until_ready()

    return step, float


def loop_of_adds():
    one = jnp.ones(16)

    @jax.jit
    def loop(x):
        return jax.lax.fori_loop(0, 1000, lambda i, y: y + one, x)

    x = jnp.zeros(16)
    return lambda: loop(x).block_until_ready(), lambda y: float(y.sum())


def pendulums_grad():
    """vmap(grad(scan)): 64 pendulums, 100 steps each."""

    def energy(p, start):
        def step(state, _):
            angle, speed = state
            speed = speed - 0.05 * (p[0] * jnp.sin(angle) + p[1] * speed)
            angle = angle + 0.05 * speed
            return (angle, speed), angle * angle

        return jax.lax.scan(step, (start[0], start[1]), None, length=100)[1].sum()

    gradients = jax.jit(jax.vmap(jax.grad(energy), in_axes=(None, 0)))
    p, starts = jnp.array([1.0, 0.1]), jnp.linspace(-1, 1, 128).reshape(64, 2)
    return (
        lambda: gradients(p, starts).block_until_ready(),
        lambda g: float(g.sum()),
    )


CASES = {f.__name__: f for f in (mlp_compiled, loop_of_adds, pendulums_grad)}
