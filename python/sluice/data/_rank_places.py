"""Converts the positions of rank loaders to another number of ranks.

The ranks take turns through one order of all elements, batch by batch, so that together
they have always consumed a prefix of it. This holds if a DistributedSampler or shard()
distributes them and no later stage changes their order or number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["divided_again"]

# Stages after shard() that keep the order and number of elements.
_IN_ORDER = ("batch(", "padded_batch(", "map", "prefetch(", "scale(", "cache")
_BATCH = re.compile(r"(?:padded_)?batch\((\d+)")


def _order(settings: Mapping[str, Any], ranks: int) -> tuple[Any, int]:
    """A key for the order of all elements, and the batch size. Raises ValueError if
    the ranks do not divide one order."""
    batch = settings["batch_size"] or 1
    if "pipeline" not in settings:
        sampler = settings.get("sampler")
        if sampler is None and ranks > 1:
            raise ValueError(
                f"a loader on {ranks} ranks without a DistributedSampler; wanted one, "
                "to divide the data among another number of ranks"
            )
        same = {k: settings[k] for k in ("shuffle", "seed", "size")}
        return {**same, "sampler": sampler}, batch
    stages = settings["pipeline"].split(" > ")
    shards = [i for i, stage in enumerate(stages) if stage.startswith("shard(")]
    after = stages[shards[-1] + 1 :] if shards else []
    wrong = [stage for stage in after if not stage.startswith(_IN_ORDER)]
    if wrong or (ranks > 1 and not shards):
        raise ValueError(
            f"a pipeline on {ranks} ranks: {settings['pipeline']}; wanted shard() with "
            "nothing but map, batch and prefetch after it, to divide the data among "
            "another number of ranks"
        )
    batch, order = 1, []
    for stage in stages:
        found = _BATCH.match(stage)
        if found:
            batch *= int(found[1])
        elif not stage.startswith(("shard(", "prefetch(")):
            order.append(stage)
    return order, batch


def divided_again(
    states: list[Mapping[str, Any]], mine: Mapping[str, Any], ranks: int
) -> tuple[int, int, int]:
    """The pass and batch at which a loader with settings ``mine`` resumes as one of
    ``ranks``, and the number of elements repeated because a batch had begun."""
    try:
        places = {(int(s["epoch"]), int(s["taken"])) for s in states}
        settings = dict(states[0]["settings"])
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"these are no states of DataLoaders: {error!r}") from None
    if len(places) != 1:
        raise ValueError(
            f"loaders at different (pass, batch): {sorted(places)}; wanted one place, "
            "to divide the data again"
        )
    before, batch_before = _order(settings, len(states))
    now, batch_now = _order(mine, ranks)
    if before != now:
        raise ValueError(
            f"these are the states of other loaders: {settings}; wanted {dict(mine)}, "
            "but for the sizes of batches"
        )
    epoch, taken = places.pop()
    elements = taken * batch_before * len(states)
    return epoch, *divmod(elements, batch_now * ranks)
