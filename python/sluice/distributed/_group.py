"""The process group: the rank of this process, and how the group ends."""

from __future__ import annotations

import atexit
import datetime
import os
import sys
from collections.abc import Callable
from typing import Any

from .. import _core
from .._closed import closed

__all__ = [
    "ProcessGroup",
    "abort_all",
    "abort_process_group",
    "before_leaving",
    "destroy_process_group",
    "flight_record",
    "get_backend",
    "get_rank",
    "get_world_size",
    "group_name",
    "init_process_group",
    "is_available",
    "is_initialized",
    "is_torchelastic_launched",
    "new_group",
    "rank_in",
    "seconds",
]

WORLD = "world"
# Our name, and PyTorch's names for CPU backends.
_BACKENDS = ("tcp", "gloo")
_watching_the_end = False
_leaving: list[Callable[[], None]] = []


def before_leaving(call: Callable[[], None]) -> None:
    """Registers a function to call when this rank is about to leave the group of all
    ranks, unless it ends with an error."""
    _leaving.append(call)


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: datetime.timedelta | float | None = None,
    world_size: int = -1,
    rank: int = -1,
) -> None:
    """Meets the other ranks; returns when all are there.

    Without init_method who we are comes from the environment: what `sluice
    launch --ranks`, torchrun, srun or mpirun say. "tcp://host:port" is the
    address of rank 0, with rank and world_size. timeout, in seconds or as a
    timedelta (30 minutes), is how long ranks wait for each other, here and in
    every collective. backend is "tcp"; "gloo" means the same.
    """
    if backend is not None and backend.lower() not in _BACKENDS:
        raise ValueError(
            f"init_process_group: backend is {backend!r}; wanted one of "
            f"{', '.join(map(repr, _BACKENDS))}"
        )
    address = ""
    if init_method not in (None, "env://"):
        scheme, _, address = str(init_method).partition("://")
        if scheme != "tcp" or not address:
            raise ValueError(
                f"init_process_group: init_method is {init_method!r}; wanted "
                "'env://' or 'tcp://host:port'"
            )
    _core.dist_init(address, rank, world_size, WORLD, seconds(timeout))
    global _watching_the_end
    if not _watching_the_end:
        _watching_the_end = True
        atexit.register(_end)


def _end() -> None:
    """Tells the other ranks at the end of the program how this rank ended."""
    if not _core.dist_is_initialized(WORLD):
        return
    error = getattr(sys, "last_value", None)
    if error is not None:
        abort_all(error)
    else:
        destroy_process_group()


def abort_all(error: BaseException) -> None:
    """Ends all groups because the program ends with this error, without waiting."""
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    # A rank that this one has lost is lost to the others too: they get the same
    # error.
    lost = isinstance(error, (ConnectionError, TimeoutError))
    lost = lost and hasattr(error, "sluice_code")
    # Subgroups first: their errors use the subgroup's rank numbers.
    for name in (f"group {number}" for number in range(1, _groups_made + 1)):
        if _core.dist_is_initialized(name):
            who = f"rank {_core.dist_rank(WORLD)} of all"
            _core.dist_abort(f"the program, {who}, ended with {what}", name, lost)
    _core.dist_abort(f"the program ended with {what}", WORLD, lost)


def destroy_process_group(group: Any = None) -> None:
    """Waits for what is under way and leaves the group; that of all ranks with all
    made of it."""
    if group_name(group) == WORLD:
        while _leaving:
            _leaving.pop()()
        for number in range(1, _groups_made + 1):
            _core.dist_destroy(f"group {number}")
    _core.dist_destroy(group_name(group))


def abort_process_group(reason: str, group: Any = None) -> None:
    """Ends the group on all ranks: what they call fails, with this reason."""
    _core.dist_abort(reason, group_name(group))


def is_available() -> bool:
    """Whether this build has it: yes."""
    return True


def is_initialized() -> bool:
    """Whether there is a group."""
    return _core.dist_is_initialized(WORLD)


def is_torchelastic_launched() -> bool:
    """Whether torchrun started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def get_backend(group: Any = None) -> str:
    """How ranks talk: "tcp"."""
    _core.dist_rank(group_name(group))  # raises if there is no group
    return "tcp"


def get_rank(group: Any = None) -> int:
    """This process's number in the group, from 0; -1 outside."""
    if isinstance(group, ProcessGroup) and not group.inside:
        return -1
    return _core.dist_rank(group_name(group))


def get_world_size(group: Any = None) -> int:
    """How many ranks there are; -1 outside of the group."""
    if isinstance(group, ProcessGroup) and not group.inside:
        return -1
    return _core.dist_world_size(group_name(group))


def flight_record(group: Any = None) -> str:
    """The last collectives of this rank, a line each: number, call, line of the
    program, and how far it came."""
    return _core.dist_flight_record(group_name(group))


@closed
class ProcessGroup:
    """Some of the ranks: `new_group` makes them."""

    def __init__(self, name: str, ranks: list[int], inside: bool) -> None:
        self.name, self.ranks, self.inside = name, ranks, inside

    def rank(self) -> int:
        """The rank of this process in the group; -1 outside."""
        return get_rank(self)

    def size(self) -> int:
        """The number of ranks in the group."""
        return len(self.ranks)

    def __repr__(self) -> str:
        return f"<sluice.distributed.ProcessGroup of ranks {self.ranks}>"


_groups_made = 0


def new_group(
    ranks: Any = None, timeout: datetime.timedelta | float | None = None
) -> ProcessGroup:
    """A group of some ranks. Every rank calls it, in the same order; collectives
    take it as ``group``, and are called by its ranks alone. Their src and dst are
    numbers among all ranks, whose order is that in the group, too."""
    global _groups_made
    size = get_world_size()
    chosen = list(range(size)) if ranks is None else sorted(int(r) for r in ranks)
    _groups_made += 1
    name = f"group {_groups_made}"
    inside = _core.dist_new_group(chosen, name, seconds(timeout))
    return ProcessGroup(name, chosen, inside)


def group_name(group: Any) -> str:
    """The name of a group argument. Raises ValueError if this rank is not in it."""
    if group is None or group == WORLD:
        return WORLD
    if not isinstance(group, ProcessGroup):
        raise TypeError(
            f"group is a {type(group).__name__}; wanted None, or what new_group() gave"
        )
    if not group.inside:
        raise ValueError(
            f"rank {_core.dist_rank(WORLD)} is not in the group of ranks "
            f"{group.ranks}; wanted only those to call"
        )
    return group.name


def rank_in(group: Any, rank: int, what: str) -> int:
    """The number in a group of a rank given by its global number."""
    if isinstance(group, ProcessGroup):
        if rank not in group.ranks:
            raise ValueError(f"{what} is {rank}; wanted one of {group.ranks}")
        return group.ranks.index(rank)
    size = get_world_size()
    if not 0 <= rank < size:
        raise ValueError(f"{what} is {rank}; wanted 0 to {size - 1}")
    return rank


def seconds(timeout: datetime.timedelta | float | None) -> float:
    """A timeout argument in seconds; 30 minutes by default."""
    if timeout is None:
        return 1800.0
    if isinstance(timeout, datetime.timedelta):
        return timeout.total_seconds()
    return float(timeout)
