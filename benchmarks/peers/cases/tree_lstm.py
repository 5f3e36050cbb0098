"""A tree LSTM of 64 over a tree of 32 leaves, node by node: a training step. The
shape of the tree is data: children by their numbers, leaves first."""

import numpy as np
from numbers_of_cases import normal, weight

TITLE = "tree LSTM 64, 32 leaves, forward and gradient"
SIZE, LEAVES = 64, 32
TOTAL = 2 * LEAVES - 1
SHAPES = ((2 * SIZE, 5 * SIZE), (5 * SIZE,))


def tree():
    """Children of the nodes above the leaves, drawn at random."""
    random = np.random.default_rng(3)
    free, left, right = list(range(LEAVES)), [0] * LEAVES, [0] * LEAVES
    for node in range(LEAVES, TOTAL):
        for side in (left, right):
            side.append(free.pop(random.integers(len(free))))
        free.append(node)
    return np.int64(left), np.int64(right)


def cell(kit, h, c, w, b):
    """One node from its two children's states, each [2, SIZE]."""
    gates = kit.reshape(h, (1, 2 * SIZE)) @ w + b
    i, f, g, o, u = (gates[:, k * SIZE:(k + 1) * SIZE] for k in range(5))
    c = kit.sigmoid(i) * kit.tanh(u) + kit.sigmoid(f) * c[0:1] + kit.sigmoid(g) * c[1:2]
    return kit.sigmoid(o) * kit.tanh(c), c


class Names:
    """What `cell` calls, of a library like PyTorch."""

    def __init__(self, lib):
        self.reshape, self.sigmoid, self.tanh = lib.reshape, lib.sigmoid, lib.tanh


def sluice(kit):
    lib, names = kit.lib, Names(kit.lib)
    w, b = kit.parameters(*SHAPES)

    def train(leaves, left, right, total):
        h = lib.cat([leaves, lib.zeros(LEAVES - 1, SIZE)])
        c = lib.zeros(TOTAL, SIZE)
        i = total * 0 + LEAVES
        while i < total:
            children = lib.stack([left[i], right[i]])
            x, y = cell(names, h[children], c[children], w, b)
            h = h.index_copy(0, i.reshape(1), x)
            c = c.index_copy(0, i.reshape(1), y)
            i = i + 1
        return h[TOTAL - 1].square().sum()

    arrays = (normal(1, LEAVES, SIZE), *tree(), np.int64([TOTAL]))
    leaves, left, right, total = map(kit.tensor, arrays)
    return kit.train(train, kit.sgd([w, b], 0.01), leaves, left, right, total[0])


def torch(kit):
    """Python's list of states is the fastest form."""
    if kit.compiled:
        return None  # it would unroll the tree
    lib, names = kit.lib, Names(kit.lib)
    w, b = kit.parameters(*SHAPES)
    left, right = (side.tolist() for side in tree())
    none = lib.zeros(1, SIZE)

    def train(leaves):
        h, c = list(leaves.split(1)), [none] * LEAVES
        for i in range(LEAVES, TOTAL):
            j, k = left[i], right[i]
            x, y = cell(names, lib.cat([h[j], h[k]]), lib.cat([c[j], c[k]]), w, b)
            h.append(x)
            c.append(y)
        return h[-1].square().sum()

    return kit.train(train, kit.sgd([w, b], 0.01), kit.tensor(normal(1, LEAVES, SIZE)))


def jax(kit):
    jnp = kit.jnp

    def loss(leaves, left, right):
        w, b = kit.take(*SHAPES[0]), kit.take(*SHAPES[1])

        def step(state, node):
            h, c = state
            i, j, k = node
            children = jnp.stack([j, k])
            x, y = cell(kit, h[children], c[children], w, b)
            return (kit.lax.dynamic_update_slice(h, x, (i, 0)),
                    kit.lax.dynamic_update_slice(c, y, (i, 0))), None

        h = jnp.concatenate([leaves, jnp.zeros((LEAVES - 1, SIZE))])
        nodes = (jnp.arange(LEAVES, TOTAL), left[LEAVES:], right[LEAVES:])
        (h, _), _ = kit.lax.scan(step, (h, jnp.zeros((TOTAL, SIZE))), nodes)
        return (h[-1] ** 2).sum()

    left, right = tree()
    return kit.train(loss, 0.01, 0.0, kit.tensor(normal(1, LEAVES, SIZE)),
                     kit.tensor(left), kit.tensor(right))


def tensorflow(kit):
    tf = kit.tf

    def loss(leaves, left, right):
        w, b = kit.take(*SHAPES[0]), kit.take(*SHAPES[1])

        def step(i, h, c):
            children = tf.stack([left[i], right[i]])
            x, y = cell(kit, tf.gather(h, children), tf.gather(c, children), w, b)
            at = tf.reshape(i, (1, 1))
            return (i + 1, tf.tensor_scatter_nd_update(h, at, x),
                    tf.tensor_scatter_nd_update(c, at, y))

        h = tf.concat([leaves, tf.zeros((LEAVES - 1, SIZE))], 0)
        _, h, _ = tf.while_loop(
            lambda i, *_: i < TOTAL, step, (LEAVES, h, tf.zeros((TOTAL, SIZE))),
            maximum_iterations=TOTAL)
        return tf.reduce_sum(h[-1] ** 2)

    left, right = tree()
    return kit.train(loss, 0.01, 0.0, kit.tensor(normal(1, LEAVES, SIZE)),
                     kit.tensor(left), kit.tensor(right))
