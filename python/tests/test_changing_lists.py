"""Lists, trees and arrays that change while they are read, from code of their
own elements: what is read is what was there, or an error; never other memory."""

import dataclasses

import numpy as np
import pytest

import sluice as sl
from sluice import _core


class Grows(int):
    """A number whose conversion changes the list it is in."""

    def __new__(cls, value, change):
        made = super().__new__(cls, value)
        made.change = change
        return made

    def __float__(self):
        self.change()
        return float(int(self))

    def __complex__(self):
        self.change()
        return complex(int(self))


CHANGES = {
    "grows": lambda rows: rows.extend([0.5] * 10000),
    "shrinks": lambda rows: rows.clear(),
    "is replaced": lambda rows: rows.__setitem__(slice(None), [[1.0] * 100] * 3),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("other", [2.5, 2.5j])
def test_tensor_of_a_list_an_element_changes(change, other):
    rows = []
    rows += [other, Grows(7, lambda: change(rows)), 3.5, 4.5]
    assert sl.tensor(rows).numpy().tolist() == [other, 7, 3.5, 4.5]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_tensor_of_nested_lists_an_element_changes(change):
    inner, outer = [], []
    inner += [1.5, Grows(7, lambda: (change(outer), change(inner)))]
    outer += [inner, [3.5, 4.5]]
    assert sl.tensor(outer).numpy().tolist() == [[1.5, 7], [3.5, 4.5]]


class Eager(list):
    """A list whose iteration must not be what is read."""

    def __iter__(self):
        self.append(1.0)
        return super().__iter__()


def test_tensor_of_a_subclass_of_list():
    assert sl.tensor(Eager([1.5, Grows(2, lambda: None)])).shape == (2,)


def named_tuple(change):
    class Asked(tuple):
        @property
        def _fields(self):
            change()
            raise AttributeError("_fields")

    return Asked((1, 2))


def with_property(change):
    @dataclasses.dataclass
    class Asked:
        a: int

    def get(self):
        change()
        return 5

    made = Asked(5)
    Asked.a = property(get)
    return made


@pytest.mark.parametrize("make", [named_tuple, with_property])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_flattening_a_list_that_a_child_changes(make, change):
    tree = []
    tree += [object(), make(lambda: change(tree) if len(tree) < 100 else None)]
    tree += [object() for _ in range(20)]
    leaves, made = _core.tree_flatten([tree, tree])
    assert made.num_leaves == len(leaves)


def test_flattening_fields_that_change():
    @dataclasses.dataclass
    class Both:
        a: int
        b: int

    made = Both(1, 2)

    def get(self):
        for k in range(100):
            Both.__dataclass_fields__[f"more{k}"] = None
        return 1

    Both.a = property(get)
    leaves, _ = _core.tree_flatten(made)
    assert leaves == [1, 2]


@pytest.mark.parametrize("places", [[0, 2], [[0, 1], [2, 3]], np.array([[[1]]])])
def test_assigning_at_places_reads_the_shape_that_is_there(places):
    want = np.arange(20.0, dtype=np.float32).reshape(4, 5)
    x = sl.tensor(want.copy())
    want[np.asarray(places)] = 7
    x[places] = 7
    assert x.numpy().tolist() == want.tolist()


def test_slices_with_open_ends_and_steps_in_graphs_and_gradients():
    ends = [None, 0, 3, -3, 2**62, -(2**62), 2**63 - 1, -(2**63)]
    want = np.arange(7.0, dtype=np.float32)
    x = sl.tensor(want, requires_grad=True)  # indexed by ops, which are recorded
    for begin in ends:
        for end in ends:
            for step in (1, -1, 2, -3, 2**62, -(2**63) + 1):
                s = slice(begin, end, step)
                assert x[s].detach().numpy().tolist() == want[s].tolist(), s
