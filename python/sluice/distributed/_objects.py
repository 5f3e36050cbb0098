"""Sends pickled Python objects between ranks, which must trust each other."""

from __future__ import annotations

import pickle
from typing import Any

from .. import _core
from ._collectives import all_gather_into_tensor, broadcast
from ._group import get_rank, get_world_size, rank_in

__all__ = ["all_gather_object", "broadcast_object_list", "gather_object"]


def _bytes(obj: Any) -> Any:
    import numpy as np

    return np.frombuffer(pickle.dumps(obj), dtype=np.uint8)


def _gathered(obj: Any, group: Any) -> list[Any]:
    import numpy as np

    size = get_world_size(group)
    mine = _bytes(obj)
    lengths = _core.tensor(np.zeros(size, dtype=np.int64))
    all_gather_into_tensor(lengths, _core.tensor(np.array([mine.size])), group)
    sizes = lengths.numpy()
    longest = int(sizes.max())
    padded = np.zeros(longest, dtype=np.uint8)
    padded[: mine.size] = mine
    whole = _core.tensor(np.zeros([size, longest], dtype=np.uint8))
    all_gather_into_tensor(whole, _core.tensor(padded), group)
    rows = whole.numpy()
    return [pickle.loads(rows[r, : int(sizes[r])].tobytes()) for r in range(size)]


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """object_list becomes the objects of all ranks."""
    size = get_world_size(group)
    if len(object_list) != size:
        raise ValueError(
            f"all_gather_object: object_list has {len(object_list)} places; wanted "
            f"{size}, one for every rank"
        )
    object_list[:] = _gathered(obj, group)


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int = 0,
    group: Any = None,
) -> None:
    """object_gather_list of rank dst becomes the objects of all ranks."""
    found = _gathered(obj, group)
    if get_rank(group) != rank_in(group, dst, "gather_object: dst"):
        return
    if object_gather_list is None or len(object_gather_list) != len(found):
        raise ValueError(
            f"gather_object: wanted an object_gather_list of {len(found)} places on "
            f"rank {dst}"
        )
    object_gather_list[:] = found


def broadcast_object_list(
    object_list: list[Any], src: int = 0, group: Any = None, device: Any = None
) -> None:
    """object_list becomes that of rank src, which has as many objects."""
    import numpy as np

    here = get_rank(group) == rank_in(group, src, "broadcast_object_list: src")
    data = _bytes(list(object_list)) if here else np.zeros(0, dtype=np.uint8)
    length = _core.tensor(np.array([data.size]))
    broadcast(length, src, group)
    count = int(length.item())
    whole = _core.tensor(data.copy() if here else np.zeros(count, dtype=np.uint8))
    broadcast(whole, src, group)
    found = pickle.loads(whole.numpy().tobytes())
    if len(found) != len(object_list):
        raise ValueError(
            f"broadcast_object_list: rank {src} has {len(found)} objects, rank "
            f"{get_rank(group)} {len(object_list)}; wanted as many"
        )
    object_list[:] = found
