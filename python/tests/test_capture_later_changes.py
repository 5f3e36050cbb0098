"""Classes, objects and modules that change after a function was captured: another
class of an object, methods put in, functions replaced. Calls see it."""

from __future__ import annotations

import abc
import builtins
import math
import sys
import weakref

import pytest

import sluice as sl

from test_capture_class_guards import history, nothing


def class_changes():

    class A:

        def f(self, x):
            return x * 2

    class B:

        def f(self, x):
            return x * 3
    o = A()

    def step(x):
        return o.f(x)

    def between(i):
        o.__class__ = (A, B)[i % 2]
    return (step, between, nothing)


def class_changes_isinstance():

    class A:
        pass

    class B:
        pass
    o = A()

    def step(x):
        return x * 2 if isinstance(o, A) else x * 3

    def between(i):
        o.__class__ = (A, B)[i % 2]
    return (step, between, nothing)


def class_changes_fields():

    class A:
        k = 2.0

    class B:
        k = 3.0
    o = A()
    o.z = 1.0

    def step(x):
        return x * o.k * o.z if type(o) is A else x * o.k

    def between(i):
        o.__class__ = (A, B)[i % 2]
    return (step, between, nothing)


def class_set_in_step():

    class A:
        k = 2.0

    class B:
        k = 3.0
    o = A()

    def step(x):
        y = x * o.k
        o.__class__ = B if type(o) is A else A
        return y + o.k
    return (step, nothing, lambda: type(o).__name__)


def special_added():

    class A:
        n = 2.0

        def __len__(self):
            return 1
    a = A()

    def step(x):
        if a:
            x = x + 1
        try:
            x = a + x
        except TypeError:
            pass
        return x

    def between(i):
        if i == 1:
            A.__bool__ = lambda self: False
        if i == 2:
            A.__add__ = lambda self, o: o * 3
    return (step, between, nothing)


def enter_replaced():

    class A:

        def __enter__(self):
            return 2.0

        def __exit__(self, *e):
            pass
    a = A()

    def step(x):
        with a as k:
            return x * k

    def between(i):
        A.__enter__ = lambda self: float(i)
    return (step, between, nothing)


def new_added():

    class A:
        k = 1.0

    def step(x):
        return x * A().k

    def between(i):
        if i == 1:

            def new(cls):
                o = object.__new__(cls)
                o.k = 5.0
                return o
            A.__new__ = new
        if i == 2:

            def init(self):
                self.k = 7.0
            A.__init__ = init
    return (step, between, nothing)


def property_over():

    class A:
        pass
    a = A()
    a.k = 2.0

    def step(x):
        return x * a.k

    def between(i):
        if i == 1:
            A.k = property(lambda self: 9.0)
        if i == 3:
            del A.k
    return (step, between, nothing)


def property_over_class_attr():

    class A:
        k = 2.0
    a = A()

    def step(x):
        return x * a.k

    def between(i):
        if i == 1:
            A.k = property(lambda self: 9.0)
    return (step, between, nothing)


def instancecheck():

    class M(type):
        yes = False

        def __instancecheck__(cls, o):
            return M.yes

    class A(metaclass=M):
        pass

    def step(x):
        return x * 2 if isinstance(3, A) else x

    def between(i):
        M.yes = i % 2 == 0
    return (step, between, nothing)


def registered():

    class A(abc.ABC):
        pass

    class B:
        pass
    b = B()

    def step(x):
        return x * 2 if isinstance(b, A) else x

    def between(i):
        if i == 1:
            A.register(B)
    return (step, between, nothing)


def sys_attr():
    sys.h1v = 0

    def step(x):
        sys.h1v += 1
        return x * sys.h1v

    def between(i):
        if i == 2:
            sys.h1v = 10
    return (step, between, lambda: sys.h1v)


def sqrt_patched():
    old = math.sqrt
    k = [4.0]

    def step(x):
        return x * math.sqrt(4.0)

    def between(i):
        math.sqrt = (lambda v: 7.0) if i == 1 else old
    return (step, between, nothing)


def abs_patched():
    old = abs

    def step(x):
        return x * abs(-2.0)

    def between(i):
        builtins.abs = (lambda v: 7.0) if i == 1 else old
    return (step, between, nothing)


def tanh_patched():
    old = sl.tanh

    def step(x):
        return sl.tanh(x)

    def between(i):
        sl.tanh = (lambda v: v * 7.0) if i == 1 else old
    return (step, between, nothing)


def relu_patched():
    old = sl.nn.ReLU.forward
    m = sl.nn.ReLU()

    def step(x):
        return m(x)

    def between(i):
        sl.nn.ReLU.forward = (lambda self, v: v * 7.0) if i == 1 else old
    return (step, between, nothing)


def weak():

    class A:
        k = 2.0
    box = [A()]
    r = weakref.ref(box[0])

    def step(x):
        o = r()
        return x if o is None else x * o.k

    def between(i):
        if i == 1:
            box.clear()
    return (step, between, nothing)


def tuple_of_class():

    class T(tuple):
        k = 2.0
    t = T((1,))

    def step(x):
        return x * t.k * len(t)

    def between(i):
        T.k = float(i)
    return (step, between, nothing)


def model_forward_patched():

    class M(sl.nn.Module):

        def forward(self, x):
            return x * 2
    m = M()

    def step(x):
        return m(x)
    old = M.forward

    def between(i):
        M.forward = (lambda self, x: x * 5) if i == 1 else old
    return (step, between, nothing)


def model_class_changed():

    class M(sl.nn.Module):

        def forward(self, x):
            return x * 2

    class N(sl.nn.Module):

        def forward(self, x):
            return x * 3
    m = M()

    def step(x):
        return m(x)

    def between(i):
        m.__class__ = (M, N)[i % 2]
    return (step, between, nothing)


def issub():

    class A(abc.ABC):
        pass

    class B:
        pass

    def step(x):
        return x * 2 if issubclass(B, A) else x

    def between(i):
        if i == 1:
            A.register(B)
    return (step, between, nothing)


def radd():

    class A:
        n = 0

        def __radd__(self, o):
            self.n += 1
            return o * self.n
    a = A()

    def step(x):
        return x * (1.0 + a)

    def between(i):
        if i == 2:
            A.__radd__ = lambda self, o: 50.0
    return (step, between, lambda: a.n)


PROGRAMS = [
    class_changes,
    class_changes_isinstance,
    class_changes_fields,
    class_set_in_step,
    special_added,
    enter_replaced,
    new_added,
    property_over,
    property_over_class_attr,
    instancecheck,
    registered,
    sys_attr,
    sqrt_patched,
    abs_patched,
    tanh_patched,
    relu_patched,
    weak,
    tuple_of_class,
    model_forward_patched,
    model_class_changed,
    issub,
    radd,
]


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_captured_as_at_once(make):
    assert history(make, True) == history(make, False)
