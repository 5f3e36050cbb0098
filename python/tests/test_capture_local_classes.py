"""Classes that captured code makes: their methods are converted when they are called,
and what they change is changed by every call."""

from __future__ import annotations

import dataclasses

import pytest

from test_capture_class_guards import history, nothing


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


def class_body():

    class C:
        n = 0
    c = C()

    def step(x):

        class B:
            c.n += 1
            k = c.n
        return x * B.k
    return (step, nothing, lambda: c.n)


def local_dataclass():

    class C:
        n = 0
    c = C()

    def step(x):

        @dataclasses.dataclass
        class P:
            a: float

            def f(self, x):
                c.n += 1
                return x * self.a
        return P(2.0).f(x)
    return (step, nothing, lambda: c.n)


def local_class_super():

    class C:
        n = 0
    c = C()

    def step(x):

        class A:
            k = 2.0

            def f(self, x):
                c.n += 1
                return x * self.k

        class B(A):

            def f(self, x):
                return super().f(x) * super().k
        return B().f(x)
    return (step, nothing, lambda: c.n)


def local_class_meth_called_by_c():

    class C:
        n = 0
    c = C()

    def step(x):

        class A:

            def __len__(self):
                c.n += 1
                return 3

            def __lt__(self, o):
                c.n += 1
                return True
        return x * len(A()) + len(sorted([A(), A()])) + max(1, len(A()))
    return (step, nothing, lambda: c.n)


PROGRAMS = [
    init_subclass_local,
    local_class_branch,
    local_subclass,
    class_body,
    local_dataclass,
    local_class_super,
    local_class_meth_called_by_c,
]


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_captured_as_at_once(make):
    assert history(make, True) == history(make, False)
