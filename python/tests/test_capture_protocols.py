"""Operators and other protocols of the user's classes in captured code, and objects of
the user's that are given to code which is not converted."""

from __future__ import annotations

import array
import collections
import contextvars
import copy
import dataclasses
import functools
import itertools
import operator
import types
import weakref

import pytest

import sluice as sl
from sluice import nn


class Scale:
    """One number, asked for in many ways."""

    def __init__(self, k):
        self.k = k

    def __matmul__(self, x):
        return x * self.k

    def __rmul__(self, x):
        return x * self.k

    def __add__(self, other):
        return Scale(self.k + other)

    def __iadd__(self, other):
        self.k += other
        return self

    def __neg__(self):
        return Scale(-self.k)

    def __getitem__(self, i):
        return self.k + i

    def __setitem__(self, i, v):
        self.k = v

    def __delitem__(self, i):
        self.k = -self.k

    def __len__(self):
        return abs(self.k)

    def __bool__(self):
        return self.k > 2

    def __iter__(self):
        return iter([self.k, self.k + 1])

    def __contains__(self, v):
        return v == self.k

    def __eq__(self, other):
        return self.k == other

    __hash__ = None

    def __lt__(self, other):
        return self.k < other.k

    def __abs__(self):
        return abs(self.k)

    def __float__(self):
        return float(self.k)

    def __index__(self):
        return abs(self.k) % 3

    def __str__(self):
        return "s" * abs(self.k)

    def __format__(self, spec):
        return "f" * abs(self.k)


def total(s):
    a, b = s
    return a * 10 + b


def looped(s, x):
    for v in s:
        x = x * v
    return x


def added(s, x):
    t = s
    t += 1
    return x * t.k


def assigned(s, x):
    s[0] = s.k + 1
    return x * s.k


def deleted(s, x):
    del s[0]
    return x * s.k


def matched(s, x):
    match s:
        case Scale(k=3):
            return x * 30
        case Scale(k=k):
            return x * k


def updated(s, x):
    s.__dict__.update(k=s.k + 1)
    return x * s.k


USES = {
    "matmul": lambda s, x: s @ x,
    "reflected": lambda s, x: 3 * s * x,
    "add": lambda s, x: (s + 1) @ x,
    "negative": lambda s, x: -s @ x,
    "item": lambda s, x: x * s[1],
    "len": lambda s, x: x * len(s),
    "bool": lambda s, x: x * (5 if s else 6),
    "not": lambda s, x: x * (5 if not s else 6),
    "and": lambda s, x: x * (5 if s and x is not None else 6),
    "contains": lambda s, x: x * (5 if 3 in s else 6),
    "equal": lambda s, x: x * (5 if s == 3 else 6),
    "less": lambda s, x: x * sorted([s, Scale(2)])[0].k,
    "least": lambda s, x: x * min(s, Scale(2)).k,
    "abs": lambda s, x: x * abs(s),
    "float": lambda s, x: x * float(s),
    "index": lambda s, x: x[s] * [10, 20, 30][s],
    "text": lambda s, x: x * len(str(s)),
    "format": lambda s, x: x * len(f"{s}"),
    "unpacked": lambda s, x: x * total(s),
    "starred": lambda s, x: x * sum([*s]),
    "listed": lambda s, x: x * sum(list(s)),
    "looped": looped,
    "added": added,
    "assigned": assigned,
    "deleted": deleted,
    "matched": matched,
    "vars": lambda s, x: x * vars(s)["k"],
    "dict": lambda s, x: x * s.__dict__["k"],
    "updated": updated,
    "attrgetter": lambda s, x: x * operator.attrgetter("k")(s),
    "operator": lambda s, x: operator.matmul(s, x) + operator.getitem(s, 1),
    "copy": lambda s, x: x * copy.copy(s).k,
    "deepcopy": lambda s, x: x * copy.deepcopy([s])[0].k,
    "weak": lambda s, x: x * weakref.ref(s)().k,
}


@pytest.mark.parametrize("use", USES)
def test_a_protocol_of_a_users_class_sees_what_has_changed(use):
    def ran(wrap):
        s = Scale(2)
        f, found = wrap(functools.partial(USES[use], s)), []
        for k in (2, 3, 1, 3):
            s.k = k
            for _ in range(2):
                found.append((f(sl.tensor([1.0, 2.0, -3.0])).tolist(), s.k))
        return found

    assert ran(sl.function) == ran(lambda f: f)


# A state kept by an operator: the graph's tensors come out of it.
def test_an_operator_that_keeps_a_tensor():
    class Sum:
        def __init__(self):
            self.n, self.w = 0, sl.tensor(1.0)

        def __lshift__(self, x):
            self.n += 1
            self.w = self.w + x.sum()
            return self

        def __setitem__(self, i, v):
            self.w = self.w * v

    def ran(wrap):
        made = Sum()

        def step(x):
            made << x
            made[0] = 2.0
            return made.w * made.n

        f = wrap(step)
        return [(f(sl.ones(2)).item(), made.n, made.w.item()) for _ in range(5)]

    assert ran(sl.function) == ran(lambda f: f)


class Times(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 2.0

    def forward(self, x):
        return x * self.k


RATE = 2.0


def by_rate(s):
    return -s.k * RATE


def scaled(a, b):
    return a + b * RATE


def keyed(s, x):
    items = [s, Scale(2)]
    items.sort(key=by_rate)
    return x * items[0].k + max([s, Scale(2)], key=by_rate).k


GIVEN = {
    "accumulate": lambda s, x: list(itertools.accumulate([x, x], scaled))[1],
    "starmap": lambda s, x: list(itertools.starmap(scaled, [(x, x)]))[0],
    "keys": keyed,
}


@pytest.mark.parametrize("use", GIVEN)
def test_a_function_given_to_a_builtin_sees_changed_globals(use, monkeypatch):
    def ran(wrap):
        f, found = wrap(functools.partial(GIVEN[use], Scale(1))), []
        for rate in (2.0, -3.0, 2.0):
            monkeypatch.setitem(globals(), "RATE", rate)
            found.append(f(sl.tensor([1.0, 2.0])).tolist())
        return found

    assert ran(sl.function) == ran(lambda f: f)


@pytest.mark.parametrize("kind", [Times, type("Plain", (), {
    "__init__": lambda self: setattr(self, "k", 2.0),
    "__call__": lambda self, x: x * self.k,
})])  # fmt: skip
def test_map_of_a_module_or_object_sees_changed_attributes(kind):
    def ran(wrap):
        m = kind()
        f, found = wrap(lambda x: sum(map(m, [x, x + 1]))), []
        for k in (2.0, 3.0, 2.0):
            m.k = k
            found.append(f(sl.ones(2)).tolist())
        return found

    assert ran(sl.function) == ran(lambda f: f)


def test_vmap_and_checkpoint_of_a_module_see_changed_attributes():
    m = Times()
    f = sl.function(lambda x: sl.vmap(m)(x))
    found = []
    for k in (2.0, 3.0):
        m.k = k
        found.append(f(sl.ones(2, 2)).tolist())
    assert found == [[[2.0] * 2] * 2, [[3.0] * 2] * 2]


def test_functions_of_dataclasses_see_changed_fields():
    @dataclasses.dataclass
    class Options:
        k: float = 2.0
        j: float = 1.0

    def ran(wrap):
        a, b = Options(), Options()

        def code(x):
            y = x * dataclasses.asdict(a)["k"] + dataclasses.replace(a, j=2.0).k
            return y * (5 if a == b else 6) * len(repr(a))

        f, found = wrap(code), []
        for k in (2.0, 33.0, 2.0):
            a.k = k
            found.append(f(sl.ones(2)).tolist())
        return found

    assert ran(sl.function) == ran(lambda f: f)


def test_containers_of_libraries_are_followed_and_written():
    def ran(wrap):
        plain = {"k": 2.0}
        held = {
            "user": collections.UserDict(k=2.0),
            "chain": collections.ChainMap({}, plain),
            "proxy": types.MappingProxyType(plain),
        }
        numbers = array.array("d", [1.0])
        grows = collections.UserList([1])

        def code(x):
            grows.append(2)
            y = x * len(grows) * numbers[0]
            return y * held["user"]["k"] + held["chain"]["k"] * held["proxy"]["k"]

        f, found = wrap(code), []
        for k in (2.0, 3.0, 3.0, 4.0):
            held["user"]["k"] = plain["k"] = numbers[0] = k
            found.append((f(sl.ones(1)).tolist(), list(grows)))
        return found

    assert ran(sl.function) == ran(lambda f: f)


def test_containers_that_functions_of_c_change():
    def ran(wrap):
        table, items = {"n": 0}, []

        def code(x):
            operator.setitem(table, "n", table["n"] + 1)
            list.append(items, x.sum())
            dict.update(table, size=len(items))
            return x * table["n"]

        f, found = wrap(code), []
        for _ in range(3):
            found.append((f(sl.ones(2)).tolist(), dict(table), len(items)))
        return found + [i.item() for i in items]

    assert ran(sl.function) == ran(lambda f: f)


def test_setters_of_the_user_run_once_for_every_assignment():
    class Doubling:
        def __get__(self, owner, kind=None):
            return owner.__dict__["held"]

        def __set__(self, owner, value):
            owner.__dict__["held"] = value * 2

    class Counted:
        sets = 0
        twice = Doubling()

        def __init__(self):
            self.k, self.twice = 1, 1

        def __setattr__(self, name, value):
            Counted.sets += 1
            super().__setattr__(name, value)

        def __getattribute__(self, name):
            value = object.__getattribute__(self, name)
            return value + 1 if name == "k" else value

    class Module(nn.Module):
        def __init__(self):
            super().__init__()
            self._k, self.sets = 1.0, 0

        @property
        def k(self):
            return self._k

        @k.setter
        def k(self, value):
            self._k = value * 2
            self.sets += 1

    def ran(wrap):
        Counted.sets = 0
        c, m = Counted(), Module()

        def code(x):
            c.k = c.k + 1
            c.twice = c.twice + 1
            m.k = m.k + 1
            return x * c.k + c.twice * m.k

        f, found = wrap(code), []
        for _ in range(6):
            y = f(sl.ones(1)).item()
            found.append((y, c.k, c.twice, Counted.sets, m.k, m.sets))
        return found

    assert ran(sl.function) == ran(lambda f: f)


def test_objects_made_by_classes_with_a_metaclass_or_new():
    import abc

    def ran(wrap):
        k, made = 2.0, []

        class Base(abc.ABC):
            def __init__(self):
                self.k = k

        class Own:
            count = 0

            def __new__(cls):
                Own.count += 1
                return super().__new__(cls)

            def __init__(self):
                self.k = k

        @dataclasses.dataclass
        class Data:
            x: object

            def __post_init__(self):
                self.x = self.x * k
                made.append(1)

        class Only:
            held = None

            @classmethod
            def get(cls):
                if cls.held is None:
                    cls.held = cls()
                return cls.held

            def __init__(self):
                self.n = 0

            def next(self):
                self.n += 1
                return self.n

        def code(x):
            y = x * Base().k * Own().k + Own.count
            return y + Data(x).x + Only.get().next()

        f, found = wrap(code), []
        for k in (2.0, 3.0, 3.0, 4.0):
            found.append((f(sl.ones(1)).item(), Own.count, len(made), Only.get().n))
        return found

    assert ran(sl.function) == ran(lambda f: f)


def test_singledispatch_sees_changed_globals(monkeypatch):
    @functools.singledispatch
    def go(kind, x):
        return x

    @go.register
    def _(kind: int, x):
        return x * RATE

    f = sl.function(lambda x: go(1, x))
    found = []
    for rate in (2.0, 3.0):
        monkeypatch.setitem(globals(), "RATE", rate)
        found.append(f(sl.ones(1)).item())
    assert found == [2.0, 3.0]


def taken(it):
    a, *b = it
    return a + len(b)


@pytest.mark.parametrize(
    "take",
    [
        lambda it: sum(it),
        lambda it: list(it)[0],
        lambda it: max(it),
        lambda it: next(zip(it, range(2)))[0],
        lambda it: next(enumerate(it))[1],
        lambda it: next(map(abs, it)),
        lambda it: list(itertools.islice(it, 2))[0],
        lambda it: it.__next__(),
        lambda it: [*it][0],
        taken,
    ],
)
def test_an_iterator_from_outside_is_refused_wherever_it_goes(take):
    it = iter([1, 2, 3])
    f = sl.function(lambda x: x * take(it))
    with pytest.raises(TypeError, match="it is an iterator made outside"):
        f(sl.ones(1))


def test_context_variables_and_globals_are_refused():
    held = contextvars.ContextVar("held", default=1.0)
    with pytest.raises(TypeError, match=r"test_capture_protocols.*ContextVar.get"):
        sl.function(lambda x: x * held.get())(sl.ones(1))
    with pytest.raises(TypeError, match=r"test_capture_protocols.*globals\(\)"):
        sl.function(lambda x: x * globals()["RATE"])(sl.ones(1))
