"""More programs with classes and generators, captured and at once."""

from __future__ import annotations

import contextlib
import enum
import typing

import pytest

import sluice as sl

from test_capture_class_guards import history, nothing


def local_class_private():

    class C:
        n = 0
    c = C()

    def step(x):

        class A:
            __k = 2.0

            def __init__(self):
                self.__z = 3.0

            def f(self, x):
                c.n += 1
                return x * self.__k * self.__z
        return A().f(x)
    return (step, nothing, lambda: c.n)


def local_class_returned():

    def step(x):

        class A:
            k = 2.0

            def __init__(self, v):
                self.v = v
        return A(x * 2).v * A.k
    return (step, nothing, nothing)


def local_enum():

    def step(x):

        class K(enum.Enum):
            A = 1
            B = 2

        class N(typing.NamedTuple):
            a: float
            b: float = 2.0
        n = N(1.0)
        return x * K.B.value * n.b
    return (step, nothing, nothing)


def local_class_cond_body():
    flag = [True]

    def step(x):

        class A:
            if flag[0]:
                k = 2.0
            else:
                k = 3.0
            j = k if flag[0] else 7.0
            l = [k for k in (1.0, 2.0)]
            m = flag[0] and 5.0
            z = 1 < 2 < 3
        return x * A.k * A.j * A.l[1] * A.m

    def between(i):
        flag[0] = i % 2 == 0
    return (step, between, nothing)


def class_attr_instance_state():

    class A:
        n = 0
    a = A()

    def step(x):
        a.n += 1
        A.n += 10
        return x * a.n + A.n
    return (step, nothing, lambda: (a.n, A.n))


def type_write_with_instance():

    class A:

        def __init__(self):
            self.items = []
        n = 0
    a = A()

    def step(x):
        type(a).n += 1
        a.items.append(type(a).n)
        a.z = a.n
        return x * len(a.items) + a.z
    return (step, nothing, lambda: (A.n, list(a.items)))


def class_written_then_instance_list():

    class A:
        items = None
    a = A()
    a.items = []

    def step(x):
        A.items = ()
        a.items.append(1)
        return x * len(a.items)
    return (step, nothing, lambda: list(a.items))


def slots():

    class A:
        __slots__ = ("k", "n")
    a = A()
    a.k = 2.0
    a.n = 0

    def step(x):
        if x.sum() > 2:
            a.n += 1
        return x * a.k + a.n

    def between(i):
        a.k = float(i)
    return (step, between, lambda: a.n)


def getattr_user():

    class A:

        def __init__(self):
            self.d = {"k": 2.0}

        def __getattr__(self, n):
            if n in self.__dict__["d"]:
                return self.__dict__["d"][n]
            raise AttributeError(n)
    a = A()

    def step(x):
        return x * a.k

    def between(i):
        a.d["k"] = float(i)
        if i == 2:
            A.k = 100.0
    return (step, between, nothing)


def user_generator_zip_star():

    class C:
        n = 0
    c = C()

    def gen(k):
        for i in range(k):
            c.n += 1
            yield float(i)

    def step(x):
        a, *b = gen(3)
        d = dict(zip("ab", gen(2)))
        t = [*gen(2)]
        s = {*gen(2)}
        m = max(gen(3), key=lambda v: -v)
        x = x + a + len(b) + d["b"] + t[1] + len(s) + m
        return x + any(v > 0 for v in gen(4))
    return (step, nothing, lambda: c.n)


def gen_in_comprehension_branch():

    class C:
        n = 0
    c = C()

    def gen():
        c.n += 1
        yield 1.0

    def step(x):
        return x + sum([v for v in gen()]) if x.sum() > 2 else x
    return (step, nothing, lambda: c.n)


def gen_args_default():

    class C:
        n = 0
        k = 3.0
    c = C()

    def gen(a, *, b=2.0, **kw):
        c.n += 1
        yield (a * b * c.k + kw["z"])

    def step(x):
        return x * next(gen(1.0, z=1.0))

    def between(i):
        c.k = float(i)
        if i == 2:
            gen.__kwdefaults__ = {"b": 9.0}
    return (step, between, lambda: c.n)


def gen_try_except():

    class C:
        n = 0
    c = C()

    def gen():
        try:
            yield 1.0
            raise KeyError("a")
        except KeyError:
            c.n += 1
            yield 5.0
        else:
            yield 6.0
        finally:
            c.n += 10

    def step(x):
        return x * sum(gen())
    return (step, nothing, lambda: c.n)


def gen_match():

    class C:
        n = 0
    c = C()

    def gen(v):
        match v:
            case [a, b]:
                c.n += a
                yield b
            case _:
                yield 0

    def step(x):
        return x * sum(gen([1, 2]))
    return (step, nothing, lambda: c.n)


def gen_global():

    def step(x):
        for v in ggen():
            x = x * v
        return x
    globals()["GN"] = 0
    return (step, nothing, lambda: GN)


def ggen():
    global GN
    GN += 1
    yield GN


def gen_global_branch():

    def step(x):
        if x.sum() > 2:
            for v in ggen():
                x = x * v
        return x
    globals()["GN"] = 0
    return (step, nothing, lambda: GN)


def gen_held_state():

    class C:
        n = 0
    c = C()

    class W:

        def __init__(self):
            self.g = self.run()

        def run(self):
            while True:
                c.n += 1
                yield float(c.n)

        def next(self):
            return next(self.g)

    def step(x):
        w = W()
        w.next()
        if x.sum() > 2:
            x = x * w.next()
        return x + w.next()
    return (step, nothing, lambda: c.n)


def cm_nested_state_tensor():

    class C:
        h = None
    c = C()
    c.h = sl.zeros(2)

    @contextlib.contextmanager
    def scope(x):
        old = c.h
        c.h = c.h + x
        try:
            yield c.h
        finally:
            c.h = old * 2 + c.h

    def step(x):
        with scope(x) as h:
            y = h * 2
        return y
    return (step, nothing, lambda: c.h)


def cm_asdecorator_class():

    class C:
        n = 0
    c = C()

    class D(contextlib.ContextDecorator):

        def __enter__(self):
            c.n += 1
            return self

        def __exit__(self, *e):
            c.n += 10

    @D()
    def f(x):
        return x * c.n

    def step(x):
        return f(x)
    return (step, nothing, lambda: c.n)


def special_on_metaclass_call():

    class M(type):

        def __call__(cls, *a):
            cls.n += 1
            return super().__call__(*a)

    class A(metaclass=M):
        n = 0

        def __init__(self, k):
            self.k = k

    def step(x):
        return x * A(2.0).k + A.n
    return (step, nothing, lambda: A.n)


def class_getitem_len_meta():

    class M(type):
        n = 0

        def __len__(cls):
            M.n += 1
            return M.n

        def __iter__(cls):
            M.n += 1
            yield 1.0

    class A(metaclass=M):
        pass

    def step(x):
        return x * len(A) + [v for v in A][0]
    return (step, nothing, lambda: M.n)


def setattr_class_branch():

    class A:
        k = 1.0
    a = A()

    def step(x):
        if x.sum() > 2:
            type(a).k = a.k + 1
        return x * A.k
    return (step, nothing, lambda: A.k)


PROGRAMS = [
    local_class_private,
    local_class_returned,
    local_enum,
    local_class_cond_body,
    class_attr_instance_state,
    type_write_with_instance,
    class_written_then_instance_list,
    slots,
    getattr_user,
    user_generator_zip_star,
    gen_in_comprehension_branch,
    gen_args_default,
    gen_try_except,
    gen_match,
    gen_global,
    gen_global_branch,
    gen_held_state,
    cm_nested_state_tensor,
    cm_asdecorator_class,
    special_on_metaclass_call,
    class_getitem_len_meta,
    setattr_class_branch,
]


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_captured_as_at_once(make):
    assert history(make, True) == history(make, False)
