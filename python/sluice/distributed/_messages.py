"""Tensors from one rank to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .._closed import closed
from .._core import Tensor
from ._collectives import Work
from ._group import get_rank, get_world_size, group_name, rank_in

__all__ = ["P2POp", "batch_isend_irecv", "irecv", "isend", "recv", "send"]


def isend(tensor: Tensor, dst: int, group: Any = None, tag: int = 0) -> Work:
    """Begins to send a tensor to a rank, which calls recv with one of its type and
    shape, and the same tag. Messages arrive in the order they were sent, whatever
    their tags; one that is received with another tag is an error. Where ranks send
    to each other, `batch_isend_irecv` does both at once; else each may wait for the
    other to receive."""
    return _moved(P2POp(isend, tensor, dst, group, tag), None)


def irecv(tensor: Tensor, src: int, group: Any = None, tag: int = 0) -> Work:
    """Begins to receive a tensor from a rank."""
    return _moved(None, P2POp(irecv, tensor, src, group, tag))


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


@closed
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
        self.tag = int(tag)


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Begins to send and receive, all at the same time: the order of the list is
    that of messages between the same two ranks, and nothing else. Returns what to
    wait for, one for each of the list."""
    works: list[Any] = [None] * len(p2p_op_list)
    for group in {id(p.group): p.group for p in p2p_op_list}.values():
        ours = [i for i, p in enumerate(p2p_op_list) if p.group is group]
        sends = _rounds(p2p_op_list, ours, isend)
        receives = _rounds(p2p_op_list, ours, irecv)
        for turn in sorted(sends.keys() | receives.keys()):
            both = [sends.get(turn), receives.get(turn)]
            out, into = (None if i is None else p2p_op_list[i] for i in both)
            work = _moved(out, into)
            for i in both:
                if i is not None:
                    works[i] = work
    return works


def _rounds(
    ops: Sequence[P2POp], numbers: Sequence[int], kind: Callable[..., Work]
) -> dict[tuple[int, int], int]:
    """The operation of every round. It follows from the distance of the two ranks and
    from the number of earlier messages between them, so that sender and receiver agree
    and no cycle of waiting ranks can form."""
    found: dict[tuple[int, int], int] = {}
    seen: dict[int, int] = {}
    for i in numbers:
        op = ops[i]
        if op.op is not kind:
            continue
        peer = rank_in(op.group, op.peer, "batch_isend_irecv: peer")
        ahead = peer - get_rank(op.group)
        far = (ahead if kind is isend else -ahead) % get_world_size(op.group)
        count = seen[far] = seen.get(far, -1) + 1
        found[far, count] = i
    return found


def _moved(out: P2POp | None, into: P2POp | None) -> Work:
    name = group_name((out or into).group)  # type: ignore[union-attr]
    to = of = -1
    if out is not None:
        to = rank_in(out.group, out.peer, "send: dst")
    if into is not None:
        of = rank_in(into.group, into.peer, "recv: src")
    sent, taken = (None if one is None else one.tensor for one in (out, into))
    for what, one in (("send", out), ("recv", into)):
        if one is not None and not isinstance(one.tensor, Tensor):
            raise TypeError(
                f"{what}: tensor is a {type(one.tensor).__name__}; wanted a Tensor"
            )
    tags = [0 if one is None else one.tag for one in (out, into)]
    return Work(_core.dist_send_recv(sent, to, taken, of, name, True, *tags))
