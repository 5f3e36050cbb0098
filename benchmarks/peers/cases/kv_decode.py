"""A Transformer that writes word by word: 6 layers of 512, 8 heads, batch 1. Keys
and values of earlier words are kept; 16 words a call."""

import numpy as np
from numbers_of_cases import Deal

TITLE = "Transformer with KV cache, 6 layers of 512, batch 1, 16 words"
WORDS, WIDTH, HEADS, DEPTH, PLACES, COUNT = 4000, 512, 8, 6, 256, 16
EACH = WIDTH // HEADS


def torch_like(kit):
    nn, lib, functional = kit.nn, kit.lib, kit.F

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.qkv = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH)
            self.out, self.norm2 = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
            self.register_buffer("keys", lib.zeros(1, HEADS, PLACES, EACH))
            self.register_buffer("values", lib.zeros(1, HEADS, PLACES, EACH))

        def forward(self, x, at, seen):
            q, k, v = self.qkv(self.norm1(x)).reshape(3, 1, HEADS, 1, EACH)
            self.keys.index_copy_(2, at, k)
            self.values.index_copy_(2, at, v)
            y = functional.scaled_dot_product_attention(
                q, self.keys, self.values, attn_mask=seen)
            x = x + self.out(y.reshape(1, WIDTH))
            return x + self.down(functional.gelu(self.up(self.norm2(x))))

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(WORDS, WIDTH)
            self.places = nn.Embedding(PLACES, WIDTH)
            self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

        def forward(self, word, at, every):
            seen = (every <= at).reshape(1, 1, 1, PLACES)
            x = self.words(word) + self.places(at)
            for block in self.blocks:
                x = block(x, at, seen)
            return self.head(self.norm(x)).argmax(-1)

    net = kit.fill(Decoder())
    net.eval()
    every = kit.tensor(np.arange(PLACES))
    at = [kit.tensor(np.int64([i])) for i in range(COUNT)]
    first = kit.tensor(np.int64([7]))

    def step(word, at, every):
        with lib.no_grad():
            return net(word, at, every)

    run = kit.compile(step)

    def decode():
        word, said = first, []
        for i in range(COUNT):
            word = run(word, at[i], every)
            said.append(word)
        return said

    return decode, lambda said: [float(w.item()) for w in said]


def forward(kit, word, at, keep):
    """The same for JAX and TensorFlow; keep(i, k, v) stores and gives what is kept."""
    words, places = kit.take(WORDS, WIDTH), kit.take(PLACES, WIDTH)
    x = kit.reshape(kit.rows(words, word) + kit.rows(places, at), (1, WIDTH))
    for i in range(DEPTH):
        parts = kit.linear(kit.layer_norm(x, WIDTH), WIDTH, 3 * WIDTH)
        q, k, v = (kit.reshape(parts[:, j * WIDTH:(j + 1) * WIDTH], (1, HEADS, EACH))
                   for j in range(3))
        keys, values = keep(i, k, v)
        scores = kit.einsum("ohd,phd->hp", q, keys) / EACH**0.5
        scores = kit.where(np.arange(PLACES)[None] <= at, scores, -1e30)
        y = kit.einsum("hp,phd->hd", kit.softmax(scores), values)
        x = x + kit.linear(kit.reshape(y, (1, WIDTH)), WIDTH, WIDTH)
        y = kit.linear(kit.layer_norm(x, WIDTH), WIDTH, 4 * WIDTH)
        x = x + kit.linear(kit.gelu(y), 4 * WIDTH, WIDTH)
    return kit.linear(kit.layer_norm(x, WIDTH), WIDTH, WORDS)


def jax(kit):
    jnp, shape = kit.jnp, (PLACES, HEADS, EACH)

    def step(weights, kept, word, at):
        kit.dealt = Deal(weights)
        new = []

        def keep(i, k, v):
            new.append([kit.lax.dynamic_update_slice(c, p, (at, 0, 0))
                        for c, p in zip(kept[i], (k, v))])
            return new[-1]

        word = forward(kit, word, at, keep)[0].argmax().astype(jnp.int32)
        return word, new

    weights = kit.weights_of(
        lambda w, at: forward(kit, w, at, lambda i, k, v: (jnp.zeros(shape),) * 2),
        (jnp.int32(0), jnp.int32(0)))
    run = kit.jax.jit(step, donate_argnums=1)
    kept = [[[jnp.zeros(shape), jnp.zeros(shape)] for _ in range(DEPTH)]]
    at = [jnp.int32(i) for i in range(COUNT)]

    def decode():
        word, said = jnp.int32(7), []
        for i in range(COUNT):
            word, kept[0] = run(weights, kept[0], word, at[i])
            said.append(word)
        return kit.jax.block_until_ready(said)

    return decode, lambda said: [float(w) for w in said]


def tensorflow(kit):
    tf, shape = kit.tf, (PLACES, HEADS, EACH)
    kept = [[tf.Variable(tf.zeros(shape)) for _ in range(2)] for _ in range(DEPTH)]
    nothing = tf.zeros(shape)
    weights = kit.weights_of(
        lambda w, at: forward(kit, w, at, lambda i, k, v: (nothing, nothing)),
        (tf.constant(0), tf.constant(0)))

    @tf.function(jit_compile=kit.xla)
    def run(word, at):
        kit.dealt = Deal([w.read_value() for w in weights])

        def keep(i, k, v):
            return [c.scatter_nd_update(tf.reshape(at, (1, 1)), p)
                    for c, p in zip(kept[i], (k, v))]

        return tf.argmax(forward(kit, word, at, keep)[0], output_type=tf.int32)

    at = [tf.constant(i) for i in range(COUNT)]

    def decode():
        word, said = tf.constant(7), []
        for i in range(COUNT):
            word = run(word, at[i])
            said.append(word)
        return said

    return decode, lambda said: [float(w) for w in said]
