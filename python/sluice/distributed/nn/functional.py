"""Collectives with gradients: each returns a new tensor and is an op, in captured
functions and graphs too.

The gradient of a rank's input is that of the sum of all ranks' losses.
"""

from __future__ import annotations

from typing import Any

from ... import _core
from ..._core import Tensor
from .._collectives import ReduceOp
from .._group import get_world_size, group_name, rank_in

__all__ = [
    "all_gather_tensor",
    "all_reduce",
    "all_to_all_single",
    "broadcast",
    "reduce",
    "reduce_scatter_tensor",
]


def _call(
    op: str, x: Tensor, group: Any, how: str = "", ranks: int = 0, root: int = -1
) -> Tensor:
    return _core.dist_call(op, [x], how, ranks, root, group_name(group))[0]


def all_reduce(tensor: Tensor, op: str = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The reduction of all ranks' tensors. Its gradient is an all_reduce; only sum
    and avg have one."""
    return _call("AllReduce", tensor, group, how=op)


def all_gather_tensor(tensor: Tensor, group: Any = None) -> Tensor:
    """All ranks' tensors, one after the other along axis 0. Its gradient is a
    reduce_scatter."""
    return _call("AllGather", tensor, group, ranks=get_world_size(group))


def reduce_scatter_tensor(
    tensor: Tensor, op: str = ReduceOp.SUM, group: Any = None
) -> Tensor:
    """This rank's part along axis 0 of the reduction of all. Its gradient is an
    all_gather."""
    return _call("ReduceScatter", tensor, group, how=op, ranks=get_world_size(group))


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """The tensor of rank src. Its gradient is summed there."""
    root = rank_in(group, src, "broadcast: src")
    return _call("BroadcastFrom", tensor, group, root=root)


def reduce(tensor: Tensor, dst: int, group: Any = None) -> Tensor:
    """The sum of all on rank dst, zeros elsewhere. Its gradient is that of dst."""
    root = rank_in(group, dst, "reduce: dst")
    return _call("ReduceTo", tensor, group, root=root)


def all_to_all_single(tensor: Tensor, group: Any = None) -> Tensor:
    """Part j along axis 0 goes to rank j; part j of the result came from it. Its
    gradient is an all_to_all."""
    return _call("AllToAll", tensor, group, ranks=get_world_size(group))
