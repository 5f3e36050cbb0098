"""Optimizers, schedules of their learning rates, and what goes with them.

    optimizer = optim.Adam(net.parameters(), lr=1e-3)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=100)
    for images, labels in loader:
        loss = nn.functional.cross_entropy(net(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

The same text works in a function that is captured. In a graph,
``optim.SGD(lr=0.1).minimize(loss)`` gives the operation to run.
"""

from . import lr_scheduler, swa_utils
from ._clip import (
    EMA,
    clip_by_global_norm,
    clip_grad_norm_,
    clip_grad_value_,
    global_norm,
)
from ._curves import (
    Curve,
    anneal,
    constant_factor,
    constant_rate,
    cosine,
    cosine_restarts,
    cyclic,
    exponential,
    linear_factor,
    multi_step,
    one_cycle,
    polynomial,
    step_decay,
    warm_up,
)
from ._optimizer import Optimizer, ParamGroup
from ._optimizers import (
    LBFGS,
    SGD,
    Adadelta,
    Adafactor,
    Adagrad,
    Adam,
    AdamW,
    Lion,
    RMSprop,
)
from ._rarer import ASGD, Adamax, NAdam, RAdam, Rprop

__all__ = [
    "ASGD",
    "EMA",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Curve",
    "Lion",
    "NAdam",
    "Optimizer",
    "ParamGroup",
    "RAdam",
    "RMSprop",
    "Rprop",
    "anneal",
    "clip_by_global_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "constant_factor",
    "constant_rate",
    "cosine",
    "cosine_restarts",
    "cyclic",
    "exponential",
    "global_norm",
    "linear_factor",
    "lr_scheduler",
    "multi_step",
    "one_cycle",
    "polynomial",
    "step_decay",
    "swa_utils",
    "warm_up",
]
