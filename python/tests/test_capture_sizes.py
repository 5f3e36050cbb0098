"""Sizes in captured functions: what they can do, and one trace for all of them.

Every program is run imperatively and captured with several sizes: results must
agree, and as many traces be recorded as the table says.
"""

from __future__ import annotations

import math

import pytest
from capture_sizes_util import SIZES, agree, same

import sluice as sl


def unpack(x):
    n, m = x.shape
    return x.reshape(m, n)


def by_size(x):
    return x.reshape(x.size(1), x.size(0)) + x.size(0)


def size_tuple(x):
    b, t = x.size()
    return x.view(b * t)


def by_len(x):
    return x * len(x)


def by_numel(x):
    return x.sum() / x.numel()


def by_numpy_size(x):
    return x.reshape(x.size)


def plus(x):
    return x + (x.shape[0] + 3 - x.shape[1] * 2)


def divided(x):
    return x.reshape(x.shape[0], x.shape[1] // 2, 2)


def remainder(x):
    return x + x.shape[0] % 3 + (7 % x.shape[1])


def power(x):
    return x * x.shape[0] ** 2


def true_division(x):
    return x * (1.0 / x.shape[1]) + x.shape[0] / x.shape[1]


def float_product(x):
    return x * (0.5 * x.shape[1] - 1.25)


def both_sides(x):
    return (x.shape[0] - x) + (3 * x.shape[1]) / (x + 10)


def with_integers(x):
    ids = sl.arange(x.shape[1])
    return ids * x.shape[0], ids / x.shape[0], ids + 0.5 * x.shape[0]


def comparison_with_tensor(x):
    return x < x.shape[0], x.shape[1] > x


def counted(x):
    return sl.arange(x.shape[0]), sl.arange(1, x.shape[1] + 1, 2)


def counted_floats(x):
    return sl.arange(0, x.shape[1], 2, dtype=sl.float32)


def filled(x):
    n, m = x.shape
    return (
        sl.zeros(n, m), sl.ones((m, n)), sl.full((n,), 2.5), sl.empty(m, 2),
        sl.zeros(m, dtype=sl.int64),
    )


def filled_with(x):
    return sl.full((2, x.shape[1]), x.shape[0])


def new_like(x):
    return x.new_zeros(x.shape[0], 3), sl.zeros_like(x), sl.full_like(x, x.shape[0])


def as_tensor(x):
    n, m = x.shape
    return sl.tensor(n), sl.tensor([n, m, 3]), sl.tensor(n, dtype=sl.float32)


def float_tensor(x):
    return sl.tensor(x.shape[0] / 4)


def sliced(x):
    n = x.shape[1] // 2
    return x[:, :n], x[:, n:], x[1 : x.shape[0]], x[:, -n:], x[:, : n + 100]


def stepped(x):
    return x[:, 0 : x.shape[1] - 1 : 2]


def numbered(x):
    return x[x.shape[0] - 1], x[:, x.shape[1] // 2], x[-x.shape[0]]


def written(x):
    y = x.clone()
    y[:, : x.shape[1] // 2] = 0
    y[x.shape[0] - 1] = 7
    return y


def masked(x):
    causal = sl.ones(16, 16).tril()
    t = x.shape[1]
    return causal[:t, :t] @ x.T


def expanded(x):
    n, m = x.shape
    return x[:, None, :].expand(n, n, m), x[:, None].expand(-1, n, -1)


def broadcast(x):
    return sl.broadcast_to(x[0], (3, x.shape[1]))


def repeated(x):
    return x.repeat(x.shape[0], 1), x.repeat(1, 2), x.repeat(2, 1, x.shape[1])


def tiled(x):
    return sl.tile(x, (1, x.shape[0])), x.tile(x.shape[1])


def interleaved(x):
    return sl.repeat_interleave(x, x.shape[0], dim=1)


def unflattened(x):
    return x.unflatten(1, (2, x.shape[1] // 2)), x.flatten().unflatten(0, x.shape)


def flattened(x):
    return x[:, None].flatten(1), x[:, None, :].flatten(0, 1)


def split_half(x):
    return x.split(x.shape[1] // 2, dim=1)


def split_list(x):
    n = x.shape[1]
    return x.split([1, n - 1], dim=1), x.split((n // 2, n - n // 2), -1)


def chunked(x):
    return x.chunk(2, dim=1), x.chunk(2, -1)


def padded(x):
    d = 10 - x.shape[1]
    return sl.nn.functional.pad(x, (0, d)), sl.nn.functional.pad(x, (d // 2, 1, 1, d))


def cropped(x):
    d = x.shape[1] - 2
    return sl.nn.functional.pad(x, (-1, 0, 0, d)), sl.nn.functional.pad(x, [-d, 1])


def eye(x):
    return sl.eye(x.shape[0]), sl.eye(x.shape[0], x.shape[1])


def joined(x):
    return sl.cat([x, sl.zeros(x.shape[0], 1)], dim=1).shape


def reduced(x):
    return x.shape[-1] * x.mean(), x.sum() / (x.shape[0] * x.shape[1])


def least(x):
    n = min(x.shape[0], 4, x.shape[1])
    return x[:, :n], max(x.shape[0], x.shape[1]), min(x.shape[0], 1000)


def in_loop(x):
    total = sl.zeros(x.shape[1])
    for i in range(x.shape[0]):
        total = total + x[i] * i
    return total


def down_loop(x):
    total = sl.zeros(x.shape[1])
    for i in range(x.shape[0] - 1, -1, -1):
        total = total * 0.5 + x[i]
    return total


def while_loop(x):
    i, total = 0, sl.tensor(0.0)
    while i < x.shape[0]:
        total = total + x[i].sum()
        i += 1
    return total


def returned(x):
    n, m = x.shape
    return n, {"m": m * 2, "ratio": n / m}, (x.numel(), n > 2)


def tail(x):
    return x.reshape(*x.shape[:-1], 1, x.shape[-1]), x.view(x.shape[:1] + (-1,))


def product(x):
    return x.reshape(math.prod(x.shape)), x.new_ones(sum(x.shape))


def through_ops(x):
    y = sl.cat([x, x], dim=0)[1:].T
    a, b = y.shape
    return y.reshape(b, a) * a, a - b


def rounded(x):
    return x[:, : math.ceil(x.shape[1] / 3)], x[: math.floor(x.shape[0] * 0.5) + 1]


def inner_function(x):
    def half(t):
        return t[: t.shape[0] // 2 + 1] * t.shape[0]

    return half(x) + half(x * 2)


def divmods(x):
    q, r = divmod(x.shape[0] * x.shape[1], 5)
    return x + q - r, abs(x.shape[0] - 100) * x


def programs():
    return [
        f for name, f in globals().items()
        if getattr(f, "__module__", "") == __name__ and name != "programs"
    ]


@pytest.mark.parametrize("f", programs(), ids=lambda f: f.__name__)
def test_one_trace_serves_all_sizes(f):
    agree(f, SIZES)


def test_without_conversion_the_same():
    def f(x):
        b, t = x.shape
        return x.reshape(t, b)[: t // 2] * b

    captured = sl.function(f, autoconvert=False)
    for (x,) in SIZES:
        same(captured(x), f(x))
    assert len(captured.traces()) == 1


# everyday:7002762: a size that the code had decided about was no index any more.
def test_a_size_that_was_a_key_is_an_index():
    def last(x):
        n = len(x)
        seen = {n}
        return x[n - 1], len(seen), x[n]

    for f in (last, sl.function(last)):
        with pytest.raises(IndexError, match="index 2 is out of bounds"):
            f(sl.tensor([1.0, 2.0]))
