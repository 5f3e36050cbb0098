"""BERT-base: 12 layers of 768, 12 heads, 128 places; the words' vectors are looked
up, the last layer is what it gives."""

from __future__ import annotations

from typing import Any

import transformer
from numbers_of_cases import integers

WORDS, LENGTH, WIDTH, HEADS, DEPTH = 30522, 128, 768, 12, 12


def torch_like(kit: Any, batch: int) -> Any:
    nn = kit.nn

    class Bert(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
            self.norm = nn.LayerNorm(WIDTH)
            self.blocks = nn.Sequential(*(
                transformer.block_of(kit, WIDTH, HEADS, False, False)
                for _ in range(DEPTH)))

        def forward(self, tokens: Any) -> Any:
            return self.blocks(self.norm(self.words(tokens) + self.places.weight))

    net = kit.fill(Bert())
    return kit.infer(net, kit.tensor(integers(1, WORDS, batch, LENGTH)))


def jax_like(kit: Any, batch: int) -> Any:
    def net(tokens: Any) -> Any:
        words, places = kit.take(WORDS, WIDTH), kit.take(LENGTH, WIDTH)
        x = kit.layer_norm(kit.rows(words, tokens) + places, WIDTH)
        for _ in range(DEPTH):
            x = transformer.block(kit, x, WIDTH, HEADS, False, False)
        return x

    return kit.infer(net, kit.tensor(integers(1, WORDS, batch, LENGTH)))
