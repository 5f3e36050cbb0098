"""ResNet (He et al. 2015), with the key names of torchvision's models.

    net = resnet18()
    net.load_state_dict(sl.load("resnet18.safetensors"))
    logits = net.eval()(images)           # [N, 3, H, W] -> [N, 1000]
"""

from __future__ import annotations

from typing import Any

import sluice as sl
import sluice.nn.functional as F
from sluice import nn


def conv3x3(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(in_planes, out_planes, 3, stride, padding=1, bias=False)


def conv1x1(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(in_planes, out_planes, 1, stride, bias=False)


class BasicBlock(nn.Module):
    """Two convolutions, and the input added to what they give."""

    expansion = 1

    def __init__(self, inplanes: int, planes: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1, self.bn1 = conv3x3(inplanes, planes, stride), nn.BatchNorm2d(planes)
        self.conv2, self.bn2 = conv3x3(planes, planes), nn.BatchNorm2d(planes)
        self.downsample = shortcut(inplanes, planes, stride)

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(nn.Module):
    """The same, with the wide convolution between two narrow ones."""

    expansion = 4

    def __init__(self, inplanes: int, planes: int, stride: int = 1) -> None:
        super().__init__()
        out = planes * self.expansion
        self.conv1, self.bn1 = conv1x1(inplanes, planes), nn.BatchNorm2d(planes)
        self.conv2, self.bn2 = conv3x3(planes, planes, stride), nn.BatchNorm2d(planes)
        self.conv3, self.bn3 = conv1x1(planes, out), nn.BatchNorm2d(out)
        self.downsample = shortcut(inplanes, out, stride)

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


def shortcut(inplanes: int, out: int, stride: int) -> nn.Sequential | None:
    """What makes the input fit the result, where it does not."""
    if stride == 1 and inplanes == out:
        return None
    return nn.Sequential(conv1x1(inplanes, out, stride), nn.BatchNorm2d(out))


class ResNet(nn.Module):
    def __init__(
        self,
        block: type[BasicBlock] | type[Bottleneck],
        layers: list[int],
        num_classes: int = 1000,
    ) -> None:
        super().__init__()
        self.inplanes = 64
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = self._blocks(block, 64, layers[0])
        self.layer2 = self._blocks(block, 128, layers[1], stride=2)
        self.layer3 = self._blocks(block, 256, layers[2], stride=2)
        self.layer4 = self._blocks(block, 512, layers[3], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten()
        self.fc = nn.Linear(512 * block.expansion, num_classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(
                    module.weight, mode="fan_out", nonlinearity="relu"
                )

    def _blocks(
        self, block: Any, planes: int, count: int, stride: int = 1
    ) -> nn.Sequential:
        blocks = []
        for i in range(count):
            blocks.append(block(self.inplanes, planes, stride if i == 0 else 1))
            self.inplanes = planes * block.expansion
        return nn.Sequential(*blocks)

    def forward(self, x: sl.Tensor) -> sl.Tensor:
        x = self.maxpool(F.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        logits: sl.Tensor = self.fc(self.flatten(self.avgpool(x)))
        return logits


def resnet18(num_classes: int = 1000) -> ResNet:
    return ResNet(BasicBlock, [2, 2, 2, 2], num_classes)


def resnet50(num_classes: int = 1000) -> ResNet:
    return ResNet(Bottleneck, [3, 4, 6, 3], num_classes)


if __name__ == "__main__":
    net = resnet18(num_classes=10)
    print(nn.summary(net.eval(), (1, 3, 32, 32)))
    net.train()
    sl.manual_seed(0)
    images = sl.randn(4, 3, 32, 32)
    labels = sl.tensor([0, 1, 2, 3])
    loss = F.cross_entropy(net(images), labels)
    loss.backward()
    print("loss", round(float(loss), 2))
