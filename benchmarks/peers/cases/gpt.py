"""A small GPT: 4 layers of 256, 8 heads, 128 places, batch 8; a training step."""

import transformer
from numbers_of_cases import integers

TITLE = "GPT, 4 layers of 256, 8 heads, T 128, batch 8"
LOW = True
WORDS, LENGTH, WIDTH, HEADS, DEPTH, BATCH = 1000, 128, 256, 8, 4, 8
RATE = 0.01


def batch():
    return integers(1, WORDS, BATCH, LENGTH), integers(2, WORDS, BATCH * LENGTH)


def torch_like(kit):
    nn = kit.nn

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
            self.blocks = nn.Sequential(*(
                transformer.block_of(kit, WIDTH, HEADS, True, True) for _ in range(DEPTH)))
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

        def forward(self, tokens):
            x = self.blocks(self.words(tokens) + self.places.weight)
            return self.head(self.norm(x)).reshape(-1, WORDS)

    net = kit.fill(Gpt())

    def loss(tokens, wanted):
        return kit.F.cross_entropy(net(tokens), wanted)

    optimizer = kit.sgd(net.parameters(), RATE)
    return kit.train(loss, optimizer, *map(kit.tensor, batch()))


def jax_like(kit):
    def loss(tokens, wanted):
        words, places = kit.take(WORDS, WIDTH), kit.take(LENGTH, WIDTH)
        x = kit.rows(words, tokens) + places
        for _ in range(DEPTH):
            x = transformer.block(kit, x, WIDTH, HEADS, True, True)
        x = kit.linear(kit.layer_norm(x, WIDTH), WIDTH, WORDS)
        return kit.cross_entropy(kit.reshape(x, (-1, WORDS)), wanted)

    return kit.train(loss, RATE, 0.0, *map(kit.tensor, batch()))
