"""Training steps of whole models in PyTorch, beside ours in examples/models.

Each function gets the batch and then the parameters, in the order of ours, and
returns a step to call: forward, backward, update. Dropout is left out on both
sides, so that the losses can be compared.
"""
import torch
import torch.nn.functional as F
from torch import nn


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc3(F.relu(self.fc2(x)))


class Bottleneck(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(
            width, width, 3, stride=stride, padding=1, bias=False
        )
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or channels != 4 * width:
            self.downsample = nn.Sequential(
                nn.Conv2d(channels, 4 * width, 1, stride=stride, bias=False),
                nn.BatchNorm2d(4 * width),
            )

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        if self.downsample is not None:
            x = self.downsample(x)
        return self.relu(y + x)


class ResNet50(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        channels = 64
        for i, count in enumerate((3, 4, 6, 3)):
            blocks = []
            for k in range(count):
                stride = 2 if i > 0 and k == 0 else 1
                blocks.append(Bottleneck(channels, 64 << i, stride))
                channels = 4 * (64 << i)
            setattr(self, f"layer{i + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(channels, 1000)

    def forward(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        x = F.max_pool2d(x, 3, stride=2, padding=1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


class VggA(nn.Module):
    def __init__(self):
        super().__init__()
        layers, channels = [], 3
        for width in (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0):
            if width == 0:
                layers.append(nn.MaxPool2d(2))
                continue
            layers += [
                nn.Conv2d(channels, width, 3, padding=1),
                nn.ReLU(inplace=True),
            ]
            channels = width
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Linear(512 * 49, 4096),
            nn.ReLU(inplace=True),
            nn.Linear(4096, 4096),
            nn.ReLU(inplace=True),
            nn.Linear(4096, 1000),
        )

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def conv_bn(channels, width, size, stride, groups=1):
    return [
        nn.Conv2d(
            channels,
            width,
            size,
            stride=stride,
            padding=size // 2,
            groups=groups,
            bias=False,
        ),
        nn.BatchNorm2d(width),
    ]


class InvertedResidual(nn.Module):
    def __init__(self, channels, width, stride, grow):
        super().__init__()
        wide = channels * grow
        layers = []
        if grow != 1:
            layers += [*conv_bn(channels, wide, 1, 1), nn.ReLU6(inplace=True)]
        layers += [
            *conv_bn(wide, wide, 3, stride, groups=wide),
            nn.ReLU6(inplace=True),
            *conv_bn(wide, width, 1, 1),
        ]
        self.conv = nn.Sequential(*layers)
        self.keeps = stride == 1 and channels == width

    def forward(self, x):
        return x + self.conv(x) if self.keeps else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [*conv_bn(3, 32, 3, 2), nn.ReLU6(inplace=True)]
        channels = 32
        for grow, width, count, stride in (
            (1, 16, 1, 1),
            (6, 24, 2, 2),
            (6, 32, 3, 2),
            (6, 64, 4, 2),
            (6, 96, 3, 1),
            (6, 160, 3, 2),
            (6, 320, 1, 1),
        ):
            for k in range(count):
                layers.append(
                    InvertedResidual(
                        channels, width, stride if k == 0 else 1, grow
                    )
                )
                channels = width
        layers += [*conv_bn(channels, 1280, 1, 1), nn.ReLU6(inplace=True)]
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(1280, 1000)

    def forward(self, x):
        x = self.features(x)
        return self.classifier(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x))
        qkv = qkv.view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class TransformerLm(nn.Module):
    def __init__(self, vocabulary, length, width=256, heads=4, depth=4):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Parameter(torch.zeros(length, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, ids):
        x = self.tokens(ids) + self.places[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)).flatten(0, 1)


class Ncf(nn.Module):
    def __init__(self, users, items, width, layers):
        super().__init__()
        self.mf_user = nn.Embedding(users, width)
        self.mf_item = nn.Embedding(items, width)
        self.mlp_user = nn.Embedding(users, layers[0] // 2)
        self.mlp_item = nn.Embedding(items, layers[0] // 2)
        steps = []
        for wide, narrow in zip(layers, layers[1:]):
            steps += [nn.Linear(wide, narrow), nn.ReLU()]
        self.mlp = nn.Sequential(*steps)
        self.head = nn.Linear(width + layers[-1], 1)

    def forward(self, users, items):
        mf = self.mf_user(users) * self.mf_item(items)
        mlp = torch.cat([self.mlp_user(users), self.mlp_item(items)], 1)
        return self.head(torch.cat([mf, self.mlp(mlp)], 1)).flatten()


def train(model, loss_of, optimizer_of, parameters):
    """A step of the model with these values for its parameters, if any."""
    with torch.no_grad():
        own = list(model.parameters())
        if parameters and len(own) != len(parameters):
            raise ValueError(
                f"{len(own)} parameters here, {len(parameters)} there"
            )
        for mine, given in zip(own, parameters):
            mine.copy_(given)
    optimizer = optimizer_of(model.parameters())

    def step(*_):
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def momentum(parameters):
    return torch.optim.SGD(parameters, lr=1e-3, momentum=0.9)


def classifier(make):
    def case(images, labels, *parameters):
        return train(
            make(),
            lambda model: F.cross_entropy(model(images), labels),
            momentum,
            parameters,
        )

    return case


def transformer(ids, targets, *parameters):
    return train(
        TransformerLm(62, ids.shape[1]),
        lambda model: F.cross_entropy(model(ids), targets.flatten()),
        lambda p: torch.optim.AdamW(p, lr=1e-3),
        parameters,
    )


def ncf(users, items, liked, *parameters):
    return train(
        Ncf(6040, 3706, 64, [256, 256, 128, 64]),
        lambda model: F.binary_cross_entropy_with_logits(
            model(users, items), liked
        ),
        lambda p: torch.optim.Adam(p, lr=1e-3),
        parameters,
    )


STEPS = {
    "train_lenet": classifier(LeNet),
    "train_resnet50": classifier(ResNet50),
    "train_vgg_a": classifier(VggA),
    "train_mobilenet_v2": classifier(MobileNetV2),
    "train_transformer": transformer,
    "train_ncf": ncf,
}
