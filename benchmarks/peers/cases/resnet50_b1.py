"""ResNet-50 of one image of 224x224: inference."""

import images
from numbers_of_cases import normal

TITLE = "ResNet-50 inference, batch 1"
LOW, ONNX = True, True


def torch_like(kit):
    net = kit.fill(images.resnet(kit, deep=True))
    return kit.infer(net, kit.tensor(normal(1, 1, 3, 224, 224)))


def jax_like(kit):
    x = normal(1, 1, 3, 224, 224).transpose(0, 2, 3, 1)
    return kit.infer(
        lambda x: images.resnet_of(kit, kit.cast(x), True, False), kit.tensor(x))
