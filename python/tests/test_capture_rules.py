"""Hooks, and backward of autograd.Function and custom_vjp, in captured functions: what
they read and write counts in every call, whether gradients are taken inside or after
it."""

from __future__ import annotations

import pytest
from both_ways import both

import sluice as sl

SCALE = 2.0
CALLS = 0
SEEN = []


class Scaled(sl.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if x.sum() > 0:
            return x * 2
        return x * 3

    @staticmethod
    def backward(ctx, g):
        return g * SCALE


class Counted(sl.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        global CALLS
        CALLS += 1
        SEEN.append(g)
        return g * SCALE


@sl.custom_vjp
def bent(x):
    return x * 2


bent.defvjp(lambda x: (x * 2, None), lambda _, g: (g * SCALE,))


def outside(f):
    return f


def inside(f):
    def step(x):
        f(x).backward()

    return step


def run(code, wrap, how):
    """Gradients of three calls, between which what a rule reads is changed."""
    global SCALE, CALLS
    SCALE, CALLS = 2.0, 0
    SEEN.clear()
    step = wrap(how(code))
    found = []
    for v in (1.0, -1.0, 1.0):
        x = sl.tensor([v, 0.5], requires_grad=True)
        made = step(x)
        if how is outside:
            made.backward()
        found.append(x.grad.tolist())
        SCALE += 1
    return found


def function(x):
    return Scaled.apply(x).sum()


def vjp(x):
    return bent(x).sum()


def hook(x):
    y = x * 2
    z = y.exp()
    y.register_hook(lambda g: g * SCALE)
    y.register_hook(lambda g: g + 1)
    return (z * y).sum()


def hook_on_one_way(x):
    y = x * 2
    if x[0] > 0:
        y = y * y
        y.register_hook(lambda g: g * SCALE)
    return y.sum()


@pytest.mark.parametrize("how", [outside, inside])
@pytest.mark.parametrize("code", [function, vjp, hook, hook_on_one_way])
def test_what_a_rule_reads(code, how):
    both(lambda wrap: run(code, wrap, how))


def counted(x):
    return Counted.apply(x).sum()


def counting_hook(x):
    y = x * 2
    y.register_hook(lambda g: SEEN.append(g))
    return y.sum()


@pytest.mark.parametrize("code", [counted, counting_hook])
def test_what_a_rule_writes_when_it_runs_inside(code):
    both(lambda wrap: (run(code, wrap, inside), CALLS, [g.tolist() for g in SEEN]))


# It ran once, when the gradient was built, and left a tensor of the graph.
@pytest.mark.parametrize("code", [counted, counting_hook])
def test_what_a_rule_writes_after_the_call_is_refused(code):
    with pytest.raises(NotImplementedError, match="CALLS|SEEN"):
        run(code, sl.function, outside)
    assert not SEEN


def test_a_hook_of_a_result_and_gradients_of_gradients():
    def program(wrap):
        def step(x):
            y = x * x
            y.register_hook(lambda g: g * 3)
            return y

        x = sl.tensor([0.5, 0.25], requires_grad=True)
        y = wrap(step)(x)
        (g,) = sl.autograd.grad(y.sum(), x, create_graph=True)
        g.sum().backward()
        return y.tolist(), g.tolist(), x.grad.tolist()

    both(program)


def test_a_hook_that_was_removed():
    def program(wrap):
        def step(x):
            y = x * x
            handle = y.register_hook(lambda g: g * 3)
            handle.remove()
            return y.sum()

        x = sl.tensor([0.5], requires_grad=True)
        wrap(step)(x).backward()
        return x.grad.tolist()

    both(program)


def test_a_backward_that_reads_another_number_each_time():
    global SCALE
    f = sl.function(function)
    with pytest.raises(NotImplementedError, match="another each time"):
        for _ in range(80):
            x = sl.tensor([1.0], requires_grad=True)
            f(x).backward()
            SCALE += 1


def test_retain_grad_of_what_nobody_is_given():
    def program(wrap):
        def step(x):
            y = x * x
            y.retain_grad()
            return (y * 2).sum()

        x = sl.tensor([0.5], requires_grad=True)
        wrap(step)(x).backward()
        return x.grad.tolist()

    both(program)


def test_retain_grad_of_a_result_is_refused():
    @sl.function
    def step(x):
        y = x * x
        y.retain_grad()
        return y

    with pytest.raises(NotImplementedError, match="retain_grad"):
        step(sl.tensor([0.5], requires_grad=True))
