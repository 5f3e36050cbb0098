"""Gradients of gradients of captured functions: whether they are there at all."""

from typing import Any, Callable

import pytest

import sluice as sl


def leaf(*values: float) -> Any:
    return sl.tensor(list(values)).requires_grad_()


def straight(w, q, x):
    return (w * 3).sum() + (q * q).sum() + x.sum()


def branch(w, q, x):
    h = -w if x.sum() < 0 else x
    return (h * h + w).sum() + (q * x).sum()


def loop(w, q, x):
    y = w * 1
    k = 0
    while k < 4 and y.sum() < x.sum():
        k += 1
        y = y * q
    return (y * y).sum()


def branch_in_loop(w, q, x):
    y = x * 1
    k = 0
    while y.sum() < 20 and k < 3:
        k += 1
        if y[0] > 1.5:
            y = y * q
        else:
            y = y + w
    return (y * y).sum() + w.sum()


def loop_in_branch(w, q, x):
    y = w * 2
    if x.sum() > 0:
        k = 0
        while k < 3 and y.sum() < x.sum():
            k += 1
            y = y * w * q
    return y.sum()


CODES: list[Callable[..., Any]] = [
    straight, branch, loop, branch_in_loop, loop_in_branch
]
INPUTS = [(-1.0, -2.0), (1.0, 0.5), (1.0, 2.0), (9.0, 9.0), (30.0, 1.0)]


def outside(f: Any, x: Any) -> Any:
    w, q = leaf(1.0, 2.0), leaf(2.0, 1.0)
    r = f(w, q, x)
    found = sl.autograd.grad(r, (w, q), create_graph=True, allow_unused=True)
    told = []
    for g in found:
        told.append(None if g is None else (g.tolist(), g.requires_grad))
        if g is not None and g.requires_grad:
            g.sum().backward(retain_graph=True)
        told += [None if p.grad is None else p.grad.tolist() for p in (w, q)]
    return told


@pytest.mark.parametrize("code", CODES, ids=lambda f: f.__name__)
def test_second_gradients_after_a_call_are_there_as_imperatively(code):
    f = sl.function(code, one_graph=True)
    for values in INPUTS:
        x = sl.tensor(list(values))
        assert outside(f, x) == outside(code, x), values
    assert len(f.traces()) == 1


@pytest.mark.parametrize("code", CODES, ids=lambda f: f.__name__)
def test_second_gradients_inside_of_a_function_are_there_as_imperatively(code):
    def run(wrap, values):
        w, q = leaf(1.0, 2.0), leaf(2.0, 1.0)

        @wrap
        def step(x):
            r = code(w, q, x)
            g, h = sl.autograd.grad(r, (w, q), create_graph=True, allow_unused=True)
            g = g.sum()
            return g if h is None else g + h.sum()

        y = step(sl.tensor(list(values)))
        if y.requires_grad:
            y.backward()
        grads = [None if p.grad is None else p.grad.tolist() for p in (w, q)]
        return y.tolist(), y.requires_grad, grads

    for values in INPUTS:
        assert run(sl.function, values) == run(lambda f: f, values), values


def test_a_gradient_that_nothing_tracked_was_used_for_is_a_constant():
    w = leaf(2.0)
    (g,) = sl.autograd.grad(sl.function(lambda: (w * 3).sum())(), w, create_graph=True)
    assert not g.requires_grad and g.is_leaf
    with pytest.raises(RuntimeError):
        g.sum().backward()


def passed_on(w, q, x):
    r = q * w
    g = q * q if x.sum() > 0 else r
    return (g * x).sum() + (q * q).sum()


def passed_to_a_loop(w, q, x):
    r, g, k = q * w, q * x, 0
    while k < x[0]:
        g = g + r
        k += 1
    return (g * x).sum() + (q * q).sum()


# state:8002682: what a gradient is multiplied with, where none flows.
@pytest.mark.parametrize("inside", [True, False], ids=["inside", "after"])
@pytest.mark.parametrize("code", [passed_on, passed_to_a_loop])
def test_what_a_gradient_that_is_not_there_would_be_made_of(code, inside):
    def first(w, q, x):
        return sl.autograd.grad(code(w, q, x), q, create_graph=True)[0]

    def run(wrap):
        w, q = leaf(1.0, 2.0), leaf(3.0, 4.0)
        step = wrap(first if inside else code)
        for values in INPUTS:
            x = sl.tensor(list(values))
            w.grad = q.grad = None
            y = step(w, q, x) if inside else sl.autograd.grad(
                step(w, q, x), q, create_graph=True
            )[0]
            y.sum().backward()
            yield [None if t.grad is None else t.grad.tolist() for t in (w, q)]

    assert list(run(sl.function)) == list(run(lambda f: f))
