"""Collectives on tensors. They write in place and have no gradients; those of
`sluice.distributed.nn.functional` do."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .._closed import closed
from .._core import Tensor
from ._group import get_rank, get_world_size, group_name, rank_in, seconds

__all__ = [
    "ReduceOp",
    "Work",
    "all_gather",
    "all_gather_into_tensor",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
]


class ReduceOp:
    """How the values of ranks become one."""

    SUM = "sum"
    AVG = "avg"
    PRODUCT = "product"
    MIN = "min"
    MAX = "max"
    BAND = "band"
    BOR = "bor"
    BXOR = "bxor"


@closed
class Work:
    """A collective that was begun: tensors may be used after ``wait()``."""

    def __init__(self, work: Any, finish: Callable[[], None] | None = None) -> None:
        self._work, self._finish = work, finish

    def wait(self, timeout: datetime.timedelta | float | None = None) -> bool:
        """Returns when it has ended, or raises its error. Raises TimeoutError after
        the timeout, while the collective continues."""
        if timeout is not None:
            self._wait_until(time.monotonic() + seconds(timeout))
        self._work.wait()
        finish, self._finish = self._finish, None
        if finish is not None:
            finish()
        return True

    def _wait_until(self, latest: float) -> None:
        pause = 1e-5
        while not self.is_completed():
            left = latest - time.monotonic()
            if left <= 0:
                raise TimeoutError("Work.wait: the collective has not ended yet")
            time.sleep(min(pause, left))
            pause = min(2 * pause, 0.01)

    def is_completed(self) -> bool:
        """Whether wait() would return at once."""
        return self._work.is_completed()


def _given(
    work: Any, async_op: bool, finish: Callable[[], None] | None = None
) -> Work | None:
    handle = Work(work, finish)
    if async_op:
        return handle
    handle.wait()
    return None


def _tensor(name: str, what: str, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    raise TypeError(f"{name}: {what} is a {type(value).__name__}; wanted a Tensor")


def _list(name: str, what: str, value: Any, size: int) -> list[Tensor]:
    if not isinstance(value, (list, tuple)) or len(value) != size:
        got = f"{len(value)}" if isinstance(value, (list, tuple)) else type(value)
        raise ValueError(
            f"{name}: {what} is {got}; wanted a list of {size} tensors, one for "
            "every rank"
        )
    return [_tensor(name, what, t) for t in value]


def _like(name: str, what: str, tensors: list[Tensor], like: Tensor) -> None:
    """Checks that gathered or scattered tensors have one dtype and shape."""
    for i, t in enumerate(tensors):
        if t.shape != like.shape or t.dtype != like.dtype:
            raise ValueError(
                f"{name}: {what}[{i}] is {t.dtype} of shape {list(t.shape)}; wanted "
                f"{like.dtype} of shape {list(like.shape)}, as the others"
            )


def all_reduce(
    tensor: Tensor, op: str = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """tensor becomes the reduction of all ranks' tensors, on every rank."""
    t = _tensor("all_reduce", "tensor", tensor)
    return _given(_core.dist_all_reduce(t, op, group_name(group), async_op), async_op)


def broadcast(
    tensor: Tensor, src: int, group: Any = None, async_op: bool = False
) -> Work | None:
    """tensor becomes that of rank src."""
    t = _tensor("broadcast", "tensor", tensor)
    name, root = group_name(group), rank_in(group, src, "broadcast: src")
    return _given(_core.dist_broadcast(t, root, name, async_op), async_op)


def reduce(
    tensor: Tensor,
    dst: int,
    op: str = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """tensor of rank dst becomes the reduction of all; those of others stay."""
    t = _tensor("reduce", "tensor", tensor)
    if get_rank(group) == rank_in(group, dst, "reduce: dst"):
        return all_reduce(t, op, group, async_op)
    return all_reduce(t.detach().clone(), op, group, async_op)


def all_gather_into_tensor(
    output_tensor: Tensor,
    input_tensor: Tensor,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """output_tensor becomes all ranks' input_tensors, one after the other."""
    out = _tensor("all_gather_into_tensor", "output_tensor", output_tensor)
    t = _tensor("all_gather_into_tensor", "input_tensor", input_tensor)
    work = _core.dist_all_gather(out, t, group_name(group), async_op)
    return _given(work, async_op)


def all_gather(
    tensor_list: Sequence[Tensor],
    tensor: Tensor,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """tensor_list becomes the tensors of all ranks."""
    size = get_world_size(group)
    into = _list("all_gather", "tensor_list", tensor_list, size)
    t = _tensor("all_gather", "tensor", tensor)
    _like("all_gather", "tensor_list", into, t)
    whole = _many(t, size)
    work = _core.dist_all_gather(whole, t.unsqueeze(0), group_name(group), async_op)
    return _given(work, async_op, lambda: _put(into, whole))


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: str = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """output becomes this rank's part of the reduction of all ranks' inputs."""
    out = _tensor("reduce_scatter_tensor", "output", output)
    t = _tensor("reduce_scatter_tensor", "input", input)
    work = _core.dist_reduce_scatter(out, t, op, group_name(group), async_op)
    return _given(work, async_op)


def reduce_scatter(
    output: Tensor,
    input_list: Sequence[Tensor],
    op: str = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """output becomes the reduction of what all ranks have for this one."""
    size = get_world_size(group)
    parts = _list("reduce_scatter", "input_list", input_list, size)
    out = _tensor("reduce_scatter", "output", output)
    _like("reduce_scatter", "input_list", parts, out)
    whole = _stacked(parts)
    into = _many(parts[0], 1)
    work = _core.dist_reduce_scatter(into, whole, op, group_name(group), async_op)
    return _given(work, async_op, lambda: _put([out], into))


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Any = None,
    input_split_sizes: Any = None,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Part j of input along axis 0 goes to rank j; part j of output came from it."""
    if output_split_sizes or input_split_sizes:
        raise NotImplementedError(
            "all_to_all_single: split sizes are not supported; wanted equal parts"
        )
    out = _tensor("all_to_all_single", "output", output)
    t = _tensor("all_to_all_single", "input", input)
    work = _core.dist_all_to_all(out, t, group_name(group), async_op)
    return _given(work, async_op)


def all_to_all(
    output_tensor_list: Sequence[Tensor],
    input_tensor_list: Sequence[Tensor],
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """input_tensor_list[j] goes to rank j; output_tensor_list[j] came from it. All
    of one shape."""
    size = get_world_size(group)
    into = _list("all_to_all", "output_tensor_list", output_tensor_list, size)
    parts = _list("all_to_all", "input_tensor_list", input_tensor_list, size)
    _like("all_to_all", "input_tensor_list", parts, parts[0])
    _like("all_to_all", "output_tensor_list", into, parts[0])
    whole = _stacked(parts)
    moved = _many(parts[0], size)
    work = _core.dist_all_to_all(moved, whole, group_name(group), async_op)
    return _given(work, async_op, lambda: _put(into, moved))


def gather(
    tensor: Tensor,
    gather_list: Sequence[Tensor] | None = None,
    dst: int = 0,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """gather_list of rank dst becomes the tensors of all ranks."""
    size = get_world_size(group)
    t = _tensor("gather", "tensor", tensor)
    here = get_rank(group) == rank_in(group, dst, "gather: dst")
    if not here and gather_list:
        raise ValueError(f"gather: gather_list is given on a rank that is not {dst}")
    into = _list("gather", "gather_list", gather_list, size) if here else []
    _like("gather", "gather_list", into, t)
    whole = _many(t, size)
    work = _core.dist_all_gather(whole, t.unsqueeze(0), group_name(group), async_op)
    return _given(work, async_op, lambda: _put(into, whole))


def scatter(
    tensor: Tensor,
    scatter_list: Sequence[Tensor] | None = None,
    src: int = 0,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """tensor becomes this rank's of the scatter_list of rank src."""
    size, rank = get_world_size(group), get_rank(group)
    root = rank_in(group, src, "scatter: src")
    t = _tensor("scatter", "tensor", tensor)
    whole = _many(t, size)
    if rank == root:
        parts = _list("scatter", "scatter_list", scatter_list, size)
        _like("scatter", "scatter_list", parts, t)
        whole = _stacked(parts)
    elif scatter_list:
        raise ValueError(f"scatter: scatter_list is given on a rank that is not {src}")
    work = _core.dist_broadcast(whole, root, group_name(group), async_op)
    return _given(work, async_op, lambda: _put([t], whole[rank : rank + 1]))


def barrier(group: Any = None, async_op: bool = False) -> Work | None:
    """Returns when every rank has come to it."""
    return _given(_core.dist_barrier(group_name(group)), async_op)


def _many(like: Tensor, size: int) -> Tensor:
    import sluice as sl

    return sl.empty([size, *like.shape], dtype=like.dtype)


def _stacked(parts: list[Tensor]) -> Tensor:
    import sluice as sl

    with sl.no_grad():
        return sl.stack(parts)


def _put(into: Sequence[Tensor], whole: Tensor) -> None:
    import sluice as sl

    with sl.no_grad():
        for i, tensor in enumerate(into):
            tensor.copy_(whole[i])
