"""Models of the fleet benchmark that only our ranks train: each function takes a batch
size and gives a network and its loss, a function of the network."""

from __future__ import annotations

import pathlib
import sys

import sluice as sl
from sluice import nn

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "examples" / "python"))


def gpt(batch):
    """4 layers of 128, sequences of 64 tokens: 0.8 million weights."""
    from gpt2 import GPT2, Config

    net = GPT2(Config(256, 64, n_embd=128, n_layer=4, n_head=4))
    tokens = sl.randint(0, 256, (batch, 65))

    def loss(model):
        scores = model(tokens[:, :-1]).reshape(-1, 256)
        return nn.functional.cross_entropy(scores, tokens[:, 1:].reshape(-1))

    return net, loss


def resnet18(batch):
    """Images of 64 x 64: 11.7 million weights."""
    from resnet import resnet18

    net = resnet18()
    images = sl.rand(batch, 3, 64, 64)
    labels = sl.zeros([batch], dtype=sl.int64)
    return net, lambda model: nn.functional.cross_entropy(model(images), labels)


class Clicks(nn.Module):
    """8 of 100,000 rows of 32 for each example, and three layers on them."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(100_000, 32, sparse=True)
        self.layers = nn.Sequential(
            nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(),
            nn.Linear(256, 1),
        )  # fmt: skip

    def forward(self, rows):
        return self.layers(self.table(rows).reshape(rows.shape[0], -1))


def embedding(batch):
    """Rows of a table whose gradients are rows: 3.2 million weights and 0.3 of layers."""
    rows = sl.randint(0, 100_000, (batch, 8))
    return Clicks(), lambda model: model(rows).square().mean()


MODELS = {"gpt": gpt, "resnet18": resnet18, "embedding": embedding}
