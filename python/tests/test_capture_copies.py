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
