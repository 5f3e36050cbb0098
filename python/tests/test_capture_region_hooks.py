"""Hooks registered in branches, loops and lanes of a captured function."""

import functools

import pytest

import sluice as sl


def both(f, *values):
    """The result of the code as it is, and captured."""
    one_graph = functools.partial(sl.function, one_graph=True)
    made = [wrap(f)(*map(sl.tensor, values)) for wrap in (lambda g: g, one_graph)]
    assert made[0].tolist() == made[1].tolist()
    return made[0].tolist()


def hooked(x):
    y = x * x
    y.register_hook(lambda g: g * 10)
    return y * 3


def test_a_hook_in_a_function_that_is_differentiated_under_vmap():
    wanted = both(sl.vmap(sl.grad(hooked)), [1.0, 2.0])
    assert wanted == [60.0, 120.0]


def test_a_hook_met_by_a_gradient_in_the_same_branch():
    def f(x):
        if x > 0:
            z = x.detach().requires_grad_()
            (g,) = sl.autograd.grad(hooked(z), z)
            x = x + g
        return x

    assert both(f, 2.0) == 122.0
    assert both(f, -2.0) == -2.0


def test_a_hook_met_by_a_gradient_in_the_same_iteration():
    def f(x):
        while x < 50:
            x = x + sl.grad(hooked)(x)
        return x

    assert both(f, 1.0) == 61.0


def test_a_hook_that_leaves_its_branch_unmet_is_refused():
    w = sl.tensor(2.0).requires_grad_()

    def f(x):
        y = x * w
        if x > 0:
            y = y * 2
            y.register_hook(lambda g: g * 10)
            y = y + 1
        return y

    with pytest.raises(NotImplementedError, match="register_hook.*made at"):
        sl.function(f, one_graph=True)(sl.tensor(1.0))
    y = sl.function(f)(sl.tensor(1.0))
    y.backward()
    assert w.grad.tolist() == 20.0


def test_a_hook_on_a_value_from_around_the_branch_is_refused():
    w = sl.tensor(2.0).requires_grad_()

    def f(x):
        y = x * w
        if x > 0:
            y.register_hook(lambda g: g * 10)
        return y

    with pytest.raises(NotImplementedError, match="register_hook.*made outside"):
        sl.function(f, one_graph=True)(sl.tensor(1.0))


def test_a_branch_that_records_under_no_grad_gives_what_it_writes_a_history():
    def run(wrap):
        x = sl.tensor([0.3, 0.2]).requires_grad_()
        m = sl.zeros((1, 2))

        @wrap
        @sl.no_grad()
        def step(m):
            if not (x > 0.6).any():
                with sl.enable_grad():
                    m[0] = x * 2

        step(m)
        m.sum().backward()
        return m.tolist(), m.requires_grad, x.grad.tolist()

    assert run(sl.function) == run(lambda f: f)
