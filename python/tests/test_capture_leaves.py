"""Leaves that captured code makes and hands out, and looks it made while calls
were not recorded: flags and gradients are those of the same code run at once."""

from __future__ import annotations

from typing import Any

import pytest
from both_ways import both

import sluice as sl
from sluice import nn


def seen(t):
    grad = None if t.grad is None else t.grad.tolist()
    return t.detach().tolist(), t.requires_grad, t.is_leaf, grad


def a_look_made_a_leaf(x, w):
    return x.detach().requires_grad_()


def a_copy_made_a_leaf_with_a_gradient(x, w):
    y = (x * 2).detach().requires_grad_()
    (y * y).sum().backward()
    return y


def a_look_made_a_leaf_with_a_gradient(x, w):
    y = x.detach().requires_grad_()
    (y * 3).sum().backward()
    return y


def a_look_made_without_recording(x, w):
    with sl.no_grad():
        return w[:1]


def a_flat_look_made_without_recording(x, w):
    with sl.set_grad_enabled(False):
        return w.reshape(2, 1).flatten()


# state:2314, 2407, 5410
@pytest.mark.parametrize(
    "f",
    [
        a_look_made_a_leaf,
        a_copy_made_a_leaf_with_a_gradient,
        a_look_made_a_leaf_with_a_gradient,
        a_look_made_without_recording,
        a_flat_look_made_without_recording,
    ],
    ids=lambda f: f.__name__,
)
def test_a_leaf_that_is_handed_out(f):
    def ran(g):
        w = sl.tensor([2.0, 3.0]).requires_grad_()
        return [seen(g(sl.tensor(v), w)) for v in ([1.0, 2.0], [3.0, 4.0])]

    assert ran(sl.function(f)) == ran(f)


def test_whether_there_is_a_gradient_is_not_zeros():
    w, v = (sl.tensor([n]).requires_grad_() for n in (2.0, 3.0))

    def f(x):
        y = x * w if x[0] > 0 else x * v
        y.sum().backward()
        found = w.grad is None
        w.grad = None
        return x * 0.0 if found else x * 2.0

    g = sl.function(f)
    for value in (1.0, -1.0, 2.0, -2.0):
        x = sl.tensor([value])
        assert g(x).tolist() == f(x).tolist()


# Imperatively an error, or None, where the way taken does not lead there.
def test_autograd_grad_of_what_is_made_on_one_way():
    def one(x, w, v):
        y = x * w if x[0] > 0 else x
        return sl.autograd.grad(y.sum(), w)[0]

    def other(x, w, v):
        y = x * w if x[0] > 0 else x * v
        found = sl.autograd.grad(y.sum(), [w, v], allow_unused=True)
        return x * (0.0 if found[0] is None else 1.0)

    def ran(f):
        found = []
        for value in (1.0, -1.0, 2.0, -2.0):
            w, v = (sl.tensor([n]).requires_grad_() for n in (2.0, 3.0))
            try:
                found.append(f(sl.tensor([value]), w, v).tolist())
            except RuntimeError:
                found.append("no gradient")
        return found

    for f in (one, other):
        assert ran(sl.function(f)) == ran(f)


# state:4064
def test_autograd_grad_through_what_was_computed_before_is_refused():
    w = sl.tensor([0.5]).requires_grad_()
    held = [sl.tensor([2.0])]

    @sl.function
    def step():
        (g,) = sl.autograd.grad(held[0] * (w * w), w, create_graph=True)
        held[0] = g
        return g

    assert step().tolist() == [2.0]
    with pytest.raises(NotImplementedError, match="computed before the captured"):
        step()


# state:13447: on the way that leaves it, it is what it was.
def test_a_gradient_that_one_way_takes_away():
    def ran(wrap):
        w = nn.Parameter(sl.tensor([0.5]))

        def step(x):
            if x > 0:
                pass
            else:
                w.grad = None
            (w * x).sum().backward()
            return w.grad

        g = wrap(step)
        return [g(sl.tensor([v])).tolist() for v in (1.0, 2.0, -3.0, 1.0)]

    assert ran(sl.function) == ran(lambda f: f)


# state:1141, 12802: a parameter that requires none any more keeps its gradient.
def test_the_gradient_of_a_parameter_that_requires_none():
    def ran(wrap):
        w, q = (nn.Parameter(sl.tensor([n])) for n in (0.5, 0.25))

        def step():
            (w + q).sum().backward()
            return nn.utils.clip_grad_norm_([w, q], 0.5)

        g = wrap(step)
        found = [g().item()]
        w.requires_grad_(False)
        return [*found, g().item(), w.grad.item(), q.grad.item()]

    assert ran(sl.function) == pytest.approx(ran(lambda f: f))


# A loop is taken to go round: what it makes has a gradient, and one trace.
def test_autograd_grad_through_loops_is_one_graph():
    w = sl.ones(3).requires_grad_()

    def penalty(xs):
        _, h = sl.scan(lambda h, x: (h, (h * w + x).tanh()), sl.zeros(3), xs)
        (g,) = sl.autograd.grad((h * h).sum(), [w], create_graph=True)
        return (g * g).sum()

    def grown(x):
        h = x * 1
        while h.sum() < 20:
            h = h * w + 1
        (g,) = sl.autograd.grad((h * h).sum(), [w])
        return g

    for code, x in ((penalty, sl.ones(4, 3)), (grown, sl.ones(3))):
        f = sl.function(code)
        assert sl.allclose(f(x), code(x))
        assert len(f.traces()) == 1
        assert "values decide" not in f.traces()[0].why


@pytest.mark.parametrize("before", [True, False])
def test_a_view_keeps_its_history_when_its_base_is_told_otherwise(before: bool) -> None:
    def program(wrap: Any) -> Any:
        w = sl.tensor([1.0, 2.0], requires_grad=before)

        @wrap
        def step(x: Any) -> Any:
            v = w.view_as(x)
            with sl.no_grad():
                w.mul_(2.0)
            w.requires_grad_(not before)
            return v, v * w

        v, product = step(sl.zeros(2))
        return (
            v.requires_grad,
            v.tolist(),
            product.requires_grad,
            product.tolist(),
            w.requires_grad,
            w.tolist(),
        )

    assert both(program)[0] is before


def test_a_tensor_that_the_function_makes_require_gradients_gets_one():
    def run(wrap):
        w = sl.tensor([2.0])
        v = sl.tensor([1.0]).requires_grad_()

        @wrap
        def step(x, flag):
            w.requires_grad_(flag)
            return (w * x).sum() + v.sum()

        told = []
        for flag, before in (True, False), (False, False), (True, False), (True, True):
            w.requires_grad_(before)
            step(sl.tensor([3.0]), flag).backward()
            told.append((w.grad.tolist(), w.requires_grad))
        return told

    assert run(sl.function) == run(lambda f: f)


def test_a_tensor_read_before_it_is_made_to_require_gradients():
    def run(wrap):
        w = sl.tensor([2.0])

        @wrap
        def step(x):
            y = w * x
            with sl.no_grad():
                w.mul_(2)
            w.requires_grad_()
            return (w * y * w + w).sum()

        r = step(sl.tensor([3.0]))
        (g,) = sl.autograd.grad(r, w, create_graph=True)
        g.sum().backward()
        return r.tolist(), g.tolist(), w.grad.tolist(), w.tolist()

    assert run(sl.function) == run(lambda f: f)


# state:313749, 314585
def test_a_look_into_what_is_a_parameter_on_another_way():
    def run(wrap):
        found = []
        w = sl.tensor([1.0, 2.0]).requires_grad_()

        @wrap
        def step(x):
            t = x * 1
            if x.sum() > 0:
                t = w
            return t, t[1]

        for value in (1.0, -1.0, 1.0):
            t, look = step(sl.tensor([value, value]))
            found.append((t.requires_grad, look.requires_grad, look.is_leaf))
        return found

    assert both(run) == [(True, True, False), (False, False, True), (True, True, False)]


# state:402369, 404462, 414296, 419892
@pytest.mark.parametrize("also", [False, True], ids=["alone", "beside the leaf"])
def test_an_element_of_a_leaf_that_the_code_has_made(also: bool) -> None:
    def program(wrap: Any) -> Any:
        w = nn.Parameter(sl.tensor([2.0, 3.0]))

        @wrap
        def step(x: Any) -> Any:
            t = w.detach().requires_grad_()
            early = x.detach()
            element = early[0]
            early.requires_grad_()
            return (t[1], element, early[1:]) + ((t,) if also else ())

        found = step(sl.tensor([1.0, 5.0]))
        (found[0] * found[2]).sum().backward()
        return [(r.tolist(), r.requires_grad, r.is_leaf) for r in found] + [
            found[3].grad.tolist() if also else None,
            w.grad,
        ]

    both(program)


# state:410360
def test_an_element_of_an_argument_that_one_way_gives_a_history() -> None:
    def program(wrap: Any) -> Any:
        w = nn.Parameter(sl.tensor(2.0))

        @wrap
        def step(x: Any) -> Any:
            if x[0] > 0:
                x[1] = w * 3
            return x[1]

        found = []
        for value in (1.0, -1.0, 1.0):
            x = sl.tensor([value, 5.0])
            y = step(x)
            found.append((y.item(), y.requires_grad, y.is_leaf, x.requires_grad))
        return found

    both(program)


# In a call without an iteration there is none, as imperatively.
@pytest.mark.parametrize("allow_unused", [False, True])
def test_autograd_grad_through_a_loop_that_does_not_go_round(
    allow_unused: bool,
) -> None:
    def program(wrap: Any) -> Any:
        w, u = (sl.tensor([v]).requires_grad_() for v in (2.0, 3.0))

        @wrap
        def step(x: Any) -> Any:
            h = w * 2
            k = 0
            while k < x:
                h = h * u
                k = k + 1
            g = sl.autograd.grad(h.sum(), [w, u], allow_unused=allow_unused)[1]
            return x * 0 - 1 if g is None else g

        found = []
        for count in (2.0, 0.0, 1.0):
            try:
                found.append(step(sl.tensor([count])).tolist())
            except ValueError:
                found.append("no gradient")
        return found

    both(program)


def written_on_one_way(x: Any, c: Any) -> Any:
    if x.sum() < 0:
        c += x.detach().requires_grad_()
    return c * 1


def made_on_one_way(x: Any, c: Any) -> Any:
    y = x * 1
    if x.sum() < 0:
        y = x.detach().requires_grad_() * 2
        (y * 3).sum().backward()
        y = x.detach().requires_grad_() * 2
    return y


def made_by_iterations(x: Any, c: Any) -> Any:
    y = x * 1
    k = 0
    while k < 2 - x.sum():
        y = y + x.detach().requires_grad_() * 2
        k = k + 1
    return y


# state:509971: nothing around the branch requires gradients.
@pytest.mark.parametrize(
    "f", [written_on_one_way, made_on_one_way, made_by_iterations],
    ids=lambda f: f.__name__,
)
def test_what_is_made_of_a_leaf_of_a_branch_or_loop(f: Any) -> None:
    def program(wrap: Any) -> Any:
        g, found = wrap(f), []
        for value in (1.0, -1.0, 5.0, -1.0):
            c = sl.tensor([2.0])
            y = g(sl.tensor([value]), c)
            if y.requires_grad:
                y.backward()
            found.append((y.tolist(), y.requires_grad, y.is_leaf, c.requires_grad))
        return found

    both(program)
