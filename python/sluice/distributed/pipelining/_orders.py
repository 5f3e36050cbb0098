"""The order in which a stage takes micro-batches forward and back, and what that
costs. Pure functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["Action", "drawn", "gpipe_order", "one_f_one_b_order", "ticks"]


class Action(NamedTuple):
    """One thing a stage does: "F" or "B", with a micro-batch."""

    kind: str
    batch: int

    def __str__(self) -> str:
        return f"{self.kind}{self.batch}"


def gpipe_order(stage: int, stages: int, batches: int) -> list[Action]:
    """All forwards, then all backwards. A stage keeps what all of them need."""
    there = [Action("F", i) for i in range(batches)]
    return there + [Action("B", i) for i in range(batches)]


def one_f_one_b_order(stage: int, stages: int, batches: int) -> list[Action]:
    """As many forwards as there are stages behind, then one forward and one backward
    in turn. A stage keeps what `stages - stage` micro-batches need, at most."""
    ahead = min(stages - stage - 1, batches)
    order = [Action("F", i) for i in range(ahead)]
    for i in range(batches - ahead):
        order += [Action("F", ahead + i), Action("B", i)]
    return order + [Action("B", i) for i in range(batches - ahead, batches)]


Order = Callable[[int, int, int], list[Action]]


def ticks(order: Order, stages: int, batches: int) -> list[list[Action | None]]:
    """What each stage does when, where every action takes one tick and messages take
    none; None: it waits, a bubble. ValueError: stages would wait for each other."""
    todo = [order(stage, stages, batches) for stage in range(stages)]
    done: set[tuple[int, Action]] = set()
    found: list[list[Action | None]] = [[] for _ in range(stages)]
    while any(todo):
        moved = []
        for stage in range(stages):
            can = bool(todo[stage]) and _ready(stage, stages, todo[stage][0], done)
            found[stage].append(todo[stage].pop(0) if can else None)
            if can:
                moved.append((stage, found[stage][-1]))
        if not moved:
            raise ValueError("the stages wait for each other: no order of a pipeline")
        done.update((s, a) for s, a in moved if a is not None)
    return found


def _ready(
    stage: int, stages: int, action: Action, done: set[tuple[int, Action]]
) -> bool:
    if action.kind == "F":
        return stage == 0 or (stage - 1, action) in done
    return (stage + 1 == stages or (stage + 1, action) in done) and (
        (stage, Action("F", action.batch)) in done
    )


def drawn(order: Order, stages: int, batches: int) -> str:
    """The ticks as text, a line for each stage; dots are bubbles."""
    table = ticks(order, stages, batches)
    width = max(len(str(a)) for row in table for a in row if a is not None)
    return "\n".join(
        f"stage {stage}: "
        + " ".join(("." if a is None else str(a)).rjust(width) for a in row)
        for stage, row in enumerate(table)
    )
