"""Ranks that train together, by the names of torch.distributed.

    import sluice as sl
    import sluice.distributed as dist

    dist.init_process_group()              # who we are, from the environment
    model = sl.nn.parallel.DistributedDataParallel(model)
    ...
    dist.destroy_process_group()

started by ``sluice launch --ranks 4 python train.py`` on one machine, or by
torchrun, srun or mpirun. Every rank calls the same collectives in the same
order; where they do not, all of them are told so. A rank that dies ends the
others with an error that names it.

What has gradients is in ``sluice.distributed.nn.functional``.
"""

from __future__ import annotations

from . import checkpoint as checkpoint
from . import fsdp as fsdp
from . import nn as nn
from . import pipelining as pipelining
from ._collectives import (
    ReduceOp,
    Work,
    all_gather,
    all_gather_into_tensor,
    all_reduce,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
)
from ._group import (
    ProcessGroup,
    abort_process_group,
    destroy_process_group,
    flight_record,
    get_backend,
    get_rank,
    get_world_size,
    init_process_group,
    is_available,
    is_initialized,
    is_torchelastic_launched,
    new_group,
)
from ._messages import P2POp, batch_isend_irecv, irecv, isend, recv, send
from ._objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
)
from ._parameter_servers import (
    Asynchronous,
    ParameterServers,
    Synchronous,
    parameter_servers,
)
from ._stragglers import StragglerReport, straggler_report

__all__ = [
    "Asynchronous",
    "P2POp",
    "ParameterServers",
    "ProcessGroup",
    "ReduceOp",
    "StragglerReport",
    "Synchronous",
    "Work",
    "abort_process_group",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "checkpoint",
    "destroy_process_group",
    "flight_record",
    "fsdp",
    "gather",
    "gather_object",
    "get_backend",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_initialized",
    "irecv",
    "is_torchelastic_launched",
    "isend",
    "new_group",
    "nn",
    "parameter_servers",
    "pipelining",
    "recv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "send",
    "straggler_report",
]
