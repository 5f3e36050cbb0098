"""Generators in captured code: what they change is changed by every call, and in the
branch that is taken."""

from __future__ import annotations

import pytest

import sluice as sl

from test_capture_class_guards import history, module, nothing


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


def gen_local_state_branch():

    class C:
        n = 0
    c = C()

    def gen():
        for i in range(9):
            yield float(i)

    def step(x):
        g = gen()
        if x.sum() > 2:
            x = x + next(g) + 1
        else:
            x = x - 1
        return x
    return (step, nothing, lambda: c.n)


def gen_pure_break():

    def gen():
        for i in range(9):
            yield float(i)

    def step(x):
        for v in gen():
            x = x + v
            if x.sum() > 7:
                break
        return x
    return (step, nothing, nothing)


def gen_expr_effects():

    class C:
        n = 0
    c = C()

    def bump():
        c.n += 1
        return float(c.n)

    def step(x):
        g = (bump() for _ in range(3))
        x = x + next(g)
        if x.sum() > 2:
            x = x + next(g)
        return x + next(g)
    return (step, nothing, lambda: c.n)


def gen_expr_break():

    class C:
        n = 0
    c = C()

    def bump():
        c.n += 1
        return float(c.n)

    def step(x):
        for v in (bump() for _ in range(4)):
            x = x + v
            if x.sum() > 7:
                break
        return x
    return (step, nothing, lambda: c.n)


def gen_tensor_state():

    class M:

        def __init__(s):
            s.h = sl.zeros(2)

        def rows(s, x):
            for i in range(2):
                s.h = s.h + x
                yield s.h
    m = M()

    def step(x):
        return sum(m.rows(x))
    return (step, nothing, lambda: m.h)


def gen_close():

    class C:
        n = 0
    c = C()

    def gen():
        try:
            yield 1.0
            yield 2.0
        finally:
            c.n += 1

    def step(x):
        for v in gen():
            x = x * v
            break
        g = gen()
        next(g)
        g.close()
        h = gen()
        next(h)
        del h
        return x * c.n
    return (step, nothing, lambda: c.n)


def yield_from_method():

    class T:
        n = 0

        def __init__(s, l=None, r=None):
            s.l, s.r = (l, r)

        def walk(s):
            if s.l:
                yield from s.l.walk()
            s.n += 1
            yield s.n
            if s.r:
                yield from s.r.walk()
    t = T(T(), T(T()))

    def step(x):
        for v in t.walk():
            x = x * v
        return x
    return (step, nothing, lambda: (t.n, t.l.n, t.r.n))


def local_class_generator():

    class C:
        n = 0
    c = C()

    def step(x):

        class A:

            def __iter__(self):
                c.n += 1
                yield 2.0
        for k in A():
            x = x * k
        return x
    return (step, nothing, lambda: c.n)


def import_in_a_generator():
    cfg = module()

    def gen():
        import sl_test_cfg
        sl_test_cfg.n += 1
        yield sl_test_cfg.scale

    def step(x):
        return x * next(gen())

    def between(i):
        cfg.scale = float(i)
    return (step, between, lambda: cfg.n)


def iter_next_class():

    class It:
        n = 0

        def __iter__(self):
            self.i = 0
            return self

        def __next__(self):
            if self.i >= 3:
                raise StopIteration
            self.i += 1
            self.n += 1
            return float(self.n)
    it = It()

    class W:

        def __iter__(self):
            return iter(It())

    def step(x):
        for v in W():
            x = x + v
        return x
    return (step, nothing, nothing)


def gen_send_loop_tensor():

    class C:
        n = 0
    c = C()

    def gen(x):
        for i in range(3):
            if i == 1:
                c.n += 1
            y = (yield (x * i))

    def step(x):
        t = x * 0
        for v in gen(x):
            t = t + v
        while t.sum() > 5:
            t = t - 1
        return t
    return (step, nothing, lambda: c.n)


def gen_in_tensor_loop():

    class C:
        n = 0
    c = C()

    def gen():
        c.n += 1
        yield 1.0

    def step(x):
        while x.sum() < 5:
            for v in gen():
                x = x + v
        return x
    return (step, nothing, lambda: c.n)


PROGRAMS = [
    iterated,
    in_a_branch,
    calls_a_function,
    reads,
    stores_names,
    ended_by_a_tensor,
    taken_from_in_a_branch,
    made_inside,
    sends,
    given_to_builtins,
    given_to_zip,
    gen_local_state_branch,
    gen_pure_break,
    gen_expr_effects,
    gen_expr_break,
    gen_tensor_state,
    gen_close,
    yield_from_method,
    local_class_generator,
    import_in_a_generator,
    iter_next_class,
    gen_send_loop_tensor,
    gen_in_tensor_loop,
]


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_captured_as_at_once(make):
    assert history(make, True) == history(make, False)


# The recording that was given up ran what follows, too.
def test_the_end_of_a_generator_that_is_left_early_is_of_the_call():
    def program(wrap):
        box = Box()

        def pairs(x):
            try:
                yield x
                yield x * 2
            finally:
                box.n += 1

        def step(x):
            found = any(v > 1 for v in pairs(x))
            for v in pairs(x):
                if v > 1:
                    break
            return v + box.n, found

        f = wrap(step)
        for v in (2.0, 0.25, 2.0, 0.75):
            yield repr(f(sl.tensor(v))), box.n

    assert list(program(sl.function)) == list(program(lambda f: f))
