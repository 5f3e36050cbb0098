"""Elements of a graph's tensors that Python itself asks for, from its functions in C:
values decide, and every call gets what its own code gives."""

import bisect
import contextlib
import functools
import heapq
import operator
import pprint
import string

import pytest

import sluice as sl

X, I = sl.tensor([3.0, 1.0, 2.0]), sl.tensor([2, 0, 1])

OF_FLOATS = {
    "index of a list": lambda x: [*range(-3, 6)].index(x[1]),
    "no such one": lambda x: [1, 2, 3].index(x[1]),
    "no such number": lambda x: [1, 2, 3].index(int(x[1])),
    "index among tensors": lambda x: [x[0], x[1]].index(1.0),
    "count": lambda x: [x[0], x[1], x[0]].count(3.0),
    "reduce": lambda x: functools.reduce(lambda a, b: a if a > b else b, [*x]),
    "among values": lambda x: x[0] in {1: 2}.values(),
    "key": lambda x: {3.0: "a"}.get(x[0].item()),
    "truth": lambda x: operator.truth(x[0] > 2),
    "map of bool": lambda x: list(map(bool, [x[0] > 2, x[1] > 2])),
    "sorted": lambda x: sorted([x[0], x[1], x[2]]),
    "bisect": lambda x: bisect.bisect([1.0, 2.0, 3.0], x[0]),
    "nsmallest": lambda x: heapq.nsmallest(2, [x[0], x[1], x[2]]),
    "percent": lambda x: "%d" % x[0],
    "bool": lambda x: (x[0] > 2).__bool__(),
    "filter": lambda x: list(filter(None, [x[0] - 3, x[1]])),
    "tolist": lambda x: x.tolist(),
    "how many": lambda x: len(x[x > 1]),
    "texts by map": lambda x: ", ".join(map(str, x)),
    "reprs by map": lambda x: list(map(repr, [x[0], x[1] > 1])),
    "pprint": lambda x: pprint.pformat([x[0]]),
    "template": lambda x: string.Template("$a").substitute(a=x[0]),
    "a text as an index": lambda x: x[f"{x[0]}"],
    "a text as a number of axes": lambda x: x.sum(f"{x[0]}"),
    "class of a text": lambda x: type(f"{x[0]}").__name__,
    "repr of a list": lambda x: [x[0], x[1] > 1].__repr__(),
    "ordered by texts": lambda x: sorted(x.tolist(), key=str),
    "repr of an exception": lambda x: repr(ValueError("bad", x[0])),
    "length of a text": lambda x: len(str(x)),
    "parts of a text": lambda x: f"{x} {x[0]:.3f}".split(","),
    "len of what has none": lambda x: len(enumerate(x)),
}
OF_INTS = {
    "index of a text": lambda i: "abc"[i[0]],
    "slice": lambda i: [1, 2, 3, 4][i[0] :],
    "hex": lambda i: hex(i[0]),
    "repeated": lambda i: "ab" * i[0],
    "bytes": lambda i: bytes(i[0]),
    "index": lambda i: i[0].__index__(),
    "range": lambda i: list(range(i[0])),
    "range with a step": lambda i: list(range(1, i[0], 2)),
    "sum": lambda i: sum(range(i[0])),
    "star": lambda i: [*range(i[0])],
    "zip": lambda i: list(zip(range(i[0]), "abc")),
    "enumerate": lambda i: tuple(enumerate(i[: i[0]])),
    "fromkeys": lambda i: dict.fromkeys(range(i[0]), 0),
    "set": lambda i: set(range(i[0])),
    "in": lambda i: 2 in range(i[0]),
    "len": lambda i: len(range(i[0])),
    "last": lambda i: range(i[0])[-1],
    "reversed": lambda i: list(reversed(range(i[0]))),
    "text": lambda i: f"{range(i[0])}",
    "condition": lambda i: 1 if range(i[0]) else 2,
    "class": lambda i: (type(range(i[0])), isinstance(range(i[0]), range)),
    "parts": lambda i: (range(i[0]).stop, range(i[0]).count(1)),
    "equal": lambda i: range(i[0]) == range(2),
    "itself": lambda i: range(i[0]),
    "of a size": lambda i: (range(i.shape[0]), len(range(i.shape[0]))),
    "size in a text": lambda i: f"{range(i.shape[0])} {range(i.shape[0])[-1:]}",
}


def exact(value):
    if isinstance(value, sl.Tensor):
        return "tensor", str(value.dtype), value.tolist()
    if isinstance(value, (tuple, list)):
        return type(value), [exact(v) for v in value]
    return type(value), value


def outcome(f, *args):
    try:
        return exact(f(*args))
    except Exception as error:
        return type(error), str(error).splitlines()[0]


@pytest.mark.parametrize("what", OF_FLOATS)
def test_of_floats(what):
    captured = sl.function(OF_FLOATS[what])
    for x in (X, X + 2, X - 2, -X, X):
        assert outcome(captured, x) == outcome(OF_FLOATS[what], x)


@pytest.mark.parametrize("what", OF_INTS)
def test_of_ints(what):
    captured = sl.function(OF_INTS[what])
    for i in (I, I * 0, I + 1, I[:1], I):
        assert outcome(captured, i) == outcome(OF_INTS[what], i)


def suppressed(x):
    with contextlib.suppress(Exception):
        return [1, 2, 3].index(x[1])
    return "none"


def handled(x):
    try:
        return [1, 2, 3].index(x[1])
    except (TypeError, ValueError) as error:
        return str(error)


def exception_of_a_text(x):
    try:
        raise ValueError("bad", x[0])
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("f", [suppressed, handled, exception_of_a_text])
def test_a_refusal_that_code_handles_is_none_of_its_errors(f):
    captured = sl.function(f)
    for x in (X, X + 2, X - 2, -X, X):
        assert outcome(captured, x) == outcome(f, x)


def test_what_cannot_be_known_before_is_refused_though_code_handles_it():
    """Random numbers are there only when the graph runs."""

    @sl.function
    def f(x):
        with contextlib.suppress(Exception):
            return [1, 2, 3].index(x.sum() * sl.rand(()))
        return -1

    with pytest.raises(TypeError, match="part of a graph"):
        f(X)


def test_in_a_loop_of_the_graph_it_is_refused():
    """There it would be another in every iteration."""

    @sl.function(one_graph=True)
    def f(x):
        while x.sum() < 100:
            x = x + [1, 2, 3].index(x[1])
        return x

    with pytest.raises(TypeError, match="part of a graph"):
        f(X)
