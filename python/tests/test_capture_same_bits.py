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
