"""Tensors from one rank to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from ._collectives import Work
from ._group import group_name, rank_in

__all__ = ["P2POp", "batch_isend_irecv", "irecv", "isend", "recv", "send"]


def isend(tensor: Tensor, dst: int, group: Any = None, tag: int = 0) -> Work:
    """Begins to send a tensor to a rank, which calls recv with one of its type and
    shape. Where ranks send to each other, `batch_isend_irecv` does both at once;
    else each may wait for the other to receive."""
    return _moved(tensor, dst, None, -1, group)


def irecv(tensor: Tensor, src: int, group: Any = None, tag: int = 0) -> Work:
    """Begins to receive a tensor from a rank."""
    return _moved(None, -1, tensor, src, group)


def send(tensor: Tensor, dst: int, group: Any = None, tag: int = 0) -> None:
    """Sends a tensor to a rank, and returns when it is on its way."""
    isend(tensor, dst, group, tag).wait()


def recv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0
) -> int:
    """tensor becomes what a rank sends. Returns the rank."""
    if src is None:
        raise NotImplementedError("recv: from any rank; wanted src, the rank it is of")
    irecv(tensor, src, group, tag).wait()
    return src


class P2POp:
    """One of `batch_isend_irecv`: P2POp(dist.isend, tensor, rank)."""

    def __init__(
        self,
        op: Callable[..., Work],
        tensor: Tensor,
        peer: int,
        group: Any = None,
        tag: int = 0,
    ) -> None:
        if op not in (isend, irecv):
            raise ValueError(f"P2POp: op is {op!r}; wanted dist.isend or dist.irecv")
        self.op, self.tensor, self.peer, self.group = op, tensor, peer, group


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Begins to send and receive: of those of one group the first send goes with the
    first receive, and so on, each pair at the same time."""
    works = []
    groups = {id(p.group): p.group for p in p2p_op_list}
    for key, group in groups.items():
        ours = [p for p in p2p_op_list if id(p.group) == key]
        sends = [p for p in ours if p.op is isend]
        receives = [p for p in ours if p.op is irecv]
        for i in range(max(len(sends), len(receives))):
            out = sends[i] if i < len(sends) else None
            into = receives[i] if i < len(receives) else None
            works.append(
                _moved(
                    out.tensor if out else None,
                    out.peer if out else -1,
                    into.tensor if into else None,
                    into.peer if into else -1,
                    group,
                )
            )
    return works


def _moved(
    out: Tensor | None, dst: int, into: Tensor | None, src: int, group: Any
) -> Work:
    name = group_name(group)
    for what, tensor in (("send", out), ("recv", into)):
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"{what}: tensor is a {type(tensor).__name__}; wanted a Tensor"
            )
    to = -1 if out is None else rank_in(group, dst, "send: dst")
    of = -1 if into is None else rank_in(group, src, "recv: src")
    return Work(_core.dist_send_recv(out, to, into, of, name, True))
