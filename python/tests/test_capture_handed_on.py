"""What is in a place of the program around, where captured code writes it on one
way of a branch only, or in a loop that may have no iteration: it is left there."""

from __future__ import annotations

import pytest
from both_ways import both

import sluice as sl

SEEN = None


class Box:
    def __init__(self, **values):
        self.__dict__.update(values)


# state:13893: the tensor of the recording was handed on by every call.
def test_an_attribute_that_one_way_writes():
    def program(wrap):
        box = Box(t=sl.tensor([1.0]))

        @wrap
        def step(x, other):
            if x < 0:
                box.t = other
            box.t = box.t * 0.5

        found = []
        for v in (1.0, 1.0, -1.0, 1.0):
            step(sl.tensor([v]), sl.tensor([8.0]))
            found.append(box.t.tolist())
        return found

    assert both(program) == [[0.5], [0.25], [4.0], [2.0]]


# state:21683, 12541: nobody reads it.
def test_a_best_value_that_is_only_written():
    def program(wrap):
        box = Box(last=None, kept=sl.tensor([0.0]))

        @wrap
        def step(x):
            if x > 0:
                box.kept = x * 2

        found = []
        for v in (1.0, -1.0, 3.0, -1.0, -2.0):
            step(sl.tensor([v]))
            found.append(box.kept.tolist())
        return found

    assert both(program) == [[2.0], [2.0], [6.0], [6.0], [6.0]]


def test_a_global_that_one_way_writes():
    def program(wrap):
        global SEEN
        SEEN = sl.tensor([0.0])

        @wrap
        def step(x):
            global SEEN
            if x > 0:
                SEEN = x

        found = []
        for v in (1.0, -1.0, 3.0, -1.0):
            step(sl.tensor([v]))
            found.append(SEEN.tolist())
        SEEN = sl.tensor([9.0])
        step(sl.tensor([-1.0]))
        return [*found, SEEN.tolist()]

    assert both(program)[-1] == [9.0]


def test_a_variable_around_that_one_way_writes():
    def program(wrap):
        seen = sl.tensor([0.0])

        @wrap
        def step(x):
            nonlocal seen
            if x > 0:
                seen = x

        found = []
        for v in (1.0, -1.0, 3.0, -1.0):
            step(sl.tensor([v]))
            found.append(seen.tolist())
        seen = sl.tensor([9.0])
        step(sl.tensor([-1.0]))
        return [*found, seen.tolist()]

    assert both(program)[-1] == [9.0]


def test_what_a_loop_without_iterations_leaves():
    def program(wrap):
        box = Box(t=sl.tensor([0.0]))

        @wrap
        def step(x):
            while x > 0:
                x = x - 1.0
                box.t = x

        found = []
        for v in (2.5, -1.0, 3.25, -1.0):
            step(sl.tensor([v]))
            found.append(box.t.tolist())
        box.t = sl.tensor([9.0])
        step(sl.tensor([-1.0]))
        return [*found, box.t.tolist()]

    assert both(program)[-1] == [9.0]


# state:14794: a tensor was left, which the next call then wrote in place.
def test_a_counter_that_a_loop_changes_is_a_number_after_it():
    def program(wrap):
        box = Box(n=0, sum=5)

        @wrap
        def step(x):
            before = box.n
            for _ in x:
                box.n += 1
            box.sum += box.n * 2
            if x[0] > 0:
                box.n += 1
            return before

        found = []
        for v in (1.0, -1.0, 1.0, -1.0, 2.0):
            found.append(int(step(sl.tensor([v, 0.5]))))
            found.append((box.n, box.sum, type(box.n), type(box.sum)))
        return found

    assert both(program)[-1][0] == 13


# state:10432: what it is depends on whether there is an iteration.
@pytest.mark.parametrize("rounds", [0.0, 2.0])
def test_a_number_in_whose_place_iterations_put_a_tensor(rounds):
    def program(wrap):
        box = Box(n=1)

        @wrap
        def step(x, rounds):
            while rounds > 0:
                rounds = rounds - 1
                box.n = x
            return x.double() + box.n * 0.1

        x = sl.tensor([0.25])
        return step(x, sl.tensor(rounds)).tolist(), type(box.n)

    both(program)


# state:5691: an argument that is a number became a tensor of float32.
def test_numbers_among_the_arguments_have_their_digits():
    def program(wrap):
        h = sl.tensor([0.0], dtype=sl.float64)
        d = {"n": 1, "f": 0.5}

        @wrap
        def step(x, d):
            h[0] = d["n"] * 0.1 + d["n"] / 3
            d["n"] += 1
            d["f"] *= 0.9

        found = []
        for _ in range(5):
            step(sl.tensor([1.0]), d)
            found.append((h.tolist(), dict(d), type(d["n"]), type(d["f"])))
        return found

    both(program)


def _of_two(transform, w, x):
    """The value that a derivative of u * s hands out: s is x, or the parameter."""
    s = w if x.sum() > 0 else x * 1
    if transform == "gradient":
        return sl.value_and_grad(lambda u: (u**3 * s).sum())(x)[1]
    if transform == "pulled back":
        return sl.vjp(lambda u: u**3 * s, x)[1](x)[0]
    if transform == "tangent":
        return sl.jvp(lambda u: u**3 * s, (x,), (x,))[1]
    if transform == "hvp":
        return sl.hvp(lambda u: (u**4 * s).sum(), x, x)
    if transform == "grad of grad":
        return sl.grad(lambda u: (sl.grad(lambda v: (v**4 * s).sum())(u) * u).sum())(x)
    if transform == "value_and_grad":
        return sl.value_and_grad(lambda u: (u * s).sum())(x)[0]
    if transform == "aux":
        return sl.value_and_grad(lambda u: ((u * u).sum(), u * s), has_aux=True)(x)[0]
    if transform == "vjp":
        return sl.vjp(lambda u: u * s, x)[0]
    return sl.jvp(lambda u: u * s, (x,), (x,))[0]


@pytest.mark.parametrize(
    "transform", ["value_and_grad", "aux", "vjp", "jvp", "gradient", "pulled back",
                  "tangent", "hvp", "grad of grad"])  # fmt: skip
def test_values_of_derivatives_remember_what_the_way_taken_reads(transform):
    w = sl.tensor([2.0, 3.0], requires_grad=True)
    captured = sl.function(lambda x: _of_two(transform, w, x))
    for x in (sl.tensor([1.0, 2.0]), sl.tensor([-1.0, 0.5]), sl.tensor([3.0, 1.0])):
        got, want = captured(x), _of_two(transform, w, x)
        told = [(r[0] if isinstance(r, tuple) else r) for r in (got, want)]
        assert told[0].requires_grad == told[1].requires_grad
        assert told[0].is_leaf == told[1].is_leaf
        if told[1].requires_grad:
            grads = [sl.autograd.grad(r.sum(), w, allow_unused=True)[0] for r in told]
            assert str(grads[0]) == str(grads[1])
