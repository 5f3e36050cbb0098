"""A small model that tests of modules share."""

import numpy as np
import sluice as sl
from sluice import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 3)
        self.body = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Dropout(0.5))
        self.scale = nn.Parameter(sl.ones((3,)))
        self.register_buffer("seen", sl.zeros((2,)))
        self.register_buffer("scratch", sl.zeros((2,)), persistent=False)

    def forward(self, x):
        return self.body(self.fc1(x)) * self.scale


X = np.arange(8, dtype=np.float32).reshape(2, 4)
NAMES = ["scale", "fc1.weight", "fc1.bias", "body.0.weight", "body.0.bias"]
