"""Models of which every rank keeps a part of each parameter only (ZeRO's third
stage), by the names of torch.distributed.fsdp.

    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    optimizer = optim.Adam(model.parameters(), lr=1e-3)   # of the parts

It is library code: collectives with gradients, and `checkpoint`.
"""

from __future__ import annotations

from ._shard import fully_shard
from ._state import (
    clip_grad_norm_,
    full_optim_state_dict,
    full_state_dict,
    load_full_optim_state_dict,
    load_full_state_dict,
)
from ._wrapper import FullyShardedDataParallel

__all__ = [
    "FullyShardedDataParallel",
    "clip_grad_norm_",
    "full_optim_state_dict",
    "full_state_dict",
    "fully_shard",
    "load_full_optim_state_dict",
    "load_full_state_dict",
]
