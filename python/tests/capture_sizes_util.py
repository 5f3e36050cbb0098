"""What the tests of sizes in captured functions share."""

from __future__ import annotations

import math

import numpy as np

import sluice as sl
from sluice import tree


def rows(*shape: int) -> sl.Tensor:
    count = math.prod(shape)
    return (sl.arange(count, dtype=sl.float32) * 0.37 - 1.5).reshape(shape)


def same(got, want) -> None:
    a, form = tree.flatten(got)
    b, wanted = tree.flatten(want)
    assert form == wanted
    for x, y in zip(a, b):
        if isinstance(y, sl.Tensor):
            assert x.dtype == y.dtype
            np.testing.assert_array_equal(x.detach().numpy(), y.detach().numpy())
        else:
            assert type(x) is type(y)
            assert x == y


def agree(f, calls, traces: int = 1):
    captured = sl.function(f)
    for args in calls:
        same(captured(*args), f(*args))
    for args in calls:  # again: every guard finds its trace
        same(captured(*args), f(*args))
    assert len(captured.traces()) == traces, captured.traces()
    return captured


def whys(captured) -> set[str]:
    return {trace.why for trace in captured.traces()}


SIZES = [(rows(2, 6),), (rows(3, 4),), (rows(5, 8),)]
