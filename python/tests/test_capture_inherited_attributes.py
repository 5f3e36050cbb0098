"""Attributes that a class inherits, written where they are kept.

When such an attribute had changed between calls, captured code saw what it was when
the call began: a write to the class that keeps it did not show.
"""

import pytest

import sluice as sl

VALUES = (1.0, 3.0, -2.0, 2.0)


def made(start):
    class Base:
        kept = start

        def read(self):
            return self.kept

    class Derived(Base):
        pass

    return Base, Derived


def written_through(f, start, between=lambda base, derived, i: None):
    """Results of some calls, and what the classes have after each."""
    base, derived = made(start)
    step, seen = f(base, derived), []
    for i, value in enumerate(VALUES):
        between(base, derived, i)
        result = step(sl.tensor(value))
        kept = [float(c.kept) for c in (base, derived)]
        seen.append((float(result), *kept, "kept" in derived.__dict__))
    return seen


def by_class(base, derived):
    def step(x):
        base.kept = base.kept + x
        return derived.kept * x

    return step


def by_instance(base, derived):
    one = derived()

    def step(x):
        base.kept = base.kept + x
        return one.read() * x

    return step


def read_alone(base, derived):
    return lambda x: derived.kept * x


def counted(base, derived):
    def step(x):
        base.kept += 1
        return x * derived.kept

    return step


def gradient(base, derived):
    def loss(x):
        base.kept = base.kept + x.detach()
        return derived.kept * x * x

    return lambda x: sl.grad(loss)(x)


def anew(base, derived, i):
    base.kept = base.kept + 0.5


def of_its_own(base, derived, i):
    if i == 2:
        derived.kept = base.kept + 10


@pytest.mark.parametrize("between", [lambda *_: None, anew, of_its_own])
@pytest.mark.parametrize(
    "program, start",
    [(by_class, sl.tensor(0.5)), (by_instance, sl.tensor(0.5)),
     (read_alone, sl.tensor(0.5)), (gradient, sl.tensor(0.5)),
     (counted, 1), (counted, 0.25), (read_alone, 0.25)],
)  # fmt: skip
def test_writes_to_the_class_that_keeps_it_show(program, start, between):
    wanted = written_through(program, start, between)

    def captured(base, derived):
        return sl.function(program(base, derived))

    assert written_through(captured, start, between) == wanted


# A read by super() of what the code had written left a graph's tensor in the class.
@pytest.mark.parametrize("beside", [True, False])
def test_super_reads_what_the_code_has_written(beside):
    def run(wrap):
        class First:
            kept = sl.tensor(0.0)

        class Second:
            kept = sl.tensor(10.0)

        class Both(First, Second):
            def above(self):
                return super(First, self).kept

        one = Both()

        @wrap
        def step(x):
            Second.kept = Second.kept + x
            if beside:
                First.kept = First.kept - x
            return one.above() * x + Both.kept

        return [(step(sl.tensor(v)).item(), First.kept.item(), Second.kept.item())
                for v in VALUES]

    assert run(sl.function) == run(lambda f: f)


def test_classes_that_write_what_they_inherit():
    def run(wrap):
        class Base:
            total, count = sl.tensor(0.0), 0

            @classmethod
            def add(cls, x):
                cls.total = cls.total + x
                cls.count += 1
                return cls.total * cls.count

        class Derived(Base):
            pass

        class Further(Derived):
            pass

        @wrap
        def step(x):
            made = Derived.add(x)
            if x > 1:
                made = made + Further.add(x)
            return made

        seen = []
        for v in VALUES:
            result = step(sl.tensor(v)).item()
            classes = (Base, Derived, Further)
            own = ["total" in c.__dict__ for c in classes]
            kept = [(c.total.item(), c.count) for c in classes]
            seen.append((result, kept, own))
        return seen

    assert run(sl.function) == run(lambda f: f)
