"""Tensors that the way taken does not use get no gradients, instead of zeros."""

import pytest

import sluice as sl
from sluice import nn


def leaf(value):
    return sl.tensor([value], requires_grad=True)


def plain(f):
    return f


def branch(x, v, w):
    y = x * v
    if x.sum() > 0:
        y = y * w
    return y


def two_branches(x, v, w):
    if x.sum() > 0:
        y = x * v
    else:
        y = x * w
    return y * 2


def nested(x, v, w):
    y = x * v
    if x.sum() > 0:
        if x.sum() > 1:
            y = y * w
    return y


def loop(x, v, w):
    y = x * v
    n = sl.tensor(0.0)
    while n < x.sum():
        y = y * w
        n = n + 1
    return y


def loop_of_a_branch(x, v, w):
    y = x * v
    n = sl.tensor(0.0)
    while n < 3:
        if n < x.sum():
            y = y * w
        n = n + 1
    return y


def loop_that_hands_on(x, v, w):
    a, b, n = x * v, x * 1, sl.tensor(0.0)
    while n < x.sum():
        a, b, n = a + b, b * w, n + 1
    return a


def early_return(x, v, w):
    if x.sum() > 0:
        return x * w
    return x * v


def written(x, v, w):
    y = x * v
    if x.sum() > 0:
        y *= w
    return y


def always(x, v, w):
    n = sl.tensor(0.0)
    y = x * v * w
    while n < x.sum():
        y = y * w
        n = n + 1
    return y


PROGRAMS = (
    branch, two_branches, nested, loop, loop_of_a_branch, loop_that_hands_on,
    early_return, written, always,
)  # fmt: skip


def grads(run):
    found = []
    for value in (-1.0, 0.5, 1.0, 2.5, -1.0):
        v, w = leaf(2.0), leaf(3.0)
        run(sl.tensor([value]), v, w)
        found.append([None if t.grad is None else t.grad.item() for t in (v, w)])
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_backward_outside(program):
    def outside(wrap):
        f = wrap(program)
        return lambda *args: f(*args).sum().backward()

    assert grads(outside(sl.function)) == grads(outside(plain))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_backward_inside(program):
    def inside(*args):
        program(*args).sum().backward()

    assert grads(sl.function(inside)) == grads(inside)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives(program):
    def slopes(wrap):
        f = wrap(program)

        def run(x, v, w):
            (g,) = sl.autograd.grad(f(x, v, w).sum() ** 2, v, create_graph=True,
                                    allow_unused=True)  # fmt: skip
            if g is not None:
                g.sum().backward()

        return run

    want, got = grads(slopes(plain)), grads(slopes(sl.function))
    for a, b in zip(want, got):
        # Of second order, what was not used may be zeros.
        assert [t or 0.0 for t in b] == pytest.approx([t or 0.0 for t in a])


def test_a_gradient_that_is_there_is_zeroed_and_added_to():
    """Zeros were written over what backward() had put in its place."""
    net = nn.Linear(1, 1)

    @sl.function
    def step(x):
        net.zero_grad(set_to_none=False)
        net.weight.sum().backward()

    for _ in range(3):
        step(sl.tensor([1.0]))
        assert net.weight.grad.item() == 1.0


def test_frozen_parameters_are_freed():
    """A parameter without gradients was nothing but a look into its data."""
    net = nn.Linear(1, 1)

    @sl.function
    def step(x, flag):
        net.requires_grad_(flag)
        return x * net.weight

    for flag in (False, True, False, True):
        y = step(sl.tensor([1.0]), flag)
        assert y.requires_grad == net.weight.requires_grad == flag


def test_parameters_freed_between_calls():
    net = nn.Linear(1, 1)
    net.requires_grad_(False)
    f = sl.function(lambda x: x * net.weight)
    assert not f(sl.ones(1)).requires_grad
    net.requires_grad_(True)
    assert f(sl.ones(1)).requires_grad
