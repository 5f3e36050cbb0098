"""A gradient by some values meets the hooks on its paths, and no others.

As in PyTorch: what a closure reads beside the argument takes no part in
`sl.grad`, `hvp` or `autograd.grad(y, x)`, and its hooks are not called. They were,
and at other moments where the code was captured.
"""

import pytest

import sluice as sl

X = [0.25, -0.5, 0.75]


def by_autograd(f, x):
    z = x.detach().requires_grad_()
    return sl.autograd.grad(f(z), z)[0]


def by_backward(f, x):
    z = x.detach().requires_grad_()
    f(z).backward(inputs=[z])
    return z.grad


WAYS = {
    "grad": lambda f, x: sl.grad(f)(x),
    "vjp": lambda f, x: sl.vjp(f, x)[1](sl.tensor(1.0))[0],
    "hvp": lambda f, x: sl.hvp(f, x, x * 2),
    "jacrev": lambda f, x: sl.jacrev(f)(x),
    "hessian": lambda f, x: sl.hessian(f)(x).sum(0),
    "autograd.grad": by_autograd,
    "backward(inputs=)": by_backward,
}
MADE = {
    "a leaf": lambda w: w,
    "in between": lambda w: (w + 0.75) * 1.5,
}


@pytest.mark.parametrize("branch", [False, True])
@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("way", WAYS)
def test_hooks_of_other_values_are_not_called(way, made, captured, branch):
    seen = []

    def step(x, w):
        b = MADE[made](w)
        if b is not w:
            b.register_hook(lambda g: seen.append(float(g.sum())))
        found = x
        if not branch or x.sum() > -5:
            found = WAYS[way](lambda u: (sl.sin(u) * b).sum(), x)
        return found

    def plain(x, w):
        return WAYS[way](lambda u: (sl.sin(u) * MADE[made](w)).sum(), x)

    x, w = sl.tensor(X), sl.tensor([1.0, 2.0, 3.0]).requires_grad_()
    w.register_hook(lambda g: seen.append(float(g.sum())))
    found = (sl.function(step) if captured else step)(x, w)
    assert not seen
    assert found.tolist() == pytest.approx(plain(x, w).tolist())
    assert w.grad is None


def test_a_hook_on_what_is_asked_for_is_called():
    w = sl.tensor([1.0, 2.0]).requires_grad_()
    y = w * 2
    y.register_hook(lambda g: g * 10)
    w.register_hook(lambda g: g * 100)
    z = (y * y).sum()
    assert sl.autograd.grad(z, y, retain_graph=True)[0].tolist() == [40.0, 80.0]
    assert sl.autograd.grad(z, w)[0].tolist() == [8000.0, 16000.0]


def test_retained_gradients_are_those_of_runs_that_reach_them():
    w, x = (sl.tensor(v).requires_grad_() for v in (2.0, 3.0))
    y = w * 2
    y.retain_grad()
    sl.autograd.grad(y * x, x, retain_graph=True)
    assert y.grad is None
    (y * x).backward()
    assert y.grad.item() == 3.0
