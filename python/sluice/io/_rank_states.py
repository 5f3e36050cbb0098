"""The states of several ranks in a checkpoint, for the same or another number of ranks.

Tensors are shared by all ranks. The rest of a part's state may differ between ranks:
the position of each in its data, and its random state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["RankStates", "merged_states", "rank_key"]


def rank_key(key: str, rank: int) -> str:
    """The name of a tensor that differs between ranks."""
    return f"{key}@rank{rank}"


def merged_states(ranks: list[dict[str, Any]], sharded: set[str]) -> dict[str, Any]:
    """The JSON of a checkpoint. ``states`` holds the states of rank 0, which are
    usually those of all. ``ranks`` holds for each rank its random state, states that
    differ from rank 0, and the names of tensors that only it has. For ``sharded`` parts
    every rank has some of the keys, and their union is the state."""
    states = dict(ranks[0]["states"])
    for name in sharded & set(states):
        states[name] = {k: v for one in ranks for k, v in one["states"][name].items()}
    listed = []
    for one in ranks:
        other = {
            name: state
            for name, state in one["states"].items()
            if name not in sharded and state != states.get(name)
        }
        listed.append({"random": one["random"], "states": other})
        if one["alone"]:
            listed[-1]["alone"] = one["alone"]
    return {"states": states, "ranks": listed}


class RankStates:
    """These states, as read by rank ``rank`` of ``size``."""

    def __init__(self, read: Mapping[str, Any], rank: int, size: int) -> None:
        self._states: dict[str, Any] = read.get("states", {})
        self._ranks: list[dict[str, Any]] = read.get("ranks", [])
        self._rank, self._size = rank, size

    @property
    def as_many(self) -> bool:
        """Whether it was saved by the same number of ranks."""
        return max(len(self._ranks), 1) == self._size

    def differs(self, name: str) -> bool:
        """Whether the ranks had different states of that part."""
        return any(name in one["states"] for one in self._ranks)

    def has_alone(self, name: str) -> bool:
        """Whether some tensors of that part differ between ranks."""
        return any(name in one.get("alone", {}) for one in self._ranks)

    def of_this_rank(self, name: str, tensors: dict[str, Any]) -> dict[str, Any]:
        """The tensors of a part as this rank had them. If the number of ranks has
        changed, all of them under their saved names."""
        if not self.as_many or not self.has_alone(name):
            return tensors
        found = dict(tensors)
        for rank, one in enumerate(self._ranks):
            for key in one.get("alone", {}).get(name, ()):
                value = found.pop(rank_key(key, rank))
                if rank == self._rank:
                    found[key] = value
        return found

    def of_all(self, name: str) -> list[dict[str, Any]]:
        """The state of a part on every rank that saved it."""
        same = self._states.get(name, {})
        return [one["states"].get(name, same) for one in self._ranks] or [same]

    def mine(self, name: str) -> dict[str, Any]:
        """The state of this rank, or of rank 0 if this rank did not exist."""
        states = self.of_all(name)
        return states[self._rank] if self._rank < len(states) else states[0]

    def random(self) -> tuple[int, int] | None:
        """Seed and calls of this rank's random numbers; None means the checkpoint's.

        A new rank continues like the others if all draw the same numbers, and
        otherwise starts its own sequence."""
        if not self._ranks:
            return None
        places = [(int(one["random"][0]), int(one["random"][1])) for one in self._ranks]
        if self._rank < len(places):
            return places[self._rank]
        if len(set(places)) == 1:
            return places[0]
        seed, calls = places[self._rank % len(places)]
        return (seed + 0x9E3779B97F4A7C15 * self._rank) % 2**64, calls
