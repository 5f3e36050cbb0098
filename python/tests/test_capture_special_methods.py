"""What Python itself calls in captured code: special methods, properties, __new__, and
the methods of classes that the code makes. Their effects are those of every call."""

from __future__ import annotations

import pytest

from test_capture_class_guards import history, nothing


def singleton():

    class S:
        inst = None

        def __new__(cls):
            if cls.inst is None:
                cls.inst = super().__new__(cls)
                cls.inst.n = 0
            return cls.inst

        def bump(self):
            self.n += 1
            return self.n

    def step(x):
        y = x * S().bump()
        if x.sum() > 2:
            y = y + S().bump()
        return y
    return (step, nothing, lambda: S.inst.n)


def singleton_existing():
    step, b, look = singleton()
    S = step.__closure__[0].cell_contents
    S()
    return (step, b, look)


def deleter_only():

    class A:

        @property
        def n(self):
            return self._n

        @n.deleter
        def n(self):
            self._n = 0
    a = A()
    a._n = 3

    def step(x):
        y = x * a.n
        del a.n
        return y + a.n

    def between(i):
        a._n = i
    return (step, between, lambda: a._n)


def readonly_not_taken():

    class A:

        @property
        def n(self):
            return 3
    a = A()

    def step(x):
        if x.sum() > 100:
            a.n = 5
        return x * a.n
    return (step, nothing, nothing)


def readonly_taken():

    class A:

        @property
        def n(self):
            return 3
    a = A()

    def step(x):
        if x.sum() > 2:
            a.n = 5
        return x * a.n
    return (step, nothing, nothing)


def missing():

    class D(dict):
        n = 0

        def __missing__(self, key):
            self.n += 1
            return self.n
    d = D()

    def step(x):
        return x * d["a"]
    return (step, nothing, lambda: (d.n, dict(d)))


def missing_branch():

    class C:
        n = 0
    c = C()

    def bump():
        c.n += 1
        return c.n

    class D(dict):

        def __missing__(self, key):
            self[key] = bump()
            return self[key]
    d = D()

    def step(x):
        if x.sum() > 2:
            x = x * d["a"]
        return x

    def between(i):
        d.clear()
    return (step, between, lambda: (c.n, dict(d)))


def index_():

    class A:
        n = 0

        def __index__(self):
            self.n += 1
            return self.n % 2
    a = A()
    l = [1.0, 2.0]

    def step(x):
        return x * l[a] + [3.0, 4.0][a] + range(5)[a]
    return (step, nothing, lambda: a.n)


def round_():

    class A:
        n = 0

        def __round__(self, k=0):
            self.n += 1
            return self.n

        def __float__(self):
            self.n += 1
            return float(self.n)

        def __abs__(self):
            self.n += 1
            return float(self.n)
    a = A()

    def step(x):
        return x * round(a) + float(a) + abs(a)
    return (step, nothing, lambda: a.n)


def eq_():

    class A:
        n = 0

        def __eq__(self, o):
            self.n += 1
            return True
    a = A()

    def step(x):
        if a != 3:
            x = x + 1
        if 3 in [a]:
            x = x + 1
        if a in (1, 2):
            x = x + 1
        return x * a.n
    return (step, nothing, lambda: a.n)


def eq_calls():

    class C:
        n = 0
    c = C()

    def bump():
        c.n += 1

    class A:

        def __eq__(self, o):
            bump()
            return True
    a = A()

    def step(x):
        if a != 3:
            x = x + 1
        if 3 in [a]:
            x = x + 1
        return x * c.n
    return (step, nothing, lambda: c.n)


def dunder_call():

    class A:
        n = 0

        def bump(self):
            self.n += 1
            return self.n
    a = A()

    def step(x):
        return x * a.bump.__call__()
    return (step, nothing, lambda: a.n)


def raise_class():

    class C:
        n = 0
    c = C()

    class E(Exception):

        def __init__(self):
            c.n += 1

    def step(x):
        try:
            raise E
        except E:
            pass
        return x * c.n
    return (step, nothing, lambda: c.n)


def raise_cause():

    class C:
        n = 0
    c = C()

    class E(Exception):

        def __init__(self):
            c.n += 1

    def step(x):
        try:
            try:
                raise E
            except E as e:
                raise E from e
        except E:
            pass
        return x * c.n
    return (step, nothing, lambda: c.n)


def init_subclass_local():

    class C:
        n = 0
    c = C()

    def step(x):

        class B:

            @staticmethod
            def g():
                c.n += 1

            @property
            def p(self):
                c.n += 1
                return c.n

            @classmethod
            def h(cls):
                c.n += 1
                cls.z = 1

            def __add__(self, o):
                c.n += 1
                return o

            def inner(self):
                return [self.p for _ in range(2)]
        b = B()
        B.g()
        B.h()
        b.inner()
        return (b + x) * b.p
    return (step, nothing, lambda: c.n)


def local_class_branch():

    class C:
        n = 0
    c = C()

    def step(x):

        class B:

            def f(self, x):
                if x.sum() > 2:
                    c.n += 1
                return x * 2
        return B().f(x)
    return (step, nothing, lambda: c.n)


def local_subclass():

    class C:
        n = 0

        def f(self, x):
            return x * self.n
    c = C()

    def step(x):

        class B(C):

            def f(self, x):
                c.n += 1
                C.n += 1
                return super().f(x)
        return B().f(x)
    return (step, nothing, lambda: (c.n, C.n))


PROGRAMS = [
    singleton,
    singleton_existing,
    deleter_only,
    readonly_not_taken,
    readonly_taken,
    missing,
    missing_branch,
    index_,
    round_,
    eq_,
    eq_calls,
    dunder_call,
    raise_class,
    raise_cause,
    init_subclass_local,
    local_class_branch,
    local_subclass,
]


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_captured_as_at_once(make):
    assert history(make, True) == history(make, False)
