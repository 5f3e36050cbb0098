"""Residual networks for images: ResNet-18 and -50, MobileNet-v2, in both forms."""

from __future__ import annotations

from typing import Any

MOBILE = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
          (6, 160, 3, 2), (6, 320, 1, 1))  # grow, width, count, stride


def residual(kit: Any, main: list[Any], short: Any, after: Any) -> Any:
    class Residual(kit.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.main = kit.nn.Sequential(*main)
            self.short = short

        def forward(self, x: Any) -> Any:
            y = self.main(x)
            y = y if self.short is None else y + self.short(x)
            return kit.F.relu(y) if after else y

    return Residual()


def conv_bn(kit: Any, a: int, b: int, size: int, stride: int = 1, groups: int = 1):
    nn = kit.nn
    conv = nn.Conv2d(a, b, size, stride=stride, padding=size // 2, groups=groups,
                     bias=False)
    return [conv, nn.BatchNorm2d(b)]


def resnet(kit: Any, deep: bool) -> Any:
    """ResNet-50 if `deep`, ResNet-18 if not."""
    nn = kit.nn
    layers = [*conv_bn(kit, 3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, padding=1)]
    size, counts = 64, (3, 4, 6, 3) if deep else (2, 2, 2, 2)
    for i, count in enumerate(counts):
        for k in range(count):
            width, stride = 64 << i, 2 if i > 0 and k == 0 else 1
            out = 4 * width if deep else width
            if deep:
                main = [*conv_bn(kit, size, width, 1), nn.ReLU(),
                        *conv_bn(kit, width, width, 3, stride), nn.ReLU(),
                        *conv_bn(kit, width, out, 1)]
            else:
                main = [*conv_bn(kit, size, width, 3, stride), nn.ReLU(),
                        *conv_bn(kit, width, width, 3)]
            same = stride == 1 and size == out
            short = nn.Identity() if same else nn.Sequential(
                *conv_bn(kit, size, out, 1, stride))
            layers.append(residual(kit, main, short, after=True))
            size = out
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(size, 1000))


def mobilenet(kit: Any) -> Any:
    nn = kit.nn
    layers, size = [*conv_bn(kit, 3, 32, 3, 2), nn.ReLU6()], 32
    for grow, width, count, stride in MOBILE:
        for k in range(count):
            wide, step = size * grow, stride if k == 0 else 1
            main = [*conv_bn(kit, size, wide, 1), nn.ReLU6()] if grow != 1 else []
            main += [*conv_bn(kit, wide, wide, 3, step, wide), nn.ReLU6(),
                     *conv_bn(kit, wide, width, 1)]
            short = nn.Identity() if step == 1 and size == width else None
            layers.append(residual(kit, main, short, after=False))
            size = width
    layers += [*conv_bn(kit, size, 1280, 1), nn.ReLU6()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(1280, 1000))


# The same for JAX and TensorFlow: weights are taken in the modules' order.


def conv_norm(kit: Any, x: Any, a: int, b: int, size: int, stride: int, training: bool,
              groups: int = 1) -> Any:
    return kit.batch_norm(kit.conv(x, a, b, size, stride, groups=groups), b, training)


def pooled(kit: Any, x: Any, size: int) -> Any:
    x = kit.reshape(kit.mean(x, (1, 2)), (x.shape[0], size))
    return kit.linear(x, size, 1000)


def resnet_of(kit: Any, x: Any, deep: bool, training: bool) -> Any:
    def layer(x: Any, a: int, b: int, size: int, stride: int = 1) -> Any:
        return conv_norm(kit, x, a, b, size, stride, training)

    x = kit.max_pool(kit.relu(layer(x, 3, 64, 7, 2)), 3, 2, 1)
    size, counts = 64, (3, 4, 6, 3) if deep else (2, 2, 2, 2)
    for i, count in enumerate(counts):
        for k in range(count):
            width, stride = 64 << i, 2 if i > 0 and k == 0 else 1
            out = 4 * width if deep else width
            if deep:
                y = kit.relu(layer(x, size, width, 1))
                y = kit.relu(layer(y, width, width, 3, stride))
                y = layer(y, width, out, 1)
            else:
                y = kit.relu(layer(x, size, width, 3, stride))
                y = layer(y, width, width, 3)
            same = stride == 1 and size == out
            x = kit.relu(y + (x if same else layer(x, size, out, 1, stride)))
            size = out
    return pooled(kit, x, size)


def mobilenet_of(kit: Any, x: Any, training: bool) -> Any:
    def layer(x: Any, a: int, b: int, size: int, stride: int = 1, groups: int = 1):
        return conv_norm(kit, x, a, b, size, stride, training, groups)

    x, size = kit.relu6(layer(x, 3, 32, 3, 2)), 32
    for grow, width, count, stride in MOBILE:
        for k in range(count):
            wide, step = size * grow, stride if k == 0 else 1
            y = kit.relu6(layer(x, size, wide, 1)) if grow != 1 else x
            y = kit.relu6(layer(y, wide, wide, 3, step, wide))
            y = layer(y, wide, width, 1)
            x = x + y if step == 1 and size == width else y
            size = width
    return pooled(kit, kit.relu6(layer(x, size, 1280, 1)), 1280)
