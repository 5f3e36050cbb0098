"""Beam search: a GRU cell of 128 over 1000 words, 4 beams, 20 words."""

import numpy as np
from numbers_of_cases import weight

TITLE = "beam search, GRU 128, 1000 words, 4 beams, 20 steps"
WORDS, SIZE, BEAMS, LENGTH = 1000, 128, 4, 20
SHAPES = ((WORDS, SIZE), (SIZE, 3 * SIZE), (SIZE, 3 * SIZE), (SIZE, WORDS))


def start():
    h = np.zeros((BEAMS, SIZE), np.float32)
    scores = np.float32([0] + [-1e9] * (BEAMS - 1))
    return h, scores, np.zeros(BEAMS, np.int64)


def cell(matmul, sigmoid, tanh, x, h, wx, wh):
    x, y = matmul(x, wx), matmul(h, wh)
    r = sigmoid(x[:, :SIZE] + y[:, :SIZE])
    z = sigmoid(x[:, SIZE:2 * SIZE] + y[:, SIZE:2 * SIZE])
    n = tanh(x[:, 2 * SIZE:] + r * y[:, 2 * SIZE:])
    return (1 - z) * n + z * h


def torch_like(kit):
    lib, functional = kit.lib, kit.F

    def search(h, scores, last, embed, wx, wh, out):
        words = []
        for _ in range(LENGTH):
            h = cell(lib.matmul, lib.sigmoid, lib.tanh, embed[last], h, wx, wh)
            logs = functional.log_softmax(h @ out * 4, dim=-1)
            total = (scores[:, None] + logs).reshape(-1)
            scores, at = lib.topk(total, BEAMS)
            beam, last = at // WORDS, at % WORDS
            h = h[beam]
            words = [w[beam] for w in words] + [last]
        return lib.stack(words)[:, 0]

    weights = [kit.tensor(weight(i, s)) for i, s in enumerate(SHAPES)]
    return kit.infer(search, *map(kit.tensor, start()), *weights)


def jax(kit):
    jnp, nn = kit.jnp, kit.jax.nn

    def search(h, scores, last, embed, wx, wh, out):
        def step(i, state):
            h, scores, last, words = state
            h = cell(jnp.matmul, nn.sigmoid, jnp.tanh, embed[last], h, wx, wh)
            logs = nn.log_softmax(h @ out * 4)
            scores, at = kit.lax.top_k((scores[:, None] + logs).reshape(-1), BEAMS)
            beam, last = at // WORDS, at % WORDS
            return h[beam], scores, last, words[:, beam].at[i].set(last)

        words = jnp.zeros((LENGTH, BEAMS), jnp.int32)
        last = last.astype(jnp.int32)
        return kit.lax.fori_loop(0, LENGTH, step, (h, scores, last, words))[3][:, 0]

    run = kit.jax.jit(search)
    args = [kit.tensor(a) for a in start()]
    args += [kit.tensor(weight(i, s)) for i, s in enumerate(SHAPES)]
    return lambda: run(*args).block_until_ready(), kit.number


def tensorflow(kit):
    tf = kit.tf

    @tf.function(jit_compile=kit.xla)
    def run(h, scores, last, embed, wx, wh, out):
        last = tf.cast(last, tf.int32)
        words = []
        for _ in range(LENGTH):
            h = cell(tf.matmul, tf.sigmoid, tf.tanh, tf.gather(embed, last), h, wx, wh)
            logs = tf.nn.log_softmax(h @ out * 4)
            scores, at = tf.math.top_k(tf.reshape(scores[:, None] + logs, (-1,)), BEAMS)
            beam, last = at // WORDS, at % WORDS
            h = tf.gather(h, beam)
            words = [tf.gather(w, beam) for w in words] + [last]
        return tf.stack(words)[:, 0]

    args = [kit.tensor(a) for a in start()]
    args += [kit.tensor(weight(i, s)) for i, s in enumerate(SHAPES)]
    return lambda: run(*args), kit.number
