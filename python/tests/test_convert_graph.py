"""Python's control flow over tensors as control flow of graphs.

Every program runs three ways: as Python on numbers, converted on numbers, and
under sl.function on tensors, with equal results.
"""

import numpy as np
import pytest

import sluice as sl
from sluice._convert import convert

PROGRAMS = []


def runs(*cases):
    """Adds a program, to be run with these arguments."""

    def add(f):
        PROGRAMS.extend(pytest.param(f, case, id=f"{f.__name__}-{i}")
                        for i, case in enumerate(cases))
        return f

    return add


def f32(x):
    return np.float32(x)


def i64(x):
    return np.int64(x)


def as_arrays(tree):
    if isinstance(tree, (tuple, list)):
        return [as_arrays(part) for part in tree]
    if tree is None:
        return None
    return np.asarray(tree.numpy() if isinstance(tree, sl.Tensor) else tree)


def as_tensor(x):
    return x if isinstance(x, (str, bool)) or x is None else sl.tensor(np.asarray(x))


@runs((f32(3),), (f32(-3),), (f32(0),))
def branches(x):
    if x > 0:
        y = x * 2
    elif x == 0:
        y = x - 1
    else:
        y = -x
        z = y * y
        y = z + x
    return y


@runs((f32(3),), (f32(-3),))
def early_return(x):
    if x > 0:
        return x * 2
    y = x - 1
    return y


@runs((f32(1), i64(0)), (f32(-1), i64(1)), (f32(-1), i64(0)))
def nested_returns(x, n):
    if x > 0:
        return x
    else:
        if n > 0:
            y = x * 3
            return y
        x = x - 1
    return x * 2


@runs((f32(2),), (f32(1e-3),), (f32(400),))
def newton(a):
    x = a
    while abs(x * x - a) > 1e-4 * a:
        x = 0.5 * (x + a / x)
    return x


@runs((i64(27),), (i64(1),), (i64(6),))
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@runs((f32(100),), (f32(0.1),))
def while_true(x):
    n = 0
    while True:
        x = x / 2
        n += 1
        if x < 1:
            break
    return x, n


@runs((f32(3),), (f32(0.5),))
def return_is_the_only_way_out(x):
    while True:
        x = x * 2
        if x > 100:
            return x
        elif x == 8:
            return -x


@runs((i64(3),), (i64(9),), (i64(0),))
def while_else(n):
    k = 0
    while k < n:
        k += 1
        if k == 5:
            break
    else:
        k = -k
    return k


@runs((np.float32([1, 2, 3, 4]),), (np.float32([1, 2, -3, 4]),), (np.float32([]),))
def break_and_continue(xs):
    s = 0.0
    for x in xs:
        if x < 0:
            break
        if x == 3:
            continue
        s += x
    else:
        s = s * 10
    return s


@runs((np.int64([[1, 2, 3], [4, 5, 6]]), i64(5)), (np.int64([[1], [2]]), i64(9)))
def find(rows, wanted):
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if x > wanted:
                break
            if x == wanted:
                return i, j
    return -1, -1


@runs((i64(10),), (i64(0),))
def sum_range(n):
    total = 0
    for i in range(n):
        total += i
    return total


@runs((i64(1), i64(12), i64(3)), (i64(9), i64(-2), i64(-2)), (i64(5), i64(5), i64(1)))
def steps(a, b, c):
    seen = 0
    for i in range(a, b, c):
        seen = seen * 10 + i
    for i in range(b, a, 2):
        seen += i
    return seen


@runs((np.float32([1, 2, 3]), np.float32([4, 5]),))
def zipped(xs, ys):
    s = 0.0
    for i, (x, y) in enumerate(zip(xs, ys)):
        s += x * y * i
    for x, i in zip(reversed(xs), range(2)):
        s = s * 2 + x + i
    for i in range(len(xs)):
        s += xs[i]
    for i in range(ys.shape[0]):
        s += ys[i]
    return s


@runs((f32(1), f32(2)), (f32(1), f32(-2)), (f32(7), f32(-2)), (f32(4), f32(0)))
def boolean(a, b):
    if a > 0 and b > 0 or not a < 5:
        return a
    x = b if 0 < a < 3 else -b
    return max(x, a) + min(x, b)


@runs((f32(1),), (f32(1e-9),))
def long_range(x):
    i = 0
    for i in range(1000):
        x = x * 0.5
        if x < 1e-3:
            break
    return x, i


@runs((f32(1),), (f32(20),), (f32(500),))
def layers_with_early_exit(x):
    weights = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0]
    for i in range(len(weights)):
        x = x * weights[i]
        if x > 1000:
            return x, i
    return x, -1


def helper(x):
    if x > 10:
        return x - 10
    while x < 5:
        x = x + 1
    return x


@runs((f32(2),), (f32(30),))
def calls_helper(x):
    def inner(y):
        return y * 2 if y < 20 else y

    g = lambda v: v - 1 if v > 6 else v  # noqa: E731
    return helper(inner(x)) + g(helper(x))


@runs((f32(3), True), (f32(3), False), (f32(-3), True))
def python_and_tensor_conditions(x, flag):
    if flag:
        x = x + 1
    if flag and x > 0:
        return x, "flagged" if flag else "plain"
    return (x if flag else -x), "flagged" if flag else "plain"


@runs((np.float32([3, -1, 4, -1, 5]),))
def state_in_containers(xs):
    state = {"pos": 0.0, "count": [0, 0]}
    for x in xs:
        if x > 0:
            state["pos"] = state["pos"] + x
            state["count"][0] += 1
        else:
            state["count"][1] += 1
    return state["pos"], state["count"]


@runs((i64(6),))
def nested_loops(n):
    total = 0
    i = 0
    while i < n:
        j = 0
        while True:
            j += 1
            if j > i:
                break
            if (i + j) % 3 == 0:
                continue
            k = i * j
            total += k
            if total > 60:
                return total, i, j
        i += 1
    return total, i, -1


@pytest.mark.parametrize("f, args", PROGRAMS)
def test_program(f, args):
    def given(wrap):
        return [a if isinstance(a, bool) else wrap(a) for a in args]

    wanted = as_arrays(f(*args))
    assert_equal(convert(f)(*args), wanted)
    # Imperative tensors have a truth, so that Python does it all.
    assert_equal(convert(f)(*given(as_tensor)), wanted)
    assert_equal(sl.function(f)(*given(as_tensor)), wanted)


def assert_equal(got, wanted):
    if isinstance(wanted, list):
        got = list(got)
        assert len(got) == len(wanted)
        for a, b in zip(got, wanted):
            assert_equal(a, b)
    elif wanted.dtype.kind == "U":
        assert got == wanted
    else:
        np.testing.assert_allclose(as_arrays(got), wanted, rtol=1e-5)


def test_one_trace_serves_all_ways():
    f = sl.function(newton)
    for a in (2.0, 9.0, 1e-3):
        assert abs(f(sl.tensor(a)).item() - a**0.5) < 1e-3
    assert len(f.traces()) == 1
    assert "While" in f.graph(sl.tensor(2.0))


def test_loops_are_loops_and_branches_branches():
    assert "If" in sl.function(branches).graph(sl.tensor(1.0))
    text = sl.function(nested_loops).graph(sl.tensor(6))
    assert text.count("While") >= 2


# It was the truth of it, True or False, wherever it stood.
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * ((x[0] > 0) and 2.5),
        lambda x: x * ((x[0] > 0) or 2.5),
        lambda x: x * (x[0] > 0 and x[1] > 0 and x.sum()),
        lambda x: x * (x[0] > 0 or x[1]),
        lambda x: x * (x[0] > 0 and x[1] > 0),
        lambda x: x * (2.0 if x[0] > 0 and x[1] else 3.0),
        lambda x: x * (not (x[0] > 0 and x[1])),
    ],
)
def test_and_and_or_are_one_of_their_operands(f):
    def g(x):
        return f(x)

    h = sl.function(g)
    for value in ([1.0, 2.0], [-1.0, 3.0], [0.0, -2.0], [3.0, 0.0]):
        assert h(sl.tensor(value)).tolist() == f(sl.tensor(value)).tolist(), value
