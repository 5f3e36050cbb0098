"""Sizes that decide: guards of traces, and sizes inside of other constructs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from capture_sizes_util import SIZES, agree, rows, same, whys

import sluice as sl

# Decisions: a trace for each way they come out.


def test_a_comparison_is_a_guard():
    def f(x):
        if x.shape[1] > 5:
            return x * 2
        return x - 1

    captured = agree(f, [(rows(2, 6),), (rows(2, 4),), (rows(3, 8),), (rows(1, 2),)], 2)
    assert "x.shape[1] > 5 is False; the last trace had True" in whys(captured)


def test_raising_is_a_decision():
    def f(x):
        if x.shape[1] > 6:
            raise ValueError(f"too long: {x.shape[1]}")
        return x.sum()

    captured = sl.function(f)
    same(captured(rows(2, 3)), f(rows(2, 3)))
    with pytest.raises(ValueError, match="too long: 7"):
        captured(rows(2, 7))
    same(captured(rows(4, 6)), f(rows(4, 6)))
    assert len(captured.traces()) == 1


def test_assert_is_a_decision():
    def f(x):
        b, t = x.shape
        assert t % 2 == 0, f"odd: {t}"
        return x.reshape(b, t // 2, 2)

    captured = sl.function(f)
    for n in (2, 4, 8):
        same(captured(rows(3, n)), f(rows(3, n)))
    with pytest.raises(AssertionError, match="odd: 5"):
        captured(rows(3, 5))
    assert len(captured.traces()) == 1


def test_equality_with_one():
    def f(x):
        return x * 3 if x.size(0) == 1 else x.mean(0)

    agree(f, [(rows(1, 4),), (rows(2, 4),), (rows(7, 2),)], 2)


def test_equal_sizes_of_two_arguments():
    def f(x, y):
        return x + y if x.shape == y.shape else x.sum() + y.sum()

    calls = [
        (rows(2, 3), rows(2, 3)), (rows(4, 1), rows(4, 1)), (rows(2, 3), rows(3, 2)),
        (rows(2, 5), rows(3, 5)), (rows(9, 5), rows(9, 5)), (rows(2, 1), rows(2, 4)),
    ]  # fmt: skip
    captured = agree(f, calls, 3)
    text = "x.shape[0] == y.shape[0] is False; the last trace had True"
    assert text in whys(captured)


def test_truth_of_a_size():
    def f(x):
        n = x.shape[0]
        return x.sum() if n else sl.tensor(-1.0)

    agree(f, [(rows(2, 3),), (rows(0, 3),), (rows(5, 3),)], 2)


def test_a_size_as_a_key_is_decided():
    table = {2: 10.0, 3: 20.0}

    def f(x):
        return x * table.get(x.shape[0], 0.5)

    captured = agree(f, [(rows(2, 6),), (rows(3, 6),), (rows(2, 4),)], 2)
    assert "x.shape[0] is 3; the last trace had 2" in whys(captured)


def test_a_size_in_a_set_and_a_text():
    names = {"n2": 1.0, "n3": 2.0}

    def f(x):
        n = x.shape[0]
        scale = names[f"n{n}"] if n in {2, 3} else 0.0
        return x * scale, str(n), f"{n:>4}", repr(x.shape)

    agree(f, [(rows(2, 6),), (rows(3, 6),), (rows(2, 4),), (rows(8, 1),)], 4)


def test_number_functions_decide():
    def f(x):
        n = x.shape[1]
        return x / math.sqrt(n), x * n**-0.5, [0] * x.shape[0], list(range(n))

    agree(f, [(rows(2, 6),), (rows(2, 4),), (rows(2, 6),)], 2)


def test_int_of_a_size_is_an_int_without_conversion():
    def f(x):
        n = int(x.shape[0])
        assert type(n) is int
        return np.zeros(n).shape[0] + x

    captured = sl.function(f, autoconvert=False)
    for n in (2, 3, 2):
        same(captured(rows(n, 2)), f(rows(n, 2)))
    assert len(captured.traces()) == 2


def test_a_loop_over_python_lists_is_written_out():
    parts = [1.0, 2.0, 3.0, 4.0]

    def f(x):
        total = sl.zeros(x.shape[1])
        for i in range(x.shape[0]):
            total = total + x[i] * parts[i]
        return total

    agree(f, [(rows(2, 3),), (rows(3, 3),), (rows(2, 5),)], 2)


def test_comprehension_over_a_size():
    layers = [sl.nn.Linear(3, 3) for _ in range(4)]

    def f(x):
        return sl.stack([layers[i](x[i]) for i in range(x.shape[0])])

    agree(f, [(rows(2, 3),), (rows(4, 3),)], 2)


def test_intermediate_sizes_decide():
    def f(x):
        y = sl.cat([x, x[:1]])
        z = y[1::2]
        if z.shape[0] * 2 > y.shape[0]:
            return z * 2
        return z - z.shape[0]

    agree(f, [(rows(n, 2),) for n in (2, 3, 4, 5, 6, 7)], 1)


def test_structure_needs_no_guard():
    def f(x):
        n, m = x.shape
        assert n * m == m * n and n + 1 > n and n >= 0 and (4 * n) // 4 == n
        assert (2 * n + m) - n - n == m and (n * 6) % 3 == 0
        assert x.numel() // n == m
        return x * 2

    agree(f, SIZES)


def test_size_of_data_is_no_decision():
    @sl.function
    def f(x):
        kept = x[x > 0]
        return kept.sum() / kept.shape[0], kept.shape[0] + 1

    for x in (rows(2, 6), rows(5, 5)):
        kept = x[x > 0]
        got = f(x)
        same(got[1], kept.shape[0] + 1)
        np.testing.assert_allclose(
            got[0].numpy(), kept.numpy().sum() / kept.shape[0], rtol=1e-6
        )
    assert len(f.traces()) == 1

    @sl.function
    def g(x):
        kept = x[x > 0]
        return {1: x}.get(kept.shape[0], x * 2)

    with pytest.raises(TypeError, match="depends on elements of tensors"):
        g(rows(2, 2))


def test_size_of_data_in_a_converted_if():
    @sl.function
    def f(x):
        kept = x[x > 0]
        if kept.shape[0] > 3:
            return kept.sum()
        return x.sum() * 0

    same(f(rows(2, 6)), sl.tensor(rows(2, 6).numpy()[rows(2, 6).numpy() > 0].sum()))
    same(f(rows(1, 2)), sl.tensor(0.0) * -1)


def test_known_sizes_are_ints():
    weight = sl.ones(4, 6)
    seen = []

    @sl.function
    def f(x):
        y = x @ weight
        seen.append((type(weight.shape[0]), type(y.shape[1]), type(y.ndim)))
        return y

    f(rows(2, 4))
    assert seen == [(int, int, int)]


def test_imperative_sizes_are_ints():
    x = rows(2, 3)
    kinds = {type(n) for n in (*x.shape, x.numel(), len(x), x.size(0))}
    assert kinds == {int}


def test_is_an_int_to_isinstance():
    seen = []

    @sl.function
    def f(x):
        n = x.shape[0]
        kinds = (n, int), (n / 2, float), (n > 1, bool)
        seen.append(tuple(isinstance(value, kind) for value, kind in kinds))
        return x

    f(rows(2, 3))
    assert seen == [(True, True, True)]


def test_kept_sizes_are_numbers_of_every_call():
    kept = []

    @sl.function
    def f(x):
        kept.append(x.shape[0])
        return x * 2

    f(rows(2, 3))
    f(rows(5, 3))
    assert kept == [2, 5]
    assert [type(n) for n in kept] == [int, int]


def test_kept_sizes_that_were_decided_are_numbers():
    kept = []

    @sl.function
    def f(x):
        n = x.shape[0]
        if hash(n) == 2 and not kept:
            kept.append(n)
        return x * 2

    f(rows(2, 3))
    assert kept == [2] and type(kept[0]) is int


def test_errors_of_sizes_are_those_of_ints():
    def f(x):
        return x.reshape(7 // (x.shape[0] - 2), -1)

    captured = sl.function(f)
    with pytest.raises(ZeroDivisionError):
        captured(rows(2, 6))
    same(captured(rows(3, 7)), f(rows(3, 7)))


def test_gradients_through_size_dependent_code():
    def loss(x, w):
        b, t = x.shape
        half = x[:, : t // 2] * w[: t // 2]
        pos = sl.arange(t - t // 2) / t
        return (half.sum() ** 2) / b + (x[:, t // 2 :] * pos).sum()

    captured = sl.function(sl.grad(loss, argnums=(0, 1)))
    for shape in ((2, 6), (3, 4), (5, 7)):
        args = rows(*shape), rows(8)
        for got, want in zip(captured(*args), sl.grad(loss, argnums=(0, 1))(*args)):
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-5, atol=1e-5)
    assert len(captured.traces()) == 1


def test_backward_outside_of_size_dependent_code():
    def f(x, w):
        n = x.shape[0]
        return (x[: n - 1] @ w[: x.shape[1]]).sum() / n

    captured = sl.function(f)
    for shape in ((3, 4), (5, 2), (2, 6)):
        grads = []
        for g in (f, captured):
            x = rows(*shape).requires_grad_()
            w = rows(8, 3).requires_grad_()
            g(x, w).backward()
            grads.append((x.grad.numpy(), w.grad.numpy()))
        for got, want in zip(grads[1], grads[0]):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    assert len(captured.traces()) == 1


# Inside of other constructs.


def test_sizes_in_vmap():
    def f(x):
        return sl.vmap(lambda row: row[: row.shape[0] // 2] * row.shape[0])(x)

    def want(x):
        n = x.shape[1]
        return x[:, : n // 2] * n

    captured = sl.function(f)
    for (x,) in SIZES:
        same(captured(x), want(x))
    assert len(captured.traces()) == 1


def test_a_decision_in_vmap_serves_only_its_sizes():
    def one(row):
        if row.shape[0] > 4:
            return row * 2
        return row - 1

    captured = sl.function(lambda x: sl.vmap(one)(x))
    for shape in ((2, 6), (3, 4), (2, 6), (3, 5), (3, 4)):
        x = rows(*shape)
        same(captured(x), x * 2 if shape[1] > 4 else x - 1)
    assert len(captured.traces()) == 3


def test_sizes_of_what_a_loop_carries():
    @sl.function
    def f(x, n):
        h = x
        for _ in range(n):
            b, t = h.shape
            h = h.reshape(t, b).T.reshape(b, t) + h.shape[0]
        return h

    def want(x, n):
        return x + int(n) * x.shape[0]

    for shape, n in (((2, 3), 2), ((4, 5), 3), ((1, 2), 0)):
        x = rows(*shape)
        got = f(x, sl.tensor(n))
        if shape == (2, 3):
            assert got.shape == (2, 3)
        b, t = shape
        h = x.numpy()
        for _ in range(n):
            h = h.reshape(t, b).T.reshape(b, t) + b
        np.testing.assert_allclose(got.numpy(), h, rtol=1e-6)
    assert len(f.traces()) == 1


def test_halving_until_one_is_left():
    def f(x):
        while x.shape[0] > 1:
            n = x.shape[0] // 2
            x = x[:n] + x[n : 2 * n]
        return x

    captured = sl.function(f)
    for n in (8, 4, 5, 1):
        same(captured(rows(n, 2)), f(rows(n, 2)))


def test_sizes_through_functions_of_functions():
    @sl.function
    def cut(x, n):
        return x[:, :n]

    @sl.function
    def f(x):
        return cut(x, x.shape[1] // 2) * cut(x, 1)

    for (x,) in SIZES:
        same(f(x), x[:, : x.shape[1] // 2] * x[:, :1])
    assert len(f.traces()) == 1


def test_cond_and_while_take_sizes():
    @sl.function
    def f(x):
        n = x.shape[0]
        total = sl.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + x[i].sum()),
                              (0, 0.0))[1]  # fmt: skip
        return sl.cond(total > n, lambda: total * n, lambda: total - n)

    for (x,) in SIZES:
        total = x.numpy().sum()
        n = x.shape[0]
        want = total * n if total > n else total - n
        np.testing.assert_allclose(f(x).numpy(), want, rtol=1e-5)
    assert len(f.traces()) == 1


def test_a_branch_on_a_tensor_keeps_sizes():
    def f(x):
        n = x.shape[0]
        if x.sum() > 0:
            n = n + 1
            y = x * n
        else:
            y = x[:1].expand(n, x.shape[1])
        return y * n

    captured = sl.function(f)
    for (x,) in SIZES:
        for z in (x, -x - 5):
            same(captured(z), f(z))
    assert len(captured.traces()) == 1


def test_gradient_of_a_vector_is_refused_as_imperatively():
    def f(x):
        return x * 2

    with pytest.raises(ValueError, match="wanted a scalar"):
        sl.grad(f)(rows(3))
    with pytest.raises(ValueError, match="wanted a scalar"):
        sl.function(sl.grad(f))(rows(3))


def test_a_number_too_large_is_refused():
    @sl.function
    def f(x):
        n = x.shape[0]
        return x.sum() * 0 + n * n * n * 10**12

    np.testing.assert_allclose(f(rows(2, 1)).numpy(), 8e12, rtol=1e-6)
    with pytest.raises(OverflowError):
        f(rows(3000, 1))


def test_squeeze_leaves_other_sizes_alone():
    def f(x):
        return x.squeeze(0), x.squeeze()

    agree(f, [(rows(1, 3),), (rows(2, 3),), (rows(4, 5),), (rows(2, 1),)], 3)


def test_random_shapes_are_decided():
    @sl.function
    def f(x):
        return x + sl.rand(x.shape[0], x.shape[1]) * 0, sl.randn(*x.shape).shape

    for (x,) in [*SIZES, *SIZES]:
        got, shape = f(x)
        same(got, x)
        assert shape == x.shape
    assert len(f.traces()) == 3


def test_unbind_and_iteration_decide_the_count():
    def f(x):
        a, b = x.unbind(0)
        c, d = x
        return a * d + b * c, [row.sum() for row in x.split(1)]

    agree(f, [(rows(2, 3),), (rows(2, 5),)])


def test_writes_through_slices_by_sizes():
    def f(x):
        y = x * 1
        n = x.shape[1] // 2
        left, last = y[:, :n], y[x.shape[0] - 1]
        left += 5
        last *= 2
        y[:, n:] = 0
        left[:1] -= 1
        return y, left, last

    agree(f, SIZES)


def test_gradients_through_writes_by_sizes():
    def f(x, w):
        y = x * w
        n = x.shape[1] // 2
        y[:, :n] *= 3
        part = y[:, n:]
        part += w
        return (y * y).sum() / n

    captured = sl.function(sl.grad(f, argnums=(0, 1)))
    for shape in ((2, 6), (3, 4), (5, 8)):
        args = rows(*shape), sl.tensor(0.5)
        for got, want in zip(captured(*args), sl.grad(f, argnums=(0, 1))(*args)):
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-5, atol=1e-5)
    assert len(captured.traces()) == 1
