"""What Python itself calls in captured code: special methods, properties, __new__.
Their effects are those of every call.

Why one file: one test for each special method, all of one form."""

from __future__ import annotations

import pytest

import sluice as sl
from sluice._convert import StagingError

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


def sorted_keyless():

    class A:
        n = 0

        def __init__(s, k):
            s.k = k

        def __lt__(s, o):
            A.n += 1
            return s.k < o.k
    a = [A(3), A(1), A(2)]

    def step(x):
        return x * sorted(a)[0].k
    return (step, nothing, lambda: A.n)


def writeonly_prop():

    class A:
        v = 0

        def _set(self, v):
            self.v = self.v + v
        p = property(None, _set)
    a = A()

    def step(x):
        a.p = 3
        return x * a.v
    return (step, nothing, lambda: a.v)


def desc_del():

    class D:

        def __get__(self, o, t):
            return o._v

        def __set__(self, o, v):
            o._v = v

        def __delete__(self, o):
            o._v = 0

    class A:
        d = D()
    a = A()
    a.d = 2

    def step(x):
        y = x * a.d
        if x.sum() > 2:
            del a.d
        return y + a.d

    def between(i):
        a.d = i
    return (step, between, lambda: a._v)


def metaclass_prop():

    class M(type):

        @property
        def k(cls):
            cls.n += 1
            return cls.n

    class A(metaclass=M):
        n = 0

    def step(x):
        return x * A.k
    return (step, nothing, lambda: A.n)


def listsub():

    class L(list):
        total = 0

        def add(self, v):
            self.append(v)
            self.total += v
    l = L()

    def step(x):
        l.add(2.0)
        return x * l.total + len(l)
    return (step, nothing, lambda: (l.total, list(l)))


def listsub_branch():

    class L(list):
        total = 0

        def add(self, v):
            self.total += v
            return self.total
    l = L()

    def step(x):
        if x.sum() > 2:
            x = x + l.add(1.0)
        return x * l.total

    def between(i):
        if i == 2:
            l.total = 10.0
    return (step, between, lambda: l.total)


def append_override():

    class L(list):
        n = 0

        def append(self, v):
            self.n += 1
            super().append(v)
    l = L()

    def step(x):
        l.append(1.0)
        return x * l.n + len(l)
    return (step, nothing, lambda: (l.n, list(l)))


def raise_uncaught():

    class C:
        n = 0
    c = C()

    class E(Exception):

        def __init__(self):
            c.n += 1

    def step(x):
        raise E
    return (step, nothing, lambda: c.n)


def raise_in_branch():

    class C:
        n = 0
    c = C()

    class E(Exception):

        def __init__(self):
            c.n += 1

    def step(x):
        if x.sum() > 2:
            raise E
        return x
    return (step, nothing, lambda: c.n)


def super_classmethod():

    class A:
        n = 0

        @classmethod
        def make(cls):
            cls.n += 1
            return cls.n

        @staticmethod
        def two():
            return 2.0

    class B(A):

        @classmethod
        def make(cls):
            return super().make() + super().two()

    def step(x):
        return x * B.make()

    def between(i):
        if i == 2:
            A.two = staticmethod(lambda: 5.0)
    return (step, between, lambda: (A.n, B.n))


def super_setattr():

    class A:

        def __setattr__(self, k, v):
            super().__setattr__(k, v)
            object.__setattr__(self, "z", 1)
    a = A()
    a.n = 0

    def step(x):
        a.n += 1
        return x * a.n
    return (step, nothing, lambda: a.n)


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
    sorted_keyless,
    writeonly_prop,
    desc_del,
    metaclass_prop,
    listsub,
    listsub_branch,
    append_override,
    raise_uncaught,
    raise_in_branch,
    super_classmethod,
    super_setattr,
]


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_captured_as_at_once(make):
    assert history(make, True) == history(make, False)


def test_a_hash_that_counts_is_refused():
    class A:
        n = 0

        def __hash__(self):
            self.n += 1
            return 1

    a = A()
    table = {a: 2.0}
    with pytest.raises(StagingError, match=r"methods.py:\d+: .*__hash__ counts"):
        sl.function(lambda x: x * table[a])(sl.tensor(1.0))


def test_a_hash_that_is_kept_is_no_count():
    class A:
        kept = None

        def __hash__(self):
            if self.kept is None:
                self.kept = 3
            return self.kept

    a = A()
    table = {a: 2.0}
    f = sl.function(lambda x: x * table[a])
    assert [f(sl.tensor(v)).item() for v in (1.0, 3.0)] == [2.0, 6.0]


ANSWERS = {
    "a text": lambda x: "a",
    "a float": lambda x: 2.5,
    "a negative": lambda x: -1,
    "none": lambda x: None,
    "an int": lambda x: 2,
    "a bool": lambda x: True,
    "the number": lambda x: x.item(),
    "the whole number": lambda x: int(x),
    "a comparison": lambda x: bool(x > 1),
}


def seen(f, x):
    try:
        return repr(f(x))
    except Exception as error:
        return type(error), str(error)


# What they returned was taken whatever it was.
@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("method", ["__len__", "__bool__"])
def test_python_checks_what_len_and_bool_return(method, name):
    class Object:
        def __init__(self, x):
            self.x = x

    setattr(Object, method, lambda self: ANSWERS[name](self.x))

    def asked(x):
        o = Object(x)
        return len(o) if method == "__len__" else bool(o)

    def branches(x):
        if Object(x):
            return x + 1
        return x - 1

    def denied(x):
        return not Object(x)

    for f in (asked, branches, denied):
        captured = sl.function(f)
        for v in (2.0, 0.5, -3.0, 2.0):
            assert seen(captured, sl.tensor(v)) == seen(f, sl.tensor(v))


# At once it was a TypeError.
def test_a_tensor_in_reverse_order():
    def f(x):
        turned = reversed(x)
        turned[0] += 1
        return turned, [row * 2 for row in reversed(x)], sum(reversed(x)), x

    captured = sl.function(f)
    for x in (sl.tensor([1.0, 2.0, 3.0]), sl.tensor([[1.0, 2.0], [3.0, 4.0]])):
        assert repr(captured(x.clone())) == repr(f(x.clone()))
    assert list(reversed(sl.tensor([1, 2]))) == [2, 1]
    assert reversed(sl.tensor(1.0)).item() == 1.0
