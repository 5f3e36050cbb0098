"""Trees: nested tuples, lists, dicts, named tuples, dataclasses, None, Lists."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, namedtuple

import pytest

import sluice as sl

Point = namedtuple("Point", "x y")


@dataclasses.dataclass
class State:
    h: object
    c: object


class Box:
    def __init__(self, value, label):
        self.value, self.label = value, label


sl.tree.register(Box, lambda b: ((b.value,), b.label), lambda aux, c: Box(c[0], aux))

TREES = [
    (1, [2, 3], {"a": 4, "b": (5,)}),
    [],
    (),
    {},
    None,
    Point(1, [2]),
    {"z": 1, "a": 2},
    {1: "a", (2, 3): "b"},
    "leaf",
]


@pytest.mark.parametrize("tree", TREES)
def test_taken_apart_and_put_together(tree):
    leaves, form = sl.tree.flatten(tree)
    assert sl.tree.unflatten(form, leaves) == tree
    assert type(sl.tree.unflatten(form, leaves)) is type(tree)
    assert sl.tree.leaves(tree) == leaves
    assert sl.tree.structure(tree) == form
    assert form.num_leaves == len(leaves)


def test_leaves_of_dicts_come_by_key_and_keys_stay_in_order():
    tree = {"z": 1, "a": 2, "m": 3}
    leaves, form = sl.tree.flatten(tree)
    assert leaves == [2, 3, 1]
    assert list(sl.tree.unflatten(form, leaves)) == ["z", "a", "m"]
    assert form == sl.tree.structure({"a": 0, "m": 0, "z": 0})


def test_dataclasses_and_registered_classes_are_nodes():
    made = sl.tree.map(lambda x: x + 1, State(1, [2]))
    assert made == State(2, [3])
    box = sl.tree.map(lambda x: x * 10, Box(4, "label"))
    assert (box.value, box.label) == (40, "label")
    assert sl.tree.structure(Box(1, "a")) != sl.tree.structure(Box(1, "b"))
    ordered = sl.tree.map(str, OrderedDict(a=1))
    assert isinstance(ordered, OrderedDict) and ordered["a"] == "1"


def test_map_goes_over_several_trees():
    assert sl.tree.map(lambda a, b: a - b, (1, {"x": 5}), (1, {"x": 2})) == (
        0,
        {"x": 3},
    )
    with pytest.raises(ValueError, match=r"tree 1 is .*; wanted .*as the first"):
        sl.tree.map(lambda a, b: a, (1, 2), [1, 2])


def test_a_list_of_tensors_is_a_node():
    filled = sl.List(sl.float32).append(1.0).append(2.0)
    leaves, form = sl.tree.flatten({"l": filled})
    assert len(leaves) == 1
    again = sl.tree.unflatten(form, leaves)["l"]
    assert again.stack().tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="leaf of a List"):
        sl.tree.unflatten(form, [3])


def test_what_does_not_fit_is_refused():
    form = sl.tree.structure((1, 2))
    with pytest.raises(ValueError, match="2 leaves was given 3"):
        sl.tree.unflatten(form, [1, 2, 3])
    with pytest.raises(TypeError, match="wanted a TreeDef"):
        sl.tree.unflatten("form", [1])
    inside = []
    inside.append(inside)
    with pytest.raises(ValueError, match="inside itself"):
        sl.tree.flatten(inside)


def test_structures_print_and_hash():
    form = sl.tree.structure((1, {"a": [2, None]}))
    assert repr(form) == "TreeDef((*, {'a': [*, None]}))"
    assert hash(form) == hash(sl.tree.structure((5, {"a": [6, None]})))
