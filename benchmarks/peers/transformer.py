"""Blocks of Transformers for the cases: before- and after-norm, causal or not."""

from __future__ import annotations

from typing import Any


def block_of(kit: Any, width: int, heads: int, causal: bool, norm_first: bool) -> Any:
    """A block of attention and two layers, as a module."""
    nn, functional = kit.nn, kit.F

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1 = nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.norm2 = nn.LayerNorm(width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def attend(self, x: Any) -> Any:
            batch, length, _ = x.shape
            parts = self.qkv(x).reshape(batch, length, 3, heads, width // heads)
            q, k, v = parts.permute(2, 0, 3, 1, 4)
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
            return self.out(y.transpose(1, 2).reshape(batch, length, width))

        def feed(self, x: Any) -> Any:
            return self.down(functional.gelu(self.up(x)))

        def forward(self, x: Any) -> Any:
            if norm_first:
                x = x + self.attend(self.norm1(x))
                return x + self.feed(self.norm2(x))
            x = self.norm1(x + self.attend(x))
            return self.norm2(x + self.feed(x))

    return Block()


def block(kit: Any, x: Any, width: int, heads: int, causal: bool, norm_first: bool):
    """The same for JAX and TensorFlow; weights in the module's order."""
    batch, length, _ = x.shape
    depth = width // heads
    norms = [(kit.take(width), kit.take(width))]
    qkv = (kit.take(3 * width, width), kit.take(3 * width))
    out = (kit.take(width, width), kit.take(width))
    norms.append((kit.take(width), kit.take(width)))
    up = (kit.take(4 * width, width), kit.take(4 * width))
    down = (kit.take(width, 4 * width), kit.take(width))

    def norm(x: Any, which: int) -> Any:
        scale, shift = norms[which]
        x = kit.as_f32(x)
        middle = kit.mean(x, -1)
        spread = kit.mean((x - middle) ** 2, -1)
        y = (x - middle) * kit.rsqrt(spread + 1e-5)
        return kit.cast(y * kit.as_f32(scale) + kit.as_f32(shift))

    def linear(x: Any, layer: Any) -> Any:
        return kit.matmul(x, kit.transpose(layer[0])) + layer[1]

    def attend(x: Any) -> Any:
        parts = kit.reshape(linear(x, qkv), (batch, length, 3, heads, depth))
        q, k, v = (kit.transpose(parts[:, :, i], (0, 2, 1, 3)) for i in range(3))
        scores = kit.as_f32(kit.matmul(q, kit.transpose(k, (0, 1, 3, 2))))
        scores = scores / depth**0.5
        if causal:
            scores = kit.where(kit.lower_triangle(length), scores, -1e30)
        y = kit.matmul(kit.softmax(scores), v)
        y = kit.reshape(kit.transpose(y, (0, 2, 1, 3)), (batch, length, width))
        return linear(y, out)

    def feed(x: Any) -> Any:
        return linear(kit.gelu(linear(x, up)), down)

    if norm_first:
        x = x + attend(norm(x, 0))
        return x + feed(norm(x, 1))
    x = norm(x + attend(x), 0)
    return norm(x + feed(x), 1)
