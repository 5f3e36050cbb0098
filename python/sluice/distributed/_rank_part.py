"""The contribution of one rank to a checkpoint, and the report of its failure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from .. import _core
from ..io._checkpoint import as_json, split_state
from ..io._rank_states import rank_key
from ._saved_parts import keys_of_rank_0, keys_of_this_rank

__all__ = ["RankFailure", "RankPart"]


def _dealt_out(sizes: list[int], ranks: int) -> list[int]:
    """The rank that writes each tensor: the largest first, each to the rank with the
    least. All ranks get the same result."""
    loads, owners = [0] * ranks, [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: (-sizes[i], i)):
        owners[i] = loads.index(min(loads))
        loads[owners[i]] += sizes[i]
    return owners


class RankFailure:
    """An exception of one rank, to be raised on all."""

    def __init__(self, rank: int, error: Exception) -> None:
        self.rank, self.text = rank, str(error)
        self.number = getattr(error, "errno", None)
        self.kind = type(error).__name__

    def raised(self) -> Exception:
        """The same exception, as far as it can be reconstructed."""
        text = f"rank {self.rank}: {self.text}"
        if self.number is not None:
            return OSError(self.number, text)
        if self.kind in ("ValueError", "TypeError"):
            return ValueError(text)
        return RuntimeError(f"{text} ({self.kind})")


class RankPart:
    """The contribution of this rank to one checkpoint."""

    def __init__(
        self, parts: Mapping[str, Any], rank: int, ranks: int, copy: bool
    ) -> None:
        self.snapshot = _core.Snapshot()
        self.states: dict[str, Any] = {}
        self.sharded: set[str] = set()
        # By part: the names of tensors that only this rank has.
        self.alone = {n: sorted(k) for n, k in keys_of_this_rank(parts).items() if k}
        shared: list[tuple[str, str, Any]] = []
        of_rank_0: set[tuple[str, str]] = set()
        own: dict[str, dict[str, Any]] = {}
        for name, part in parts.items():
            if part is None:
                continue
            if hasattr(part, "shard_state_dict"):
                self.sharded.add(name)
                own[name], self.states[name] = split_state(
                    name, part, part.shard_state_dict()
                )
                continue
            state = part.state_dict() if hasattr(part, "state_dict") else part
            tensors, self.states[name] = split_state(name, part, state)
            own[name] = {
                rank_key(key, rank): tensors.pop(key)
                for key in self.alone.get(name, ())
                if key in tensors
            }
            of_rank_0 |= {(name, key) for key in keys_of_rank_0(part)}
            shared += [(name, key, tensor) for key, tensor in tensors.items()]
        sizes = [tensor.numel() * tensor.element_size() for _, _, tensor in shared]
        for (name, key, tensor), owner in zip(shared, _dealt_out(sizes, ranks)):
            if rank == (0 if (name, key) in of_rank_0 else owner):
                own[name][key] = tensor
        for name, tensors in own.items():
            if copy:
                tensors = {k: t.detach().clone() for k, t in tensors.items()}
            self.snapshot.set(name, tensors)
        # If ranks had different tensors, some would be missing from the
        # checkpoint.
        words = [f"{n} {k} {t.dtype} {list(t.shape)}" for n, k, t in shared]
        words += sorted(self.sharded)
        self.fingerprint = hashlib.sha256("\n".join(words).encode()).hexdigest()
        seed, calls = self.snapshot.random
        self.random = [str(seed), calls]
        as_json(self.states)  # raises here for values that cannot be saved
