"""Numbers of the program around that change from call to call: inputs of the
recording from their second change on."""

from __future__ import annotations

import math

import pytest

import sluice as sl
import sluice.nn as nn

COUNT = 0


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.h = sl.tensor([1.0], dtype=sl.float64)

    def forward(self, x):
        self.step += 1
        rate = 1.0 / (self.step + 3) * 0.1
        self.h = self.h * (1 - rate) + x * rate
        return self.h * self.step


def test_a_counter_of_a_module_is_recorded_three_times_at_most():
    here, there = Counting(), Counting()
    f = sl.function(there)
    for k in range(20):
        x = sl.tensor([0.1 * k], dtype=sl.float64)
        want, got = here(x), f(x)
        assert got.tolist() == want.tolist()  # to the last bit
        assert got.dtype == want.dtype
        assert (there.step, there.h.tolist()) == (here.step, here.h.tolist())
        assert type(there.step) is int
    assert len(f.traces()) <= 3, f.traces()
    assert "self.step is an input from now on" in f.traces()[-1].why


def test_a_number_that_others_change():
    net = Counting()

    @sl.function
    def f(x):
        return x * net.step + net.step // 3, net.step % 4

    for k in range(20):
        net.step = 7 * k
        got, rest = f(sl.tensor([0.25]))
        assert got.tolist() == [0.25 * 7 * k + 7 * k // 3]
        assert rest == 7 * k % 4 and isinstance(rest, int)
    assert len(f.traces()) <= 3


def test_a_global_counter():
    global COUNT
    COUNT = 0

    def step(x):
        global COUNT
        COUNT += 1
        return x * COUNT

    f = sl.function(step)
    assert [f(sl.tensor(2.0)).item() for _ in range(20)] == [
        2.0 * k for k in range(1, 21)
    ]
    assert COUNT == 20
    assert len(f.traces()) <= 3


def test_a_closure_counter():
    count = 0

    @sl.function
    def f(x):
        nonlocal count
        count += 2
        return x + count

    assert [f(sl.tensor(0.0)).item() for _ in range(20)] == [
        2.0 * k for k in range(1, 21)
    ]
    assert count == 40
    assert len(f.traces()) <= 3


def test_code_that_decides_by_a_counter_is_guarded():
    net = Counting()

    @sl.function
    def f(x):
        net.step += 1
        if net.step % 5 == 0:
            return x * 0
        return x * net.step

    for k in range(1, 21):
        assert f(sl.tensor(1.0)).item() == (0 if k % 5 == 0 else k)
    assert net.step == 20
    assert len(f.traces()) <= 5


def test_a_counter_that_indexes_is_right_though_slow():
    net = Counting()
    table = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]

    @sl.function
    def f(x):
        net.step += 1
        return x * table[net.step - 1]

    assert [f(sl.tensor(1.0)).item() for _ in range(6)] == table


def test_a_counter_that_becomes_negative():
    net = Counting()

    @sl.function
    def f(x):
        return x * net.step

    for k in (0, 1, 2, 3, -1, -2, 5):
        net.step = k
        assert f(sl.tensor(1.0)).item() == k


class Annealed(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.rate = 0.3
        self.w = nn.Parameter(sl.tensor([0.7, -0.2], dtype=dtype))

    def forward(self, x):
        self.rate = self.rate * 0.9 + 0.01
        return x * self.w * (1 - self.rate) + self.rate / 3


@pytest.mark.parametrize("dtype", [sl.float32, sl.float64])
def test_a_rate_is_an_input_and_agrees_to_the_last_bit(dtype):
    here, there = Annealed(dtype), Annealed(dtype)
    f = sl.function(there)
    for k in range(20):
        x = sl.tensor([0.1 * k, -1.0], dtype=dtype)
        want, got = here(x), f(x)
        assert got.dtype == want.dtype
        assert got.tolist() == want.tolist()
        assert there.rate == here.rate and type(there.rate) is float
        for model, y in ((here, want), (there, got)):
            model.w.grad = None
            y.sum().backward()
        assert there.w.grad.tolist() == here.w.grad.tolist()
    assert len(f.traces()) <= 3, f.traces()


def test_code_that_decides_by_a_rate_is_guarded():
    box = Annealed(sl.float32)

    @sl.function
    def f(x):
        if box.rate > 0.5:
            return x * 10
        return x * box.rate

    for k in range(20):
        box.rate = 0.05 * k
        want = sl.tensor(2.0) * (10 if box.rate > 0.5 else box.rate)
        assert f(sl.tensor(2.0)).item() == want.item()
    assert len(f.traces()) <= 4, f.traces()


def test_a_rate_that_python_computes_with_is_right_though_slow():
    box = Annealed(sl.float32)

    @sl.function
    def f(x):
        return x * math.sqrt(box.rate), f"{box.rate:.2f}"

    for k in range(1, 6):
        box.rate = 0.1 * k
        got, text = f(sl.tensor(2.0))
        assert got.item() == (sl.tensor(2.0) * math.sqrt(0.1 * k)).item()
        assert text == f"{0.1 * k:.2f}"


def test_a_number_that_becomes_another_kind():
    box = Annealed(sl.float32)

    @sl.function
    def f(x):
        return x * box.rate

    for value in (0.5, 0.6, 0.7, 2, 0.8, True, 3, 4, 5):
        box.rate = value
        assert f(sl.tensor(2.0)).item() == (sl.tensor(2.0) * value).item()


# float(), int() and bool() of a tensor give numbers: no gradient flows through them,
# they have all their digits, and stay when the tensor, or another name, is changed.
def a_name_of_a_number(x, s):
    y = float(x[0])
    kept = y
    y += 1.5
    return x * y + kept


def the_tensor_is_written(x, s):
    whole, flags = (x * 10).long(), x > 0
    n, b = int(whole[0]), bool(flags[0])
    whole += 5
    flags.logical_not_()
    return x * n * b


def digits(x, s):
    y = x.double() / 3
    return float(y[0]) / 7 * y


def types(x, s):
    i = sl.tensor([2, 3])
    return [i * float(x[0]), i * int(x[1]), x.half() * float(x[0]),
            sl.full((2,), float(x[0])), sl.tensor(float(x[0])),
            sl.tensor([float(x[0]), 2.0]), sl.tensor([int(x[0]), 2])]  # fmt: skip


def one_element(x, s):
    return float(x[:1]) * sl.ones(3)


def sums(x, s):
    total = 0.0
    for row in x:
        total += float(row)
    return x * total


def state(x, s):
    s["total"] += float(x.sum())
    s["n"] = int(x[1])
    s["up"] = bool(x[0] > 0)
    return x * s["total"]


def gradients(x, s):
    return sl.autograd.grad((s["w"] * float(s["w"].sum())).sum(), s["w"])[0]


def a_tensor_of_a_tensor(x, s):
    y = sl.tensor(x)
    y += 1
    return x * y


@pytest.mark.parametrize(
    "f",
    [a_name_of_a_number, the_tensor_is_written, digits, types, one_element, sums, state,
     gradients, a_tensor_of_a_tensor],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_numbers_made_of_tensors(f):
    def seen(value):
        if isinstance(value, list):
            return [seen(v) for v in value]
        if isinstance(value, sl.Tensor):
            return value.dtype, value.tolist()
        return type(value), value

    def ran(wrap):
        w = sl.tensor([2.0, 3.0]).requires_grad_()
        s = {"total": 0.5, "n": 0, "up": None, "w": w}
        g, found = wrap(f), []
        for value in ([1.25, 2.0], [-1.5, 3.0], [0.75, -2.0]):
            x = sl.tensor(value)
            found.append([seen(g(x, s)), seen(x), [seen(s[k]) for k in sorted(s)]])
        return found

    assert ran(sl.function) == ran(lambda f: f)


def test_a_number_of_several_elements_is_refused():
    @sl.function
    def f(x):
        return float(x) * x

    with pytest.raises(ValueError, match="one element"):
        f(sl.tensor([1.0, 2.0]))


# state:700152
def test_what_python_makes_of_numbers_has_all_their_digits():
    def f(x):
        n = float(x.double()[0] / 3)
        m = -int(x[1] * 10)
        y = x.double() * (abs(-n) + max(n, 0.1) + min(n, 7.7) + round(n, 3))
        return y, sl.tensor([1, 2]) * (abs(m) + m // 3 + m % 4 + m**2)

    x = sl.tensor([1.25, 2.5])
    for got, want in zip(sl.function(f)(x), f(x)):
        assert (got.dtype, got.tolist()) == (want.dtype, want.tolist())


def test_the_class_of_a_number_made_of_a_tensor():
    def f(x):
        n, m = float(x[0]), int(x[1])
        ways = (isinstance(n, float), isinstance(n, (int, str)), isinstance(m, int),
                type(m) is int, isinstance(n, sl.Tensor), isinstance(x, sl.Tensor))
        return x * sum(2.0**k for k, way in enumerate(ways) if way)  # fmt: skip

    x = sl.tensor([1.5, 2.0])
    assert sl.function(f)(x).tolist() == f(x).tolist()


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * {0: 2.0, 1: 3.0}[int(x[0] > 0)],
        lambda x: x * (int(x[0] > 0) in {1, 2}),
        lambda x: x * hash(float(x[0])),
    ],
)
def test_a_number_made_of_a_tensor_is_a_key_by_its_value(f):
    def g(x):
        return f(x)

    captured = sl.function(g)
    for first in (1.5, -1.0, 1.5):
        x = sl.tensor([first, 2.0])
        assert captured(x).tolist() == g(x).tolist()
