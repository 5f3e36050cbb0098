"""Layers on several ranks, and micro-batches that follow each other through them, by
the names of torch.distributed.pipelining.

    part = split_sequential(net, dist.get_world_size())[dist.get_rank()]
    stage = PipelineStage(part)
    schedule = Schedule1F1B(stage, n_microbatches=8, loss_fn=nn.functional.mse_loss)
    optimizer = optim.SGD(part.parameters(), lr=0.1)

    schedule.step(x)               # on the first rank
    schedule.step(target=y)        # on the last one; schedule.step() between
    optimizer.step()

It is library code: messages between ranks, and `backward()` of one stage.
"""

from __future__ import annotations

from ._orders import Action, drawn, gpipe_order, one_f_one_b_order, ticks
from ._schedule import Schedule1F1B, ScheduleGPipe, StepReport
from ._split import split_sequential
from ._stage import PipelineStage

__all__ = [
    "Action",
    "PipelineStage",
    "Schedule1F1B",
    "ScheduleGPipe",
    "StepReport",
    "drawn",
    "gpipe_order",
    "one_f_one_b_order",
    "split_sequential",
    "ticks",
]
