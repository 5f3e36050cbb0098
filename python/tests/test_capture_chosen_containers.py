"""A tensor chooses one of two containers, and the code then writes what was chosen:
it is the one that imperative code writes."""

import dataclasses
from typing import Any

import pytest
from both_ways import both

import sluice as sl

VALUES = (1.0, 3.0, 1.0)


def number(v):
    return sl.tensor([v])


@dataclasses.dataclass
class Item:
    v: Any
    n: int = 0


def shown(value):
    if isinstance(value, sl.Tensor):
        return value.tolist()
    if isinstance(value, Item):
        return shown(value.v), value.n
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    return {k: shown(v) for k, v in value.items()} if type(value) is dict else value


def dataclasses_of_the_caller(wrap):
    def code(a, b, x):
        c = a if x.sum() > 2 else b
        c.v = c.v * 2
        c.n += 1
        return a.v + b.v

    a, b, f = Item(number(1.0)), Item(number(2.0)), wrap(code)
    return [shown((f(a, b, number(v)), a, b)) for v in VALUES]


def lists_of_the_caller(wrap):
    def code(a, b, x):
        if x.sum() > 2:
            c, n = a, 1
        else:
            c, n = b, 2
        c.append(n)
        c[0] = c[0] * n
        c += [5]
        return a[0] + b[0]

    a, b, f = [number(1.0)], [number(2.0)], wrap(code)
    return [shown((f(a, b, number(v)), a, b)) for v in VALUES]


def lists_around(wrap):
    a, b = {"n": 1}, {"n": 2}

    def code(x):
        c = a if x.sum() > 2 else b
        c.update(n=c["n"] + 1)
        return x * a["n"] * b["n"]

    f = wrap(code)
    return [shown((f(number(v)), a, b)) for v in VALUES]


def lists_of_its_own(wrap):
    def code(x):
        a, b = [x, 1], [x * 2, 2]
        c = a if x.sum() > 2 else b
        c[0] = c[0] + 100
        c[1] += 1
        return a, b, c

    f = wrap(code)
    return [shown(f(number(v))) for v in VALUES]


def one_list_on_both_ways(wrap):
    def code(a, x):
        if x.sum() > 2:
            c, n = a, 1
        else:
            c, n = a, 2
        c[0] = c[0] * n
        return a[0], c is a

    a, f = [number(1.0)], wrap(code)
    return [shown((f(a, number(v)), a)) for v in VALUES]


def lists_in_a_loop(wrap):
    def code(a, b, x):
        c = a
        while x.sum() < 2:
            c, x = b, x + 2
        c[0] = c[0] + 10
        return a[0], b[0]

    a, b, f = [number(1.0)], [number(2.0)], wrap(code)
    return [shown((f(a, b, number(v)), a, b)) for v in VALUES]


PROGRAMS = [
    dataclasses_of_the_caller, lists_of_the_caller, lists_around, lists_of_its_own,
    one_list_on_both_ways, lists_in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_the_container_that_was_chosen_is_written(program):
    both(program)


def test_what_is_only_read_is_one_graph():
    @sl.function(one_graph=True)
    def f(a, b, x):
        c = a if x.sum() > 2 else b
        return c[0] * 2, len(c)

    a, b = [number(1.0)], [number(2.0)]
    assert [shown(f(a, b, number(v))[0]) for v in VALUES] == [[4.0], [2.0], [4.0]]
