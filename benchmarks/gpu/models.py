"""The networks that are measured, written once: `nn` is sluice.nn or torch.nn,
`lib` the package it belongs to."""

from __future__ import annotations

from typing import Any


def mlp(nn: Any) -> Any:
    return nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10))


def alexnet(nn: Any) -> Any:
    def conv(a: int, b: int, k: int, stride: int = 1, pad: int = 0) -> list[Any]:
        return [nn.Conv2d(a, b, k, stride=stride, padding=pad), nn.ReLU()]

    return nn.Sequential(
        *conv(3, 64, 11, 4, 2), nn.MaxPool2d(3, 2),
        *conv(64, 192, 5, 1, 2), nn.MaxPool2d(3, 2),
        *conv(192, 384, 3, 1, 1), *conv(384, 256, 3, 1, 1), *conv(256, 256, 3, 1, 1),
        nn.MaxPool2d(3, 2), nn.Flatten(),
        nn.Linear(256 * 6 * 6, 4096), nn.ReLU(),
        nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 1000),
    )


def vgg_a(nn: Any) -> Any:
    layers: list[Any] = []
    size = 3
    for out in (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0):
        if out == 0:
            layers.append(nn.MaxPool2d(2, 2))
            continue
        layers += [nn.Conv2d(size, out, 3, padding=1), nn.ReLU()]
        size = out
    return nn.Sequential(
        *layers, nn.Flatten(),
        nn.Linear(512 * 7 * 7, 4096), nn.ReLU(),
        nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 1000),
    )


def resnet50(nn: Any) -> Any:
    def conv_bn(a: int, b: int, k: int, stride: int = 1) -> list[Any]:
        conv = nn.Conv2d(a, b, k, stride=stride, padding=k // 2, bias=False)
        return [conv, nn.BatchNorm2d(b)]

    class Block(nn.Module):
        def __init__(self, a: int, planes: int, stride: int) -> None:
            super().__init__()
            out = 4 * planes
            self.main = nn.Sequential(
                *conv_bn(a, planes, 1), nn.ReLU(),
                *conv_bn(planes, planes, 3, stride), nn.ReLU(),
                *conv_bn(planes, out, 1),
            )
            same = stride == 1 and a == out
            self.short = nn.Identity() if same else nn.Sequential(
                *conv_bn(a, out, 1, stride)
            )
            self.relu = nn.ReLU()

        def forward(self, x: Any) -> Any:
            return self.relu(self.main(x) + self.short(x))

    layers = [*conv_bn(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, padding=1)]
    size = 64
    for planes, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            layers.append(Block(size, planes, stride if i == 0 else 1))
            size = 4 * planes
    return nn.Sequential(*layers, nn.AvgPool2d(7), nn.Flatten(), nn.Linear(2048, 1000))


def gpt2(lib: Any, nn: Any, functional: Any) -> Any:
    """GPT-2 small: 12 layers of 768, 12 heads, 50257 words, 1024 places."""

    class Block(nn.Module):
        def __init__(self, size: int, heads: int) -> None:
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
            self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
            self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

        def forward(self, x: Any) -> Any:
            batch, length, size = x.shape
            parts = self.qkv(self.norm1(x)).reshape(
                batch, length, 3, self.heads, size // self.heads
            ).permute(2, 0, 3, 1, 4)
            y = functional.scaled_dot_product_attention(
                parts[0], parts[1], parts[2], is_causal=True
            )
            x = x + self.out(y.permute(0, 2, 1, 3).reshape(batch, length, size))
            return x + self.down(functional.gelu(self.up(self.norm2(x))))

    class GPT2(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(50257, 768), nn.Embedding(1024, 768)
            self.blocks = nn.Sequential(*(Block(768, 12) for _ in range(12)))
            self.norm = nn.LayerNorm(768)

        def forward(self, tokens: Any, at: Any) -> Any:
            x = self.blocks(self.words(tokens) + self.places(at))
            return functional.linear(self.norm(x), self.words.weight)

    return GPT2()
