"""nn.LSTM of 256 over 100 steps of batches of 32: a training step."""

import recurrent

TITLE = "nn.LSTM 256, T 100, batch 32"
LOW = True


def torch_like(kit):
    return recurrent.torch_like(kit, kit.nn.LSTM)


def jax_like(kit):
    size = recurrent.SIZE

    def cell(weights, state, x):
        wx, wh, bx, bh = weights
        h, c = state
        gates = x + kit.matmul(h, wh) + bh
        i, f, g, o = (gates[:, k * size:(k + 1) * size] for k in range(4))
        c = kit.sigmoid(f) * c + kit.sigmoid(i) * kit.tanh(g)
        h = kit.sigmoid(o) * kit.tanh(c)
        return (h, c), h

    return recurrent.jax_like(kit, cell, gates=4, states=2)
