"""The dict in which an object keeps its attributes, read and written in captured code:
an entry of it is the attribute."""

import types

import pytest
from both_ways import both

import sluice as sl
from sluice._convert import StagingError


class Box:
    def __init__(self):
        self.t, self.n = sl.tensor(0.0), 0


def by_vars(o, x):
    vars(o)["t"] = x * 2
    vars(o)["n"] += 1


def by_the_dict(o, x):
    fields = o.__dict__
    fields["t"] = fields["t"] + x


def by_update(o, x):
    o.__dict__.update(t=x * 3, n=5)


def both_means(o, x):
    o.t = x * 2
    o.__dict__["t"] += 1
    o.t = o.t + 1


def in_a_branch(o, x):
    if x > 1:
        o.__dict__["t"] = x * 2


def in_a_loop(o, x):
    for _ in range(3):
        o.__dict__["t"] = o.__dict__["t"] + x


WRITES = [by_vars, by_the_dict, by_update, both_means, in_a_branch, in_a_loop]


def values(o):
    return repr(o.t), repr(o.n)


# A tensor of the graph was left there, an error at the next call.
@pytest.mark.parametrize("write", WRITES)
def test_an_entry_is_the_attribute(write):
    def program(wrap):
        box = Box()

        def step(x):
            write(box, x)
            return box.t * 1, box.n

        f = wrap(step)
        return [(repr(f(sl.tensor(v))), values(box)) for v in (2.0, 0.5, 2.0, 3.0)]

    both(program)


@pytest.mark.parametrize("write", WRITES)
def test_objects_that_share_a_dict(write):
    def program(wrap):
        a, b = Box(), Box()
        b.__dict__ = a.__dict__

        def step(x):
            write(a, x)
            return b.t * 1, b.n

        f = wrap(step)
        calls = (2.0, 0.5, 2.0, 3.0)
        return [(repr(f(sl.tensor(v))), values(a), values(b)) for v in calls]

    both(program)


def test_objects_made_over_the_dict_of_their_class():
    def program(wrap):
        class Shared:
            state = {"t": sl.tensor(0.0)}

            def __init__(self):
                self.__dict__ = Shared.state

        def step(x):
            made = Shared()
            made.t = made.t + x
            return Shared().t

        f = wrap(step)
        return [(repr(f(sl.tensor(v))), repr(Shared.state)) for v in (2.0, 0.5, 3.0)]

    both(program)


def test_dicts_of_modules_and_classes():
    def program(wrap):
        module = types.ModuleType("made_here")
        module.t = sl.tensor(0.0)

        class C:
            t = sl.tensor(0.0)

        def step(x):
            module.__dict__["t"] = module.t + x
            C.t = C.__dict__["t"] + x
            return module.t, C.t

        f = wrap(step)
        calls = (2.0, 0.5, 3.0)
        return [(repr(f(sl.tensor(v))), repr(module.t), repr(C.t)) for v in calls]

    both(program)


def test_a_slot_by_its_descriptor():
    def program(wrap):
        class Slots:
            __slots__ = ("t",)

        slots = Slots()
        slots.t = sl.tensor(0.0)

        def step(x):
            Slots.t.__set__(slots, slots.t + x)
            return Slots.t.__get__(slots)

        f = wrap(step)
        return [(repr(f(sl.tensor(v))), repr(slots.t)) for v in (2.0, 0.5, 3.0)]

    both(program)


def test_a_dict_that_is_replaced_is_refused():
    box = Box()

    @sl.function
    def f(x):
        box.__dict__ = {"t": x * 2, "n": 3}
        return box.t

    with pytest.raises(StagingError, match=r"dicts.py:\d+: box.__dict__ is replaced"):
        f(sl.tensor(1.0))
