"""ResNet-18 on batches of 8 images of 112x112: a training step."""

import images
from numbers_of_cases import integers, normal

TITLE = "ResNet-18, batch 8, 112x112, momentum"
LOW, TOLERANCE = True, 5e-3
RATE, MOMENTUM = 0.001, 0.9


def batch():
    return normal(1, 8, 3, 112, 112), integers(2, 1000, 8)


def torch_like(kit):
    net = kit.fill(images.resnet(kit, deep=False))
    net.train()

    def loss(x, y):
        return kit.F.cross_entropy(net(x), y)

    optimizer = kit.sgd(net.parameters(), RATE, MOMENTUM)
    return kit.train(loss, optimizer, *map(kit.tensor, batch()))


def jax_like(kit):
    x, y = batch()

    def loss(x, y):
        return kit.cross_entropy(images.resnet_of(kit, kit.cast(x), False, True), y)

    x = kit.tensor(x.transpose(0, 2, 3, 1))
    return kit.train(loss, RATE, MOMENTUM, x, kit.tensor(y))
