"""MobileNet-v2 of one image of 224x224: inference."""

import images
from numbers_of_cases import normal

TITLE = "MobileNet-v2 inference, batch 1"
ONNX = True


def torch_like(kit):
    net = kit.fill(images.mobilenet(kit))
    return kit.infer(net, kit.tensor(normal(1, 1, 3, 224, 224)))


def jax_like(kit):
    x = normal(1, 1, 3, 224, 224).transpose(0, 2, 3, 1)
    return kit.infer(
        lambda x: images.mobilenet_of(kit, kit.cast(x), False), kit.tensor(x))
