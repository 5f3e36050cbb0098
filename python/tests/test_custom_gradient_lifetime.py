"""Gradients that a program brings along go with the graphs that use them: each call of
a custom_vjp in a graph stayed as long as the process."""

import gc
import weakref

import pytest

import sluice as sl


class Kept:
    """Something a gradient's code refers to."""


def vjp_of(kept):
    @sl.custom_vjp
    def f(x):
        return x * 3

    def forward(x):
        assert isinstance(kept, Kept)
        return x * 3, x

    f.defvjp(forward, lambda x, g: (g * 3,))
    return f


def function_of(kept):
    class F(sl.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.kept = kept
            y = x * 3
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * (y / x)

    return F.apply


def hook_of(kept):
    def f(x):
        y = x * 1
        y.register_hook(lambda g: g * 3 if kept else g)
        return y

    return f


MAKES = [vjp_of, function_of]


@pytest.mark.parametrize("make", [*MAKES, hook_of])
def test_a_captured_function_takes_its_gradients_along(make):
    def run():
        kept = Kept()
        f = make(kept)
        step = sl.function(lambda x: f(x).sum())
        for _ in range(3):
            x = sl.tensor([1.0, 2.0], requires_grad=True)
            step(x).backward()
            assert x.grad.tolist() == [3, 3]
        return weakref.ref(kept)

    gone = [run() for _ in range(4)]
    gc.collect()
    assert [r() for r in gone] == [None] * 4


@pytest.mark.parametrize("make", MAKES)
def test_a_graph_takes_its_gradients_along(make):
    def run():
        kept = Kept()
        f = make(kept)
        with sl.Graph() as g:
            x = sl.placeholder(sl.float32, [2])
            y = f(x)
            (dx,) = sl.gradients([y.sum()], [x])
            (again,) = sl.gradients([(f(x) * x).sum()], [x])
        with sl.Session(g) as session:
            assert session.run(dx, {x: [1.0, 2.0]}).tolist() == [3, 3]
            assert session.run(again, {x: [1.0, 2.0]}).tolist() == [6, 12]
        return weakref.ref(kept), weakref.ref(g)

    gone = [r for _ in range(4) for r in run()]
    gc.collect()
    assert [r() for r in gone] == [None] * 8
