"""Files of tensors, and checkpoints.

    sl.save(net, "net.safetensors")
    io.load_into(net, sl.load("other.safetensors"), prefixes={"module.": ""},
                 strict=False)

    checkpoints = io.CheckpointManager("runs/first", keep_last=3)
    checkpoints.save(step, model=net, optimizer=optimizer, loader=loader)
    ...
    last = checkpoints.restore(model=net, optimizer=optimizer, loader=loader)
    step = last.step if last else 0
"""

from .._core import KeyReport
from .._files import load, save
from ._checkpoint import (
    Checkpoint,
    CheckpointManager,
    load_checkpoint,
    save_checkpoint,
)
from ._safetensors import SafetensorsFile, TensorInfo, load_into, safe_open

__all__ = [
    "Checkpoint",
    "CheckpointManager",
    "KeyReport",
    "SafetensorsFile",
    "TensorInfo",
    "load",
    "load_checkpoint",
    "load_into",
    "safe_open",
    "save",
    "save_checkpoint",
]
