"""Learning rates that change from step to step, by PyTorch's names.

    schedule = lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.1)
    for epoch in range(90):
        train()
        schedule.step()

Rates are numbers of the program: a captured function sees them change. In a
graph, use ``Optimizer.follow`` with a curve. A scheduler that finds another
rate than it has set (another scheduler, or the program, changed it) multiplies
that rate, so that schedulers may be used together; as PyTorch's, ``LambdaLR``,
``CyclicLR``, ``OneCycleLR`` and ``CosineAnnealingWarmRestarts`` set their own.
"""

from ._base import LRScheduler
from ._cycles import CosineAnnealingWarmRestarts, OneCycleLR
from ._cyclic import CyclicLR
from ._formula import CurveLR
from ._joined import ChainedScheduler, SequentialLR
from ._plain import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from ._plateau import ReduceLROnPlateau

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CurveLR",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
