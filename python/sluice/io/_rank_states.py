"""What a checkpoint holds of several ranks, for as many or another number of them.

Tensors are those of all. What else a part's state has may differ from rank to
rank: where each stands in its data, and in its random numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["RankStates", "merged_states", "rank_key"]


def rank_key(key: str, rank: int) -> str:
    """The name of a tensor of which every rank has one of its own."""
    return f"{key}@rank{rank}"


def merged_states(ranks: list[dict[str, Any]], sharded: set[str]) -> dict[str, Any]:
    """The JSON of a checkpoint: ``states`` is what all have, and what rank 0 has;
    ``ranks`` has a random state each, and the states in which one differs from
    rank 0, and the names of tensors that it has alone. Of parts that are ``sharded``
    every rank has some keys: all of them are the state."""
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
    """The same, read by rank ``rank`` of ``size``."""

    def __init__(self, read: Mapping[str, Any], rank: int, size: int) -> None:
        self._states: dict[str, Any] = read.get("states", {})
        self._ranks: list[dict[str, Any]] = read.get("ranks", [])
        self._rank, self._size = rank, size

    @property
    def as_many(self) -> bool:
        """Whether it was saved by as many ranks."""
        return max(len(self._ranks), 1) == self._size

    def differs(self, name: str) -> bool:
        """Whether ranks had that part in different states."""
        return any(name in one["states"] for one in self._ranks)

    def has_alone(self, name: str) -> bool:
        """Whether some tensors of that part are others on every rank."""
        return any(name in one.get("alone", {}) for one in self._ranks)

    def of_this_rank(self, name: str, tensors: dict[str, Any]) -> dict[str, Any]:
        """The tensors of a part as this rank had them; all under the names they are
        saved by, where there were more or fewer ranks."""
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
        """That of this rank, or of rank 0 where there was no such rank."""
        states = self.of_all(name)
        return states[self._rank] if self._rank < len(states) else states[0]

    def random(self) -> tuple[int, int] | None:
        """Seed and calls of this rank's random numbers; None: the checkpoint's.

        A rank that was not there goes on as the others where they all draw the
        same numbers, and otherwise begins numbers of its own."""
        if not self._ranks:
            return None
        places = [(int(one["random"][0]), int(one["random"][1])) for one in self._ranks]
        if self._rank < len(places):
            return places[self._rank]
        if len(set(places)) == 1:
            return places[0]
        seed, calls = places[self._rank % len(places)]
        return (seed + 0x9E3779B97F4A7C15 * self._rank) % 2**64, calls
