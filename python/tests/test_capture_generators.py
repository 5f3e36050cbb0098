"""Generators and context managers made of them in captured code: what they change is
changed by every call, and in the branch that is taken."""

from __future__ import annotations

import contextlib

import pytest

from test_capture_class_guards import history, nothing


class Box:
    n = 0
    k = 2.0

    def __init__(self):
        self.items = []


def iterated():
    class Loader:
        epoch = 0

        def __iter__(self):
            self.epoch += 1
            yield 1
            self.epoch += 1
            yield 2

    ld = Loader()

    def step(x):
        for b in ld:
            x = x + b
        return x

    return step, nothing, lambda: ld.epoch


def in_a_branch():
    box = Box()

    def gen():
        box.n += 1
        yield box.n

    def step(x):
        if x.sum() > 2:
            for v in gen():
                x = x * v
        return x

    return step, nothing, lambda: box.n


def context_manager():
    c = Box()

    @contextlib.contextmanager
    def guard(by):
        try:
            yield by
        finally:
            c.n += by

    def step(x):
        with guard(2) as k:
            x = x * k
        if x.sum() > 4:
            with guard(3):
                x = x + c.n
        return x

    return step, nothing, lambda: c.n


def method_as_context_manager():
    class A:
        n = 0

        @contextlib.contextmanager
        def counted(self):
            self.n += 1
            yield self.n

    a = A()

    def step(x):
        with a.counted() as n:
            return x * n

    return step, nothing, lambda: a.n


def error_in_a_context():
    c = Box()

    @contextlib.contextmanager
    def quiet():
        try:
            yield
        except ValueError:
            c.n += 1

    def step(x):
        with quiet():
            raise ValueError("no")
        return x * c.n

    return step, nothing, lambda: c.n


def calls_a_function():
    o = Box()

    def bump(by):
        o.n += by
        o.items.append(o.n)

    def gen(n):
        for i in range(n):
            bump(i)
            yield o.n

    def step(x):
        return x * sum(gen(3)) + [v for v in gen(2)][0]

    return step, nothing, lambda: (o.n, list(o.items))


def reads():
    o = Box()

    def gen():
        yield o.k
        yield from inner()

    def inner():
        if hasattr(o, "more"):
            yield o.more

    def step(x):
        for k in gen():
            x = x * k
        return x

    def between(i):
        o.k = float(i)
        if i == 2:
            o.more = 3.0

    return step, between, nothing


def stores_names():
    n = 0

    def gen():
        nonlocal n
        n += 1
        yield n
        n += 1
        yield n

    def step(x):
        for v in gen():
            if x.sum() > 2:
                x = x * v
        return x

    return step, nothing, lambda: n


def ended_by_a_tensor():
    class Loader:
        n = 0

        def __iter__(self):
            for i in range(4):
                self.n += 1
                yield float(i)

    ld = Loader()

    def step(x):
        for b in ld:
            x = x + b
            if x.sum() > 5:
                break
        return x

    return step, nothing, lambda: ld.n


def taken_from_in_a_branch():
    o = Box()

    def gen():
        for i in range(5):
            o.n += 1
            yield float(i)

    def step(x):
        g = gen()
        x = x + next(g)
        if x.sum() > 2:
            x = x + next(g)
        return x + next(g)

    return step, nothing, lambda: o.n


def made_inside():
    o = Box()

    def step(x):
        def gen(k):
            o.n += k
            yield x * k
            o.items.append(k)

        return sum(gen(2)) + list(gen(1))[0]

    return step, nothing, lambda: (o.n, list(o.items))


def sends():
    o = Box()

    def gen():
        while True:
            got = yield o.n
            if got is None:
                return
            o.n += got

    def step(x):
        g = gen()
        a = next(g)
        b = g.send(3)
        return x * a + b

    return step, nothing, lambda: o.n


def given_to_builtins():
    class Loader:
        n = 0

        def __iter__(self):
            self.n += 1
            yield float(self.n)
            yield 2.0

    ld = Loader()

    def step(x):
        a, b = ld
        return x * sum(ld) + list(ld)[0] + max(ld) + a + b + tuple(ld)[0]

    return step, nothing, lambda: ld.n


def stack_of_contexts():
    c = Box()

    @contextlib.contextmanager
    def guard():
        c.n += 1
        yield c.n
        c.items.append(c.n)

    def step(x):
        with contextlib.ExitStack() as stack:
            k = stack.enter_context(guard())
            x = x * k
        return x

    return step, nothing, lambda: (c.n, list(c.items))


def decorated_by_a_context():
    c = Box()

    @contextlib.contextmanager
    def guard():
        c.n += 1
        yield

    @guard()
    def double(x):
        c.items.append(1)
        return x * 2 + c.n

    def step(x):
        return double(x)

    return step, nothing, lambda: (c.n, list(c.items))


def given_to_zip():
    class Loader:
        n = 0

        def __iter__(self):
            self.n += 1
            yield float(self.n)
            yield 2.0

    ld = Loader()

    def step(x):
        for i, (a, b) in enumerate(zip(ld, [1.0, 2.0])):
            x = x + a * b + i
        return x + [v for v in map(float, ld)][0]

    return step, nothing, lambda: ld.n


PROGRAMS = [
    iterated,
    in_a_branch,
    context_manager,
    method_as_context_manager,
    error_in_a_context,
    calls_a_function,
    reads,
    stores_names,
    ended_by_a_tensor,
    taken_from_in_a_branch,
    made_inside,
    sends,
    given_to_builtins,
    given_to_zip,
    stack_of_contexts,
    decorated_by_a_context,
]


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_captured_as_at_once(make):
    assert history(make, True) == history(make, False)
