"""A Sequential cut into stages."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from ...nn import Module
from ...nn import Sequential as Layers

__all__ = ["split_sequential"]


def split_sequential(
    net: Layers, stages: int, sizes: Sequence[int] | None = None
) -> list[Layers]:
    """The layers of a Sequential as `stages` ones, which have them under their names:
    "2.weight" stays "2.weight". sizes is how many layers each gets; without it, cut so
    that the largest stage has as few parameters as can be.
    """
    if not isinstance(net, Layers):
        raise TypeError(
            f"split_sequential: net is a {type(net).__name__}; wanted a Sequential "
            "(of another model, give PipelineStage modules of your own)"
        )
    named = list(net.named_children())
    if not 1 <= stages <= len(named):
        raise ValueError(
            f"split_sequential: stages is {stages}; wanted 1 to {len(named)}, the "
            "number of layers"
        )
    if sizes is None:
        sizes = _balanced([_weight(layer) for _, layer in named], stages)
    elif len(sizes) != stages or sum(sizes) != len(named) or min(sizes) < 1:
        raise ValueError(
            f"split_sequential: sizes is {list(sizes)}; wanted {stages} counts of at "
            f"least one layer, {len(named)} together"
        )
    parts, at = [], 0
    for size in sizes:
        parts.append(Layers(OrderedDict(named[at : at + size])))
        at += size
    return parts


def _weight(layer: Module) -> int:
    # Layers without parameters take time as well.
    return 1 + sum(p.numel() for p in layer.parameters())


def _balanced(weights: list[int], stages: int) -> list[int]:
    """How many of the weights each stage gets, in order, each at least one."""
    count = len(weights)
    sums = [0]
    for weight in weights:
        sums.append(sums[-1] + weight)
    # best[n]: the first n weights on the stages so far, as (largest, squares,
    # sizes): among those with the same largest stage the most even.
    best: list[Any] = [(0, 0, [])] + [None] * count
    for stage in range(stages):
        following: list[Any] = [None] * (count + 1)
        for end in range(stage + 1, count - (stages - stage - 1) + 1):
            for begin in range(stage, end):
                if best[begin] is None:
                    continue
                large, squares, sizes = best[begin]
                weight = sums[end] - sums[begin]
                cost = (max(large, weight), squares + weight * weight)
                if following[end] is None or cost < following[end][:2]:
                    following[end] = (*cost, [*sizes, end - begin])
        best = following
    return list(best[count][2])
