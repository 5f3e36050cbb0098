"""Flags of what a captured function hands out, where only a run knows them.

Imperatively a tensor after an `if` is that of the way taken: it may require
gradients or not, and may be a tensor the caller has. So it is when captured.
"""

import pytest

import sluice as sl


def leaf(value):
    return sl.tensor([value], requires_grad=True)


def plain(f):
    return f


def one_way_flows(x, w):
    if x > 0:
        y = w * 2
    else:
        y = x * 2
    return y


def argument_or_leaf(x, w):
    if x > 0:
        y = w
    else:
        y = x
    return y


def early_return(x, w):
    if x > 0:
        return x
    return w


def nested(x, w):
    y = x
    if x > 0:
        if x > 1:
            y = w
        else:
            y = w * x
    return y


def then_used(x, w):
    y = x * 2
    if x > 0:
        y = w * y
    return y * 3, y.sum() + x


def definitely(x, w):
    y = x
    if x > 0:
        y = w * 2
    return y * w


def looped(x, w):
    y = x
    n = sl.tensor([0.0])
    while n < x:
        y = y * w
        n = n + 1
    return y


def looped_over_a_leaf(x, w):
    y = w
    n = sl.tensor([0.0])
    while n < x:
        y = y * 2
        n = n + 1
    return y


def stopped_in_a_loop(x, w):
    y = w * 1
    n = sl.tensor([0.0])
    while n < x:
        y = y.detach() * 2
        n = n + 1
    return y


def branch_in_a_loop(x, w):
    y = x * 1
    n = sl.tensor([0.0])
    while n < 3:
        if n < x:
            y = y * w
        n = n + 1
    return y


def written(x, w):
    y = x * 1
    if x > 0:
        y *= w
    return y


def written_in_a_loop(x, w):
    y = x * 1
    n = sl.tensor([0.0])
    while n < x:
        y *= w
        n = n + 1
    return y


PROGRAMS = (
    one_way_flows, argument_or_leaf, early_return, nested, then_used, definitely,
    looped, looped_over_a_leaf, stopped_in_a_loop, branch_in_a_loop, written,
    written_in_a_loop,
)  # fmt: skip


def seen(wrap, program):
    f = wrap(program)
    found = []
    for value in (-1.0, 0.5, 2.0, -1.0):
        x, w = sl.tensor([value]), leaf(3.0)
        results = f(x, w)
        results = results if isinstance(results, tuple) else (results,)
        for r in results:
            found.append((r.item(), r.requires_grad, r.is_leaf))
            found.append((r is x, r is w))
            if r.requires_grad:
                w.grad = None
                r.sum().backward(retain_graph=True)
                found.append(None if w.grad is None else w.grad.item())
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_flags_are_those_of_the_way_taken(program):
    assert seen(sl.function, program) == seen(plain, program)


def test_asking_while_recording_is_decided_by_values():
    def f(x, w):
        y = x
        if x > 0:
            y = w * 2
        return y * (2 if y.requires_grad else 3)

    captured = sl.function(f)
    for value in (1.0, -1.0, 2.0):
        x, w = sl.tensor([value]), leaf(2.0)
        assert captured(x, w).tolist() == f(x, w).tolist()
    with pytest.raises(NotImplementedError, match="depends on the branch taken"):
        sl.function(f, one_graph=True)(sl.tensor([1.0]), leaf(2.0))


def test_backward_raises_where_the_way_taken_has_no_gradients():
    def step(x, w):
        y = x
        if x > 0:
            y = w * 2
        y.sum().backward()

    for f in (step, sl.function(step)):
        w = leaf(2.0)
        f(sl.tensor([1.0]), w)
        assert w.grad.item() == 2.0
        with pytest.raises((RuntimeError, ValueError), match="requires gradients"):
            f(sl.tensor([-1.0]), leaf(2.0))


def test_backward_after_a_loop_that_adds_up():
    @sl.function
    def step(xs, w):
        total = sl.zeros(1)
        for x in xs:
            total = total + x * w
        total.sum().backward()

    w = leaf(2.0)
    step(sl.ones(4, 1), w)
    assert w.grad.item() == 4.0


def test_attributes_get_the_flags_of_the_way_taken():
    class Cell:
        def __init__(self):
            self.h = sl.tensor([1.0])

    def run(wrap):
        cell, w = Cell(), leaf(2.0)

        @wrap
        def step(x):
            if x > 0:
                cell.h = w * x
            else:
                cell.h = x

        flags = []
        for value in (1.0, -1.0, 1.0):
            step(sl.tensor([value]))
            flags.append((cell.h.item(), cell.h.requires_grad, cell.h.is_leaf))
        return flags

    assert run(sl.function) == run(plain)


def test_results_nothing_flows_into_give_no_gradients():
    """Zeros flowed into them, and gradients of zeros out."""
    v, w = leaf(2.0), leaf(3.0)
    a, b = sl.function(lambda x: (x * v, x * w))(sl.tensor([1.0]))
    a.backward()
    assert v.grad.item() == 1.0
    assert w.grad is None
    assert b.requires_grad
