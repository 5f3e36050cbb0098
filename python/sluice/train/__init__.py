"""The loop around a training step.

    trainer = train.Trainer(
        net, optimizer,
        lambda batch: nn.functional.cross_entropy(net(batch[0]), batch[1]),
        epochs=5, dir="runs/first")
    result = trainer.fit(loader, evaluate=lambda: {"accuracy": accuracy(net)})

With a folder, a run that was stopped goes on where its last checkpoint is, bit
for bit as if it had not been stopped.
"""

from ._early import EarlyStopping
from ._result import FitResult
from ._signals import StopSignals
from ._trainer import Trainer

__all__ = ["EarlyStopping", "FitResult", "StopSignals", "Trainer"]
