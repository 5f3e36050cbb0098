"""Arguments that are more than their fields and elements: their class, attributes
beside the fields, lists in named tuples, one object given twice."""

import dataclasses
from collections import namedtuple
from typing import Any, NamedTuple

import pytest
from both_ways import both

import sluice as sl

ONE = sl.tensor([1.0])
TWO = sl.tensor([2.0])


def shown(value):
    if isinstance(value, sl.Tensor):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        inside = getattr(value, "__dict__", {})
        return type(value).__name__, [shown(v) for v in value], shown(inside)
    if isinstance(value, dict):
        return {k: shown(v) for k, v in value.items()}
    if dataclasses.is_dataclass(value):
        return type(value).__name__, shown(dict(vars(value)))
    return value


class Pair(tuple):
    def total(self):
        return self[0] + self[1]


class Weighed(tuple):
    def __new__(cls, a, b):
        made = super().__new__(cls, (a, b))
        made.weight = a * 10
        return made


class Doubled(tuple):
    def __getitem__(self, i):
        return super().__getitem__(i) * 2

    def __len__(self):
        return 7


class Point(NamedTuple):
    a: Any
    b: Any = 3

    def total(self):
        return self.a + self.b


class Halved(namedtuple("Halved", "a b")):
    def __new__(cls, a):
        return super().__new__(cls, a, a / 2)


def a_tuple_of_a_class(wrap):
    f = wrap(lambda p: (p.total(), type(p).__name__, p, Pair([p[0] * 2])))
    return [shown(f(Pair(p))) for p in ((ONE, TWO), (TWO, TWO), (ONE, 3))]


def a_tuple_that_is_made_otherwise(wrap):
    f = wrap(lambda p: p[0] * p.weight)
    a, found = Weighed(ONE, TWO), []
    for weight in (TWO, ONE, 5, 6.0, "no"):
        found.append(shown(f(a)))
        a.weight = weight
    del a.weight
    with pytest.raises(AttributeError):
        f(a)
    return found


def a_tuple_with_methods_of_its_own(wrap):
    f = wrap(lambda p: (p[0], len(p), [v for v in p]))
    return [shown(f(Doubled(p))) for p in ((ONE, TWO), (TWO, TWO))]


def a_tuple_or_one_of_a_class(wrap):
    f = wrap(lambda p: p[0] * (2 if isinstance(p, Pair) else 3))
    return [shown(f(kind((ONE, TWO)))) for kind in (tuple, Pair, tuple)]


def attributes_of_a_tuple_are_assigned(wrap):
    def code(p):
        p.seen = getattr(p, "seen", 0) + 1
        return p[0] * p.seen

    f, p = wrap(code), Pair((ONE, TWO))
    return [(shown(f(p)), shown(p)) for _ in range(3)]


def named_tuples(wrap):
    f = wrap(lambda p: (p.total(), p._replace(a=p.b), Point(p.a)))
    return [shown(f(p)) for p in (Point(ONE), Point(ONE, 5), Point(ONE, TWO))]


def a_named_tuple_that_is_made_otherwise(wrap):
    f = wrap(lambda p: p.a + p.b)
    return [shown(f(Halved(a))) for a in (ONE, TWO, TWO)]


def a_list_in_a_named_tuple(wrap):
    def code(p):
        p.b["l"].append(p.a)
        p.b["n"] += 1
        return p.a * p.b["n"]

    f, p = wrap(code), Point(ONE, {"l": [], "n": 0})
    return [(shown(f(p)), shown(p)) for _ in range(3)]


def what_is_returned_is_the_callers(wrap):
    kept = []

    def code(p):
        kept.append(p)
        return p, p[1]

    f, found = wrap(code), []
    for p in (Point(ONE, [2]), (ONE, [2]), Pair((ONE, [2]))):
        for _ in range(2):
            whole, part = f(p)
            found.append((whole is p, part is p[1], kept[-1] is p))
    return found


@dataclasses.dataclass
class Item:
    v: Any
    n: int = 0
    rate = 2.0
    log = []

    def __post_init__(self):
        self.made = self.v * 2

    def scaled(self):
        return self.v * self.rate


def attributes_that_are_no_fields(wrap):
    def code(d):
        d.count = getattr(d, "count", 0) + 1
        return d.v * d.count + d.made

    f, a, b = wrap(code), Item(ONE), Item(TWO)
    found = []
    for d in (a, a, b, a, b):
        found += [shown(f(d)), shown(d)]
        d.made = d.made + 1
    return found


def what_the_class_has(wrap):
    f = wrap(lambda d: (d.log.append(d.n), d.scaled() * len(d.log)))
    d, found, scaled = Item(ONE), [], Item.scaled
    for i in range(6):
        found += [shown(f(d)), shown(Item.log)]
        if i == 1:
            Item.rate = 3.0
        elif i == 2:
            Item.scaled = lambda self: self.v - self.rate
        elif i == 3:
            d.rate = 7.0
    Item.rate, Item.log, Item.scaled = 2.0, [], scaled
    return found


def super_of_an_argument(wrap):
    @dataclasses.dataclass
    class More(Item):
        b: Any = None

        def scaled(self):
            self.v = super().scaled() + 1
            return self.v + self.b

    f, d = wrap(lambda d: d.scaled()), More(ONE, 0, TWO)
    return [(shown(f(d)), shown(d)) for _ in range(3)]


def one_object_twice(wrap):
    def code(a, b):
        a.v = a.v + 1
        a.n += 1
        return b.v * 10, b.n, a is b

    f, found = wrap(code), []
    a, b = Item(ONE), Item(ONE)
    for pair in ((a, b), (a, a), (a, b), (b, b), (b, a)):
        found.append(shown(f(*pair)))
    return found, shown(a), shown(b)


def one_object_twice_without_tensors(wrap):
    def code(a, b, x):
        a.n += 1
        return x * b.n

    f, found = wrap(code), []
    for same in (False, True, False, True):
        a, b = Item(1), Item(1)
        found.append(shown(f(a, a if same else b, ONE)))
    return found


def one_list_twice_without_tensors(wrap):
    def code(a, b, x):
        a[0] += 1
        return x * b[0]

    f, found = wrap(code), []
    for same in (False, True, False, True):
        a, b = [1], [1]
        found.append(shown(f(a, a if same else b, ONE)))
    return found


def one_that_the_code_finds(wrap):
    a, b = Item(ONE), Item(ONE)

    def code(d):
        d.v = d.v + 1
        return a.v * 10, d is a

    f = wrap(code)
    return [shown(f(d)) for d in (b, a, b, a)], shown(a), shown(b)


PROGRAMS = [
    a_tuple_of_a_class, a_tuple_that_is_made_otherwise,
    a_tuple_with_methods_of_its_own, a_tuple_or_one_of_a_class,
    attributes_of_a_tuple_are_assigned, named_tuples,
    a_named_tuple_that_is_made_otherwise, a_list_in_a_named_tuple,
    what_is_returned_is_the_callers, attributes_that_are_no_fields,
    what_the_class_has, super_of_an_argument, one_object_twice,
    one_object_twice_without_tensors, one_list_twice_without_tensors,
    one_that_the_code_finds,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_arguments_as_a_whole(program):
    both(program)


def test_what_is_refused_leaves_an_argument_as_it_was():
    def code(d):
        d.v = d.v + 1
        d.n += 1
        return open("/dev/null")

    d = Item(ONE)
    with pytest.raises(TypeError, match="open"):
        sl.function(code)(d)
    assert d.v is ONE and d.n == 0
