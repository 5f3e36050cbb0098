"""Numbers and texts that a graph computes behave as Python's own do."""

import pytest

import sluice as sl


class Box:
    def __init__(self, value):
        self.value = value


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as error:
        return type(error), str(error)


READS = {
    "int of a text": lambda n, v: int(f"{n}"),
    "int of a text with a base": lambda n, v: int(str(n) + "0", 8),
    "float of a text": lambda n, v: float(str(n)) + 1,
    "any": lambda n, v: any(q > 2 for q in v),
    "all": lambda n, v: all([q > 0 for q in v]),
    "filter": lambda n, v: list(filter(lambda q: q > 1, v)),
    "the if of a comprehension": lambda n, v: [q for q in v if q > 1],
    "next of a generator": lambda n, v: next((j for j in range(4) if j > n), -1),
    "a comprehension over a range": lambda n, v: [j * n for j in range(n)],
    "max by a key": lambda n, v: max(range(3), key=lambda j: v[j]),
    "sorted objects": lambda n, v: [b.value for b in sorted(
        [Box(q) for q in v], key=lambda b: (-b.value, 0))],
    "bits of a bool": lambda n, v: (~(n > 1), +(n > 1), -(n > 1)),
    "a method of int": lambda n, v: n.bit_length(),
    "a method of float": lambda n, v: (n / 2).is_integer(),
    "an attribute of int": lambda n, v: ((n > 1).real, n.numerator),
    "attributes of tensors": lambda n, v: (hasattr(n, "shape"), hasattr(n, "item"),
                                           getattr(n, "dtype", None)),
}
FAILS = {
    "item of a number": lambda n, v: n.item(),
    "sum of a number": lambda n, v: n.sum(),
    "an element of a number": lambda n, v: n[0],
    "the length of a number": lambda n, v: len(n),
    "a loop over a number": lambda n, v: [q for q in n],
    "None added": lambda n, v: n + None,
    "bits of a float": lambda n, v: float(n) & 1,
    "all bits of a float": lambda n, v: ~float(n),
    "range of a float": lambda n, v: range(float(n)),
    "int of no number": lambda n, v: int(f"a{n}"),
}


def _of(body):
    # Of a file's function: the converter wants its source.
    def f(k):
        return body(k[1].item(), k.tolist())

    return f


@pytest.mark.parametrize("name", [*READS, *FAILS])
def test_a_number_of_the_graph_is_a_number(name):
    f = _of({**READS, **FAILS}[name])
    captured = sl.function(f)
    for elements in ([-1, 2, 3], [4, 1, 0], [-1, 2, 3], [2, 2, 2]):
        k = sl.tensor(elements)
        want, got = outcome(f, k), outcome(captured, k)
        assert got == want
        assert type(got) is type(want)
        assert (name in FAILS) == (type(want) is tuple and want[0] in (
            AttributeError, TypeError, ValueError))


def test_sorted_tensors_are_the_tensors():
    def f(x):
        a, b = x[0], x[1]
        low, high = sorted([a, b])
        return low, low is b, min([Box(a), Box(b)], key=lambda o: o.value).value

    captured = sl.function(f)
    for elements in ([2.0, 1.0], [1.0, 2.0]):
        low, second, least = captured(sl.tensor(elements))
        assert (low, second, least) == (1.0, elements[1] == 1.0, 1.0)


def filtered(k):
    try:
        return [q for q in k.tolist() if q > 1]
    except Exception:
        return -1


def asserted(k):
    try:
        assert k[0] > 1, k
    except (AssertionError, TypeError):
        return -1
    return 1


def compared(k):
    try:
        return [1, 2, 3].index(k[0].item())
    except Exception as error:
        return str(error)


@pytest.mark.parametrize("f", [filtered, asserted, compared])
def test_code_does_not_handle_our_refusals(f):
    captured = sl.function(f)
    for first in (1, 2, 1, 9):
        k = sl.tensor([first, 2])
        try:
            got = captured(k)
        except TypeError:  # refused, which says so
            continue
        assert got == f(k)


FUNCTIONS = {
    "sqrt": lambda n: sl.sqrt(n),
    "add": lambda n: sl.add(n, 0.1),
    "beside f64": lambda n: sl.add(sl.ones(1, dtype=sl.float64), n),
    "beside f16": lambda n: sl.maximum(sl.ones(1, dtype=sl.float16), n),
    "where": lambda n: sl.where(sl.tensor([True, False]), n, 0.1),
    "cast": lambda n: sl.cast(n, sl.float64),
    "relu": lambda n: sl.nn.functional.relu(n),
    "ones_like": lambda n: sl.ones_like(n),
    "of a function": lambda n: sl.exp(sl.sqrt(n) + n),
    "rounded": lambda n: (round(n), round(n * 3e7), n),
}


# It was f64, where sqrt(2.3) is f32.
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("taken", ["item", "float", "int"])
def test_a_function_takes_a_number_of_the_graph_as_a_number(name, taken):
    body = FUNCTIONS[name]

    def f(x):
        if taken == "int":
            return body(int(x))
        return body(x.item() if taken == "item" else float(x))

    captured = sl.function(f)
    for x in (2.3, 0.7, 16777217.3):
        x = sl.tensor(x, dtype=sl.float64)
        got, want = captured(x), f(x)
        assert repr(got) == repr(want)
        if isinstance(want, sl.Tensor):
            assert got.dtype == want.dtype
            assert got.tolist() == want.tolist()


REMAINDERS = {
    "2.0": lambda n: (n % 2.0, divmod(n, 2.0)),
    "-2.0": lambda n: (n % -2.0, divmod(n, -2.0)),
    "of 4.0": lambda n: 4.0 % n,
    "of -4.0": lambda n: -4.0 % n,
}


@pytest.mark.parametrize("name", REMAINDERS)
def test_a_remainder_of_zero_has_the_sign_of_the_divisor(name):
    body = REMAINDERS[name]

    def f(x):
        return body(x.item())

    captured = sl.function(f)
    for x in (4.0, -4.0, 0.0, -0.0, 3.5, -3.5):
        x = sl.tensor(x)
        assert repr(outcome(captured, x)) == repr(outcome(f, x))


# An attribute of an op was the one of the first call, or an error.
@pytest.mark.parametrize("taken", ["a number", "a tensor"])
def test_an_attribute_that_is_taken_from_a_tensor(taken):
    k = sl.tensor([1, 0])

    def f(x):
        axis = int(k[0]) if taken == "a number" else k[0]
        return sl.sum(x, axis), x.cumsum(int(k[0]))

    captured = sl.function(f)
    for axis in (1, 0, 0, 1):
        k[0] = axis
        x = sl.tensor([[1.0, 2.0], [3.0, 4.0]])
        assert repr(captured(x)) == repr(f(x))
