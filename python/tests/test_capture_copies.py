"""Copies of objects that hold captured methods have captured methods of their own."""

import copy
import functools
import pickle
import types

import pytest
import sluice as sl


class Steps:
    def __init__(self, capture):
        self.k = 1
        self.step = capture(self.forward)

    def forward(self, x):
        self.k += 1
        return x * self.k


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy])
def test_a_copy_of_an_object_calls_the_method_a_copy_of_a_method_would(copied):
    found = []
    for capture in (lambda f: f, sl.function):
        first = Steps(capture)
        first.step(sl.ones(1))
        second = copied(first)
        second.k = 50
        y = second.step(sl.ones(1))
        found.append((y.item(), first.k, second.k))
    assert found[0] == found[1]


def test_a_captured_method_is_pickled_with_its_object():
    first = Steps(sl.function)
    second = pickle.loads(pickle.dumps(first))
    assert second.step(sl.ones(1)).item() == 2
    assert (first.k, second.k) == (1, 2)


def test_a_copy_of_a_captured_partial_has_arguments_of_its_own():
    def grow(kept, x):
        kept.append(1)
        return x * len(kept)

    kept = [1]
    f = sl.function(functools.partial(grow, kept))
    other = copy.deepcopy(f)
    assert other(sl.ones(1)).item() == 2 and other(sl.ones(1)).item() == 3
    assert kept == [1] and copy.deepcopy(sl.function(grow)).__wrapped__ is grow


def test_a_method_taken_apart_and_bound_anew_is_that_objects():
    class Scale:
        def __init__(self, by):
            self.by = by

        @sl.function
        def step(self, x):
            return x * self.by

    a, b = Scale(2.0), Scale(5.0)
    assert a.step(sl.tensor(1.0)).item() == 2
    moved = types.MethodType(a.step.__func__, b)
    assert moved(sl.tensor(1.0)).item() == 5
    assert a.step(sl.tensor(1.0)).item() == 2


class Holder:
    def __init__(self, t):
        self.t = t
        self.parts = [t]


def copies(x):
    kept = {"a": x, "b": [x * 2, x.sum().item()]}
    whole, shallow = copy.deepcopy(kept), copy.copy(kept)
    if x.sum() > 0:
        whole["a"] = whole["a"] * 3
    whole["b"][0].add_(1)
    shallow["b"].append(4)
    holder = copy.deepcopy(Holder(x))
    holder.t += 1
    one = copy.copy(x)
    one *= 5
    return kept, whole, shallow, holder.t, holder.parts[0] is holder.t, one, x


def flags(x):
    y = x * w
    made = [copy.copy(w), copy.deepcopy(w), copy.deepcopy(y)]
    return [(t * 1.0, t.requires_grad, t.is_leaf, t.grad) for t in made]


w = sl.tensor([2.0], requires_grad=True)
w.grad = sl.tensor([7.0])


# It was refused: "is part of a graph and cannot be copied".
@pytest.mark.parametrize("f", [copies, flags])
def test_copies_of_tensors_of_the_graph(f):
    captured = sl.function(f)
    for value in (1.0, -1.0, 2.0):
        x = sl.tensor([value])
        assert repr(captured(x)) == repr(f(x))
