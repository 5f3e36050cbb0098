"""The code, the defaults and the arguments under a partial of the captured function
itself are assigned later: its next call has them."""

import functools

import pytest
from both_ways import both

import sluice as sl


def called(f, *args, **kwargs):
    try:
        return f(sl.tensor([1.0, 2.0]), *args, **kwargs).tolist()
    except TypeError as error:
        return type(error).__name__


def defaults(wrap):
    def code(x, k=2.0):
        return x * k

    f, found = wrap(code), []
    for values in ((2.0,), (3.0,), (2.0,), None, (sl.tensor(4.0),)):
        code.__defaults__ = values
        found += [called(f), called(f, 5.0)]
    return found


def defaults_by_name(wrap):
    def code(x, *, k=2.0, m=1):
        return x * k + m

    f = wrap(code)
    found = [called(f)]
    code.__kwdefaults__["k"] = 3.0
    found.append(called(f))
    code.__kwdefaults__ = {"m": 0}
    found += [called(f), called(f, k=7.0)]
    return found


def other_code(wrap):
    def code(x, k=2.0):
        return x * k

    def other(x, k=2.0):
        return x + k

    def longer(x, k=2.0, *more, z=1):
        return x - k - z - len(more)

    f, kept = wrap(code), code.__code__
    found = [called(f)]
    for made in (other, code, longer):
        code.__code__ = kept if made is code else made.__code__
        code.__kwdefaults__ = made.__kwdefaults__
        found += [called(f), called(f, 1.0, 5.0)]
    return found


def of_the_captured_function(wrap):
    @wrap
    def f(x, k=2.0, *, m=1.0):
        return x * k + m

    def other(x, k=2.0, *, m=1.0):
        return x - k - m

    found = [called(f), f.__defaults__, f.__kwdefaults__]
    f.__defaults__, f.__kwdefaults__ = (3.0,), {"m": 7.0}
    found.append(called(f))
    f.__code__ = other.__code__
    found.append(called(f))
    del f.__defaults__
    return [*found, called(f)]


def a_method(wrap):
    class A:
        @wrap
        def f(self, x, k=2.0):
            return x * k

    a = A()
    found = [called(a.f)]
    A.f.__defaults__ = (4.0,)
    return [*found, called(a.f), called(A().f), called(functools.partial(A.f, a))]


def a_bound_method(wrap):
    class A:
        def f(self, x, k=2.0):
            return x * k

    f = wrap(A().f)
    found = [called(f)]
    A.f.__defaults__ = (4.0,)
    return [*found, called(f)]


def an_object(wrap):
    class A:
        def __call__(self, x, k=2.0):
            return x * k

    class B:
        def __call__(self, x, k=3.0):
            return x - k

    a = A()
    f = wrap(a)
    found = [called(f)]
    A.__call__.__defaults__ = (4.0,)
    found.append(called(f))
    A.__call__ = lambda self, x, m=7.0: x / m
    found += [called(f), called(f, m=2.0)]
    a.__class__ = B
    return [*found, called(f), called(f, m=2.0)]


def a_partial(wrap):
    def code(x, k=2.0):
        return x * k

    partial = functools.partial(code, k=3.0)
    f = wrap(partial)
    found = [called(f)]
    partial.keywords["k"] = 5.0
    found.append(called(f))
    del partial.keywords["k"]
    code.__defaults__ = (9.0,)
    return [*found, called(f)]


def inside_another(wrap):
    def inner(x, k=2.0):
        return x * k

    g = wrap(inner)

    @wrap
    def f(x):
        return g(x) + 1

    found = [called(f)]
    inner.__defaults__ = (4.0,)
    return [*found, called(f)]


PROGRAMS = [
    defaults, defaults_by_name, other_code, of_the_captured_function, a_method,
    a_bound_method, an_object, a_partial, inside_another,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_code_and_defaults_assigned_later(program):
    both(program)


def test_defaults_that_come_back_record_nothing():
    def code(x, k=2.0):
        return x * k

    f = sl.function(code)
    first, second = code.__defaults__, (3.0,)
    for values in (first, second, first, second):
        code.__defaults__ = values
        called(f)
    assert len(f.traces()) == 2
