"""Context managers made of generators in captured code: what they change is changed by
every call, and in the branch that is taken."""

from __future__ import annotations

import contextlib

import pytest

from test_capture_class_guards import history, nothing
from test_capture_generators import Box


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


def cm_return_in():

    class C:
        n = 0
    c = C()

    @contextlib.contextmanager
    def guard():
        c.n += 1
        try:
            yield
        finally:
            c.n += 10

    def step(x):
        with guard():
            if x.sum() > 2:
                return x * 2
            x = x + 1
        return x
    return (step, nothing, lambda: c.n)


def cm_raises():

    class C:
        n = 0
    c = C()

    @contextlib.contextmanager
    def guard():
        try:
            yield
        finally:
            c.n += 10

    def step(x):
        with guard():
            raise ValueError("x")
    return (step, nothing, lambda: c.n)


PROGRAMS = [
    context_manager,
    method_as_context_manager,
    error_in_a_context,
    stack_of_contexts,
    decorated_by_a_context,
    cm_return_in,
    cm_raises,
]


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_captured_as_at_once(make):
    assert history(make, True) == history(make, False)
