"""Captured code gives the bits, types and errors of the same code run imperatively.

Each program once did not. Elements are compared by their bytes: -0.0 is not 0.0, and
the last digit counts. NaN is NaN, whatever its sign.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sluice as sl

NAN, INF = math.nan, math.inf
CASES: list[Any] = []


def case(*arguments: Any) -> Any:
    def add(f: Any) -> Any:
        for k, values in enumerate(arguments):
            CASES.append(pytest.param(f, values, id=f"{f.__name__}-{k}"))
        return f

    return add


def seen(value: Any) -> Any:
    """Something that compares. What Python has as a number may be a tensor of it."""
    if isinstance(value, (list, tuple)):
        return [seen(v) for v in value]
    if isinstance(value, sl.Tensor):
        value = value.detach().numpy()
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return array.dtype.name, array.shape, array.tobytes()


def outcome(f: Any, arguments: Any) -> Any:
    try:
        return seen(f(*[sl.tensor(np.asarray(a)) for a in arguments]))
    except Exception as error:
        return type(error).__name__


@case([np.float32(2.232176)], [np.float64(0.20200933593913603)])
def the_square_is_the_nearest_number(x):
    # The library's power is one off here.
    y = x
    i = 0
    while i < x * 0 + 3:
        y = x**2
        i += 1
    return y, x**2.0, sl.pow(x, sl.full_like(x, 2.0)), x * x


@case([0.0, -0.0], [-0.0, 0.0], [1.0, 2.0])
def of_both_zeros_the_second(x, y):
    ways = sl.maximum(x, y), sl.maximum(y, x), sl.minimum(x, y), sl.minimum(y, x)
    return ways, (y == x, x == y)


PAIRS = [[1.0, NAN], [NAN, 1.0], [0.0, -0.0], [-0.0, 0.0], [2.0, 1.0], [1.0, 2.0]]


@case(*PAIRS)
def max_and_min_give_the_first_of_equals(x, y):
    return max(x, y), min(x, y), max(x, y, x * 2), max(y, x)


@case(*PAIRS)
def max_and_min_of_numbers(x, y):
    a, b = float(x), float(y)
    return x * max(a, b), x * min(a, b), sl.tensor([max(a, b), min(a, b)])


@case([1.0, 2], [3.0, 2])
def max_and_min_of_two_types(x, y):
    return max(x, y), min(x, y)


@case([np.array([1.0, 3.0]), np.array([2.0, 2.0])], [np.array([1.0]), np.array([2.0])])
def max_of_several_elements(x, y):
    return max(x, y)


@case([1.0], [-1.0])
def zeros_of_two_signs_are_chosen(x):
    if x > 0:
        zero = 0.0
    else:
        zero = -0.0
    return sl.copysign(sl.ones(2), zero)


@case([NAN], [INF], [1e30], [-3.7], [-(2.0**63)])
def int_of_what_is_no_integer(x):
    return sl.ones(2, dtype=sl.int64) * int(x)


@case([0.0], [-0.0], [2.0], [NAN], [INF])
def floats_by_zero(x):
    ones = sl.ones(2)
    return ones * (1.0 / float(x)), ones * (7.0 // float(x)), ones * (7.0 % float(x))


@case([0], [3])
def integers_by_zero(n):
    return sl.ones(2) * (7 / int(n)), sl.ones(2) * (7 // int(n))


@case([3.0])
def a_number_by_the_constant_zero(x):
    return sl.ones(2) * (float(x) / 0)


@case([-2.0, 0.5], [0.0, -1.0], [1e300, 2.0], [2.0, 3.0], [INF, 2.0], [-INF, 0.5])
def powers_that_are_no_floats(x, y):
    return sl.ones(2) * (float(x) ** float(y)), sl.ones(2) * (float(x) ** 2)


@case([2, 70], [2, 62], [-2, 63], [3, 2], [2, -1])
def powers_of_more_than_64_bits(n, k):
    return sl.ones(2) * (int(n) ** int(k))


@case([0, 50], [0, 40], [0, 39], [0, 3])
def products_of_more_than_64_bits(i, n):
    k = 1
    while i < n:
        k = k * 3
        i = i + 1
    return k % 1000007, i


@case([0, 200], [0, 93], [0, 92], [0, 91], [0, 3])
def sums_of_more_than_64_bits(i, n):
    a, b = 0, 1
    while i < n:
        a, b = b, a + b
        i = i + 1
    return a % 1000007, (0 - a - b) % 1000007


@case([2**63 - 1, 2**63 - 1], [-(2**63), 2**63 - 1], [5, 7], [2**62, -(2**62)])
def sums_and_differences_at_the_end_of_64_bits(x, y):
    a, b = int(x), int(y)
    return (a + b) % 1000007, (a - b) % 1000007, (b - a) % 1000007


@case([0, 70], [0, 5], [0, 63])
def shifts_of_more_than_64_bits(i, n):
    k = 1
    while i < n:
        k = k << 1
        i = i + 1
    return k > 0, (1 << int(n)) % 1000007


@case([True, True], [False, True], [False, False])
def bools_add_up(x, y):
    a, b = bool(x), bool(y)
    return sl.ones(2) * (a + b), sl.ones(2) * (a * b), sl.ones(2) * (a - b)


U8, I32 = np.array([1, 2], np.uint8), np.array([1, 2], np.int32)
WIDE = [300, -1, 3, 3_000_000_000, -3_000_000_000]


@case(*([x, n] for x in (U8, I32) for n in WIDE))
def a_number_that_the_type_beside_it_does_not_hold(x, n):
    return x + int(n)


@case(*([x, n] for x in (U8, I32) for n in WIDE))
def compared_with_a_number_of_any_size(x, n):
    return x < int(n), x == int(n), int(n) <= x


@pytest.mark.parametrize(("f", "arguments"), CASES)
@pytest.mark.parametrize("jit", ["0", "always"])
def test_the_same_bits_and_errors(f, arguments, jit, monkeypatch):
    monkeypatch.setenv("SLUICE_JIT", jit)
    assert outcome(sl.function(f), arguments) == outcome(f, arguments)


@pytest.mark.parametrize("values", [(1.0, 2.0), (2.0, 2.0), (3.0, 1.0)])
def test_the_gradient_of_max_goes_to_what_it_gave(values):
    def f(x, y):
        return max(x, y) * 3

    told = []
    for wrap in (lambda f: f, sl.function):
        x, y = (sl.tensor(v).requires_grad_() for v in values)
        wrap(f)(x, y).backward()
        told.append([None if v.grad is None else v.grad.item() for v in (x, y)])
    assert told[0] == told[1]


# Numbers that change from call to call are inputs of the graph.
@pytest.mark.parametrize(
    ("f", "x", "numbers"),
    [
        (lambda x, n: x + n, U8, [1, 2, 3, 4, 300, -1]),
        (lambda x, n: x < n, I32, [1, 2, 3, 4, 3_000_000_000, -3_000_000_000]),
        (lambda x, r: x * (1.0 / r), I32, [1.0, 2.0, 3.0, 4.0, 0.0]),
        (lambda x, r: x * (5.0 % r), I32, [1.0, 2.0, 3.0, 4.0, 0.0]),
        (lambda x, n: x * 1.0 * (n * 4_000_000_000), I32, [1, 2, 3, 4, 5_000_000_000]),
        (lambda x, n: x * 1.0 * 2**n, I32, [1, 2, 3, 4, 70]),
        (lambda x, r: x * r**0.5, I32, [1.0, 2.0, 3.0, 4.0, -1.0]),
    ],
)
def test_numbers_that_change(f, x, numbers):
    captured = sl.function(f)
    for n in numbers:
        got = outcome(lambda x: captured(x, n), [x])
        assert got == outcome(lambda x: f(x, n), [x]), n


class Box:
    rate = 1.0


@pytest.mark.parametrize("last", [NAN, 1e30, -2.5])
def test_int_of_a_rate(last):
    box = Box()

    def f(x):
        return x * int(box.rate)

    captured = sl.function(f)
    for box.rate in (1.0, 2.5, 3.5, 4.0, last):
        assert outcome(captured, [[1.0, 2.0]]) == outcome(f, [[1.0, 2.0]])


def test_a_complex_number_with_zeros_of_other_signs():
    captured = sl.function(lambda x, c: x * c)
    for c in (complex(0.0, 0.0), complex(-0.0, -0.0)):
        x = np.array([1 + 0j], np.complex64)
        assert outcome(lambda x: captured(x, c), [x]) == outcome(lambda x: x * c, [x])


def test_a_set_of_equal_numbers_of_another_type():
    factors = {2}

    def f(x):
        return sum(x * k for k in factors)

    captured = sl.function(f)
    for factor in (2, 2.0, 2, True, 1):
        factors.clear()
        factors.add(factor)
        assert outcome(captured, [[3, 4]]) == outcome(f, [[3, 4]])
