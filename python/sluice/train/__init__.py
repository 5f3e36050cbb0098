"""The loop around a training step.

    trainer = train.Trainer(
        net, optimizer,
        lambda batch: nn.functional.cross_entropy(net(batch[0]), batch[1]),
        epochs=5, dir="runs/first")
    result = trainer.fit(loader, evaluate=lambda: {"accuracy": accuracy(net)})

With a folder, an interrupted run resumes from its last checkpoint, bitwise as if it had
not been interrupted.
"""

from ._early import EarlyStopping
from ._result import FitResult
from ._signals import StopSignals
from ._trainer import Trainer

__all__ = ["EarlyStopping", "FitResult", "StopSignals", "Trainer"]
