"""Objects, functions and methods that captured code makes, takes and keeps: what their
classes have is compared at every call, and what is kept is that of each."""

import functools
import types
import weakref

import pytest
from both_ways import both

import sluice as sl
import sluice.nn as nn
from sluice._convert import StagingError

ONE = sl.tensor([1.0])


def shown(value):
    if isinstance(value, sl.Tensor):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    return value


def ran(wrap, code, *between):
    """What calls give, with something done after each."""
    f, found = wrap(code), []
    for change in (lambda: None, *between):
        change()
        try:
            found.append(shown(f(ONE)))
        except (AttributeError, ReferenceError) as error:
            found.append(type(error).__name__)
    return found


def class_attributes(wrap):
    class A:
        rate, log = 2.0, []

    def code(x):
        a = A()
        a.log.append(1)
        return x * a.rate * len(a.log), getattr(a, "other", 0)

    return ran(
        wrap, code,
        lambda: setattr(A, "rate", 3.0),
        lambda: setattr(A, "other", 5),
        lambda: setattr(A, "log", []),
    ), len(A.log)  # fmt: skip


def methods(wrap):
    class B:
        def go(self, x):
            return x + 1

    class A(B):
        pass

    def other():
        del A.go
        B.go = lambda self, x: x + 3

    return ran(
        wrap,
        lambda x: A().go(x),
        lambda: setattr(A, "go", lambda self, x: x + 2),
        other,
        lambda: setattr(A, "go", property(lambda self: lambda x: x + 9)),
    )


def counted_by_the_class(wrap):
    class A:
        n = 0

        def __init__(self):
            A.n += 1
            type(self).n += 10

    def code(x):
        return x * A().n + A().n

    return ran(wrap, code, lambda: None, lambda: setattr(A, "n", 0)), A.n


def variables_around_properties(wrap):
    k = 2.0

    class A:
        v = 1.0

        @property
        def scaled(self):
            return self.v * k

        def __getattr__(self, name):
            return k * len(name)

        def __call__(self):
            return k

        def __enter__(self):
            return k

        def __exit__(self, *error):
            pass

        @staticmethod
        def fixed():
            return k

        def __class_getitem__(cls, i):
            return k + i

    a = A()

    def code(x):
        with a as entered:
            made = A()
            return (
                x * a.scaled + a.other, made.scaled, made.another, a(), made(),
                entered, a.fixed(), A[1],
            )  # fmt: skip

    def change():
        nonlocal k
        k += 1

    return ran(wrap, code, change, change)


def descriptors(wrap):
    class Own:
        def __init__(self, k):
            self.k = k

        def __get__(self, owner, cls=None):
            return self.k if owner is None else self.k * 10

    class Set(Own):
        def __set__(self, owner, value):
            self.k = value

    class A:
        p, q = Own(1.0), Set(2.0)

    a = A()

    def code(x):
        return x * a.p, a.q, A.p, A().p, A().q

    return ran(
        wrap, code,
        lambda: setattr(A.__dict__["p"], "k", 3.0),
        lambda: setattr(a, "q", 4.0),
        lambda: setattr(Own, "__get__", lambda self, owner, cls=None: 55.0),
    )  # fmt: skip


def names_of_functions(wrap):
    def named():
        pass

    def code(x):
        return x, named.__name__, named.__doc__

    return ran(
        wrap, code,
        lambda: setattr(named, "__name__", "other"),
        lambda: setattr(named, "__doc__", "What it does."),
    )  # fmt: skip


def names_of_an_object(wrap):
    class A:
        pass

    a = A()

    def code(x):
        return x * len([name for name in dir(a) if name[0] != "_"])

    return ran(
        wrap, code, lambda: setattr(a, "v", 1), lambda: setattr(A, "w", 1)
    )


def views_of_a_dict(wrap):
    table = {"a": 1.0}
    views = [table.values(), table.items(), table.keys()]

    def code(x, values, items, keys):
        return x * sum(values) + len(items), list(keys)

    f, found = wrap(code), []
    for key in ("a", "b", "a"):
        table[key] = table.get(key, 0) + 10.0
        found.append(shown(f(ONE, *views)))
    return found


def bound_methods_are_kept(wrap):
    class Machine:
        def __init__(self):
            self.state, self.log, self.table = self.first, [], {}

        def first(self, x):
            self.state = self.second
            self.log.append("first")
            return x + 1

        def second(self, x):
            if x.sum() > 1:
                self.state = self.first
            self.log.append("second")
            return x * 2

    m = Machine()

    def code(x):
        m.table["last"] = m.state
        return m.state(x)

    f, found = wrap(code), []
    for v in (1.0, 1.0, 2.0, 1.0, 2.0):
        found.append(f(sl.tensor([v])).tolist())
        found += [m.state.__name__, m.table["last"].__name__, list(m.log)]
        found.append(m.state == getattr(m, m.state.__name__))
    return found


def functions_are_kept(wrap):
    o = types.SimpleNamespace(call=None)

    def code(x):
        n, items = 0, []

        def count(step=[1]):
            nonlocal n
            n += step[0]
            items.append(n)
            count.calls += 1
            return n, list(items), count.calls

        def read():
            step = count.__defaults__[0]
            step[0] += 1
            return n, items

        count.calls = 0
        count()
        o.call = count
        return count, read

    f = wrap(code)
    (a, b), kept = f(ONE), o.call
    found = [a(), b(), kept is a, a.__name__, a.__qualname__]
    (c, d), (e, _) = f(ONE), f(ONE)
    found += [c(), a(), d(), e(), c(), b(), kept is a, o.call is e]
    return found


def partials_of_partials(wrap):
    def code(x):
        p = functools.partial(lambda a, b, d: a * b + d, x, d=2)
        q = functools.partial(p, 4)
        p.keywords["d"] = 9
        return p(1), q(), q.keywords["d"]

    return ran(wrap, code, lambda: None)


def proxies(wrap):
    class A:
        v = 2.0

        def go(self, x):
            return x + self.v

        def __len__(self):
            return 3

        def __add__(self, x):
            return x * self.v

        def __iter__(self):
            return iter([1, 2])

        def __call__(self, x):
            return x * 9

    a, log = A(), []
    p = weakref.proxy(a)

    def handled(x):
        log.append("called")
        try:
            return x * p.v
        except ReferenceError:
            log.append("gone")
            return x

    def gone():
        nonlocal a
        a = None

    codes = [
        handled, lambda x: p.go(x), lambda x: x * len(p), lambda x: p + x,
        lambda x: p(x), lambda x: [x * i for i in p],
    ]  # fmt: skip
    fs = [wrap(code) for code in codes]

    def all_of_them():
        made = []
        for f in fs:
            try:
                made.append(shown(f(ONE)))
            except ReferenceError as error:
                made.append(str(error))
        return made

    found = [all_of_them(), all_of_them()]
    a.v = 5.0
    found.append(all_of_them())
    gone()
    return [*found, all_of_them(), all_of_them(), ran(wrap, handled), log]


def numbers_of_tensors_in_match(wrap):
    log = []

    def code(x):
        match x.sum().item():
            case 1.0:
                log.append("one")
                return x * 10
            case v if v > 2:
                log.append("large")
                return x * v
            case _:
                return x

    f = wrap(code)
    return [f(sl.tensor([v])).tolist() for v in (1.0, 3.0, 0.0, 1.0, 4.0)], log


PROGRAMS = [
    class_attributes, methods, counted_by_the_class, variables_around_properties,
    descriptors, names_of_functions, names_of_an_object, views_of_a_dict,
    bound_methods_are_kept, functions_are_kept, partials_of_partials, proxies,
    numbers_of_tensors_in_match,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_what_code_makes_and_takes(program):
    both(program)


def parameter(x):
    return nn.Parameter(x * 2) * 1


def handled_parameter(x):
    try:
        return nn.Parameter(x * 2) * 1
    except RuntimeError:
        return x


@pytest.mark.parametrize("code", [parameter, handled_parameter])
def test_a_parameter_of_the_graph_is_refused(code):
    words = r"made_objects.py:\d+: Parameter\(\) of a tensor that the function computes"
    with pytest.raises(StagingError, match=words):
        sl.function(code)(ONE)
