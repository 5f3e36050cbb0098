"""Recorded writes to tensors that detach() gave, as PyTorch has them."""

import pytest

import sluice as sl


def leaf(*values):
    return sl.tensor(list(values)).requires_grad_()


def test_a_recorded_write_makes_a_detached_tensor_part_of_the_history():
    w = leaf(2.0, 3.0)
    t = w * 1
    d = t.detach()
    d.mul_(w)
    assert d.requires_grad and not d.is_leaf
    assert d.tolist() == [4.0, 9.0] and t.tolist() == [4.0, 9.0]
    d.sum().backward()
    # d is a constant times w: 2 and 3, not 2 w.
    assert w.grad.tolist() == [2.0, 3.0]


def test_what_it_was_detached_from_keeps_its_own_history():
    w = leaf(2.0, 3.0)
    t = w * 5
    d = t.detach()
    d.copy_(w * 7)
    assert t.tolist() == [14.0, 21.0]
    t.sum().backward()
    assert w.grad.tolist() == [5.0, 5.0]


def test_a_write_through_a_view_of_a_detached_tensor():
    w = leaf(2.0, 3.0)
    h = (w - w).detach()
    h[-1] += w[1]
    assert h.requires_grad and h.tolist() == [0.0, 3.0]
    other = h[0]
    (h * h).sum().backward(retain_graph=True)
    assert w.grad.tolist() == [0.0, 6.0]
    w.grad = None
    other.backward()
    assert w.grad.tolist() == [0.0, 0.0]


def test_a_view_made_before_sees_the_history_of_a_detached_tensor():
    w = leaf(2.0, 3.0)
    h = sl.zeros(2).detach()
    first, second = h[0:1], h[1:2]
    first.copy_(w[1:2])
    second.mul_(w[0:1])
    h.sum().backward()
    assert w.grad.tolist() == [0.0, 1.0]
    assert first.requires_grad and second.requires_grad


def test_other_detached_tensors_see_the_values_alone():
    w = leaf(2.0)
    t = sl.zeros(1)
    a, b = t.detach(), t.detach()
    a.add_(w)
    assert b.tolist() == [2.0] and t.tolist() == [2.0]
    assert a.requires_grad and not b.requires_grad and not t.requires_grad


def test_a_leaf_under_a_detached_tensor_is_written_by_value():
    w, v = leaf(2.0), leaf(3.0)
    d = w.detach()
    d.mul_(v)
    assert w.tolist() == [6.0] and w.is_leaf
    (w * d).sum().backward()
    assert w.grad.tolist() == [6.0] and v.grad.tolist() == [12.0]


def test_a_detached_tensor_that_is_a_leaf_is_not_written():
    w = leaf(2.0)
    d = (w * 1).detach().requires_grad_()
    with pytest.raises(RuntimeError, match="leaf"):
        d.mul_(w)
    with pytest.raises(RuntimeError, match="view of a leaf"):
        d[0] = w[0]


def test_a_write_to_a_detached_tensor_counts_for_what_was_kept():
    w = leaf(2.0)
    t = w * 1
    y = t * t
    t.detach().mul_(w)
    with pytest.raises(RuntimeError, match="overwritten"):
        y.sum().backward()


def test_a_captured_function_writes_a_detached_tensor_from_outside():
    def run(wrap):
        w = leaf(2.0, 3.0)
        t = w * 5
        h = t.detach()

        @wrap
        def step(h):
            h[-1] += w[1]
            return (h * h).sum()

        step(h).backward()
        t.sum().backward()
        return h.tolist(), t.tolist(), h.requires_grad, w.grad.tolist()

    assert run(lambda f: f) == run(sl.function)


class Same(sl.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return t

    @staticmethod
    def backward(ctx, g):
        return g * 3


class Doubled(Same):
    @staticmethod
    def forward(ctx, t):
        return t * 2


def test_what_a_function_of_the_users_makes_is_written_in_place():
    def run(wrap):
        w = leaf(2.0, 3.0)

        @wrap
        def step():
            y = Doubled.apply(w)
            y[0] = 1.0
            y *= w
            return y

        y = step()
        y.sum().backward()
        return y.tolist(), w.grad.tolist()

    assert run(lambda f: f) == ([2.0, 18.0], [1.0, 15.0])
    assert run(sl.function) == run(lambda f: f)


def test_an_input_that_a_function_of_the_users_hands_on_is_not():
    w = leaf(2.0)

    def step():
        y = Same.apply(w)
        y[0] = 1.0

    with pytest.raises(RuntimeError, match="is a view"):
        step()
    with pytest.raises((RuntimeError, NotImplementedError)):
        sl.function(step)()
    assert w.tolist() == [2.0]
