"""Attributes of objects, read and written in all the ways that Python has.

A captured function writes an attribute by one of them, and reads it by another, before
and after: results and attributes are those of the code at once. Reads by
`operator.attrgetter`, by `object.__getattribute__` and of copies were those of the
first call; writes by `o.__setattr__` to properties left a graph's tensor.
"""

import copy
import dataclasses
import functools
import operator
import types

import pytest

import sluice as sl


class Plain:
    def __init__(self):
        self.t = sl.tensor(1.0)

    def get(self):
        return self.t

    def put(self, value):
        self.t = value


class Slotted:
    __slots__ = ("t",)
    __init__, get, put = Plain.__init__, Plain.get, Plain.put


@dataclasses.dataclass
class Data:
    t: object
    get, put = Plain.get, Plain.put


class ByProperty(Plain):
    @property
    def t(self):
        return self._t

    @t.setter
    def t(self, value):
        self._t = value


class ByTable:
    def __init__(self):
        object.__setattr__(self, "_table", {"t": sl.tensor(1.0)})

    def __getattr__(self, name):
        if name not in self.__dict__["_table"]:
            raise AttributeError(name)
        return self.__dict__["_table"][name]

    def __setattr__(self, name, value):
        self._table[name] = value

    get, put = Plain.get, Plain.put


class Layer(sl.nn.Module):
    def __init__(self):
        super().__init__()
        self.t = sl.tensor(1.0)

    get, put = Plain.get, Plain.put


def of_a_class():
    class Base:
        t = sl.tensor(1.0)
        get = Plain.get

        def put(self, value):
            type(self).t = value

    return Base


def of_a_function():
    def function():
        pass

    function.t = sl.tensor(1.0)
    return function


def of_a_module():
    made = types.ModuleType("made")
    made.t = sl.tensor(1.0)
    return made


OBJECTS = {
    "an object": Plain,
    "slots": Slotted,
    "a dataclass": lambda: Data(sl.tensor(1.0)),
    "a property": ByProperty,
    "__getattr__": ByTable,
    "a layer": Layer,
    "a class": lambda: of_a_class()(),
    "a class above": lambda: type("Derived", (of_a_class(),), {})(),
    "a namespace": lambda: types.SimpleNamespace(t=sl.tensor(1.0)),
    "a function": of_a_function,
    "a module": of_a_module,
}
WRITES = {
    "setattr": lambda o, v: setattr(o, "t", v),
    "o.__setattr__": lambda o, v: o.__setattr__("t", v),
    "object.__setattr__": lambda o, v: object.__setattr__(o, "t", v),
    "o.__dict__": lambda o, v: o.__dict__.__setitem__("t", v),
    "vars": lambda o, v: vars(o).update(t=v),
    "a method": lambda o, v: o.put(v),
}
READS = {
    "o.t": lambda o: o.t,
    "getattr": lambda o: getattr(o, "t"),  # noqa: B009
    "o.__dict__": lambda o: o.__dict__["t"],
    "vars": lambda o: {**vars(o)}["t"],
    "object.__getattribute__": lambda o: object.__getattribute__(o, "t"),
    "o.__getattribute__": lambda o: o.__getattribute__("t"),
    "attrgetter": lambda o: operator.attrgetter("t")(o),
    "two attributes": lambda o: operator.attrgetter("t", "t.T")(o)[0],
    "a method": lambda o: o.get(),
    "copy": lambda o: copy.copy(o).t,
    "replace": lambda o: dataclasses.replace(o).t,
    "partial": lambda o: functools.partial(getattr, o)("t"),
}


def once(write, read, o, x):
    write(o, read(o) + x)
    return read(o) * 2


def twice(write, read, o, x):
    y = read(o) * 1
    write(o, y * x)
    write(o, read(o) + 1)
    return y + read(o)


def in_a_branch(write, read, o, x):
    if x > 1:
        write(o, read(o) * x)
    return read(o) + x


def run(wrap, code, write, read, o):
    step, seen = wrap(lambda x: code(write, read, o, x)), []
    for value in (2.0, 0.5, 3.0):
        try:
            result = step(sl.tensor(value)).item()
        except (AttributeError, TypeError, KeyError) as error:
            result = type(error).__name__
        seen.append((result, o.t.item()))
    return seen


@pytest.mark.parametrize("code", [once, twice, in_a_branch])
@pytest.mark.parametrize("kind", OBJECTS)
def test_attributes_by_all_routes(kind, code):
    differ = []
    for way, write in WRITES.items():
        for look, read in READS.items():
            wanted = run(lambda f: f, code, write, read, OBJECTS[kind]())
            if isinstance(wanted[0][0], str):
                continue  # nothing that this object has
            got = run(sl.function, code, write, read, OBJECTS[kind]())
            if got != wanted:
                differ.append((way, look, wanted, got))
    assert not differ
