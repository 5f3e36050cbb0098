"""nn.GRU of 256 over 100 steps of batches of 32: a training step."""

import recurrent

TITLE = "nn.GRU 256, T 100, batch 32"


def torch_like(kit):
    return recurrent.torch_like(kit, kit.nn.GRU)


def jax_like(kit):
    size = recurrent.SIZE

    def cell(weights, state, x):
        wx, wh, bx, bh = weights
        (h,) = state
        y = kit.matmul(h, wh) + bh
        r = kit.sigmoid(x[:, :size] + y[:, :size])
        z = kit.sigmoid(x[:, size:2 * size] + y[:, size:2 * size])
        n = kit.tanh(x[:, 2 * size:] + r * y[:, 2 * size:])
        h = (1 - z) * n + z * h
        return (h,), h

    return recurrent.jax_like(kit, cell, gates=3, states=1)
