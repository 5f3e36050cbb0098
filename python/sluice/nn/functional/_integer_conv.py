"""Convolutions of integers, which stay integers: floats would round them.

Written out over the places of a filter, each of them a product of matrices; there are
no kernels for it. What does not fit together is None: whoever called asks the kernels
of floats, which say what is wrong.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import sluice as sl

from ..._core import Tensor


def _same_integers(*tensors: Any) -> bool:
    given = [t for t in tensors if t is not None]
    return all(
        isinstance(t, Tensor) and t.dtype == given[0].dtype for t in given
    ) and given[0].dtype in (sl.int8, sl.int16, sl.int32, sl.int64, sl.uint8)


def _per_axis(size: Any, axes: int) -> list[int] | None:
    sizes = [size] * axes if isinstance(size, int) else list(size)
    return sizes * axes if len(sizes) == 1 else sizes if len(sizes) == axes else None


def _at(starts: list[int], counts: list[int], steps: list[int]) -> tuple[Any, ...]:
    ends = [a + (n - 1) * s + 1 for a, n, s in zip(starts, counts, steps, strict=True)]
    return (
        slice(None),
        slice(None),
        *map(slice, starts, ends, steps),
    )


def _per_group(x: Tensor, groups: int) -> Tensor:
    """[N, C, ...] as [N, groups, C / groups, all places]."""
    return x.reshape(x.shape[0], groups, x.shape[1] // groups, -1)


def conv(
    axes: int,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Tensor | None:
    if not _same_integers(x, weight, bias) or weight.ndim != axes + 2:
        return None
    if x.ndim == axes + 1:
        y = conv(axes, x[None], weight, bias, stride, padding, dilation, groups)
        return None if y is None else y[0]
    steps, gaps = _per_axis(stride, axes), _per_axis(dilation, axes)
    if x.ndim != axes + 2 or not steps or not gaps or min(steps + gaps) < 1:
        return None
    out, depth, *sizes = weight.shape
    if groups < 1 or x.shape[1] != depth * groups or out % groups:
        return None
    reach = [gap * (size - 1) for gap, size in zip(gaps, sizes, strict=True)]
    if padding == "same" and max(steps) == 1:
        pads = [(r // 2, r - r // 2) for r in reach]
    else:
        each = _per_axis(0 if padding == "valid" else padding, axes)
        if not each or isinstance(padding, str) and padding != "valid":
            return None
        pads = [(p, p) for p in each]
    if min(min(p) for p in pads) < 0:
        return None
    x = sl.nn.functional.pad(x, [p for pair in reversed(pads) for p in pair])
    places = [
        (size - r - 1) // step + 1
        for size, r, step in zip(x.shape[2:], reach, steps, strict=True)
    ]
    if min(places) < 1:
        return None
    y: Any = 0
    for at in product(*map(range, sizes)):
        starts = [i * gap for i, gap in zip(at, gaps, strict=True)]
        part = _per_group(x[_at(starts, places, steps)], groups)
        filters = weight[(slice(None), slice(None), *at)]
        y = y + filters.reshape(groups, out // groups, depth) @ part
    y = y.reshape(x.shape[0], out, *places)
    return y if bias is None else y + bias.reshape(out, *[1] * axes)


def conv_transpose(
    axes: int,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Tensor | None:
    if not _same_integers(x, weight, bias) or weight.ndim != axes + 2:
        return None
    if x.ndim == axes + 1:
        others = (bias, stride, padding, output_padding, groups, dilation)
        y = conv_transpose(axes, x[None], weight, *others)
        return None if y is None else y[0]
    steps, gaps = _per_axis(stride, axes), _per_axis(dilation, axes)
    pads, more = _per_axis(padding, axes), _per_axis(output_padding, axes)
    if x.ndim != axes + 2 or not steps or not gaps or not pads or not more:
        return None
    fits = all(m < max(s, g) for m, s, g in zip(more, steps, gaps, strict=True))
    if min(steps + gaps) < 1 or min(pads + more) < 0 or not fits:
        return None
    depth, out, *sizes = weight.shape
    if groups < 1 or x.shape[1] != depth or depth % groups:
        return None
    places = list(x.shape[2:])
    whole = [
        (n - 1) * step + gap * (size - 1) + 1 + extra
        for n, step, gap, size, extra in zip(
            places, steps, gaps, sizes, more, strict=True
        )
    ]
    if any(n - 2 * p < 1 for n, p in zip(whole, pads, strict=True)):
        return None
    y = sl.zeros((x.shape[0], out * groups, *whole), dtype=x.dtype)
    parts = _per_group(x, groups)
    for at in product(*map(range, sizes)):
        filters = weight[(slice(None), slice(None), *at)]
        filters = filters.reshape(groups, depth // groups, out).transpose(1, 2)
        starts = [i * gap for i, gap in zip(at, gaps, strict=True)]
        part = (filters @ parts).reshape(x.shape[0], out * groups, *places)
        where = _at(starts, places, steps)
        y[where] = y[where] + part
    inner = [slice(p, n - p) for n, p in zip(whole, pads, strict=True)]
    y = y[(slice(None), slice(None), *inner)]
    return y if bias is None else y + bias.reshape(out * groups, *[1] * axes)
