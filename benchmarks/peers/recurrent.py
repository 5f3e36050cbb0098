"""What the cases of recurrent networks share: the layer, its loss, the scan."""

from __future__ import annotations

from typing import Any, Callable

from numbers_of_cases import normal

LENGTH, BATCH, SIZE = 100, 32, 256
RATE = 0.01


def torch_like(kit: Any, layer: Any) -> Any:
    net = kit.fill(layer(SIZE, SIZE))
    x = kit.tensor(normal(1, LENGTH, BATCH, SIZE))

    def loss(x: Any) -> Any:
        return net(x)[0].float().square().mean()

    return kit.train(loss, kit.sgd(net.parameters(), RATE), x)


def jax_like(kit: Any, cell: Callable, gates: int, states: int) -> Any:
    """The products with the inputs are one, before the loop: the fastest form."""
    wide = gates * SIZE
    x = kit.tensor(normal(1, LENGTH, BATCH, SIZE))

    def loss(x: Any) -> Any:
        x = kit.cast(x)
        wx, wh = kit.take(wide, SIZE), kit.take(wide, SIZE)
        bx, bh = kit.take(wide), kit.take(wide)
        flat = kit.reshape(x, (LENGTH * BATCH, SIZE))
        xs = kit.matmul(flat, kit.transpose(wx)) + bx
        wh = kit.transpose(wh)
        start = tuple(0 * x[0] for _ in range(states))
        _, ys = kit.scan(
            lambda state, x: cell((wx, wh, bx, bh), state, x), start,
            kit.reshape(xs, (LENGTH, BATCH, wide)))
        ys = kit.as_f32(ys)
        return kit.reshape(kit.mean(kit.reshape(ys * ys, (-1,)), 0), ())

    return kit.train(loss, RATE, 0.0, x)
