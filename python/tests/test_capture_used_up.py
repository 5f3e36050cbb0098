"""backward() uses up what it goes through, in captured functions, too."""

from __future__ import annotations

import pytest
from both_ways import plain

import sluice as sl


WAYS = pytest.mark.parametrize("wrap", [plain, sl.function])


def leaf():
    return sl.tensor([-0.75], requires_grad=True)


# state:3389 and others: the gradient was computed again from what was fed.
@WAYS
def test_a_gradient_of_a_gradient_uses_up_the_call(wrap):
    w = leaf()
    r = wrap(lambda: (w + 1.0) ** 2)()
    (g,) = sl.autograd.grad(r, w, create_graph=True)
    g.backward()
    with pytest.raises(RuntimeError, match="went through here before"):
        sl.autograd.grad(r, w)


@WAYS
def test_a_gradient_of_a_gradient_that_does_not_go_there(wrap):
    w = leaf()
    r = wrap(lambda: w**2)()
    (g,) = sl.autograd.grad(r, w, create_graph=True)
    g.backward()
    assert sl.autograd.grad(r, w)[0].tolist() == [-1.5]


# state:5614: it was said to be unused.
@WAYS
def test_what_a_backward_inside_has_used_up(wrap):
    w = leaf()

    def step(x):
        loss = x + w
        loss.backward()
        return loss

    r = wrap(step)(sl.tensor([1.0]))
    with pytest.raises(RuntimeError, match="went through here before"):
        sl.autograd.grad(r, w, allow_unused=True)


# state:5096.
@WAYS
def test_a_tensor_written_by_a_call_that_used_it_up(wrap):
    w = leaf()

    def step(x):
        x[:2] += w
        sl.autograd.grad(x, w)

    g, x = wrap(step), sl.tensor([0.5])
    g(x)
    with pytest.raises(RuntimeError, match="went through here before"):
        g(x)


# state:8718, 20258, 21313, 14050.
@WAYS
def test_what_is_handed_on_without_gradients_keeps_its_own(wrap):
    def branch(x):
        with sl.no_grad():
            if x < 0:
                x = x * 2
        return x * x

    def loop(x):
        with sl.no_grad():
            while x < 0:
                x = x + 1
        return x * x

    for f, twice in ((branch, 1.0), (loop, 0.25)):
        g = wrap(f)
        for v, wanted in ((-0.5, twice), (0.5, 0.25), (-0.5, twice)):
            x = sl.tensor([v], requires_grad=True)
            r = g(x)
            assert r.tolist() == [wanted] and r.requires_grad == (v > 0)
            if v > 0:
                r.sum().backward()
                assert x.grad.tolist() == [2 * v]


@WAYS
def test_all_of_a_tensor_is_another_tensor(wrap):
    x = sl.tensor([-0.25], requires_grad=True)
    with sl.no_grad():
        assert not wrap(lambda x: x[:])(x).requires_grad
    y = wrap(lambda x: x[...])(x)
    assert y.requires_grad and not y.is_leaf


# state:305797: a call made the look anew, as if nothing had gone through it.
@WAYS
def test_a_look_that_is_handed_out_is_used_up(wrap):
    q = sl.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)

    @wrap
    def step():
        row = q[1]
        return row, row.sum(), q[0].sum()

    row, _, other = step()
    other.backward()
    row.sum().backward(retain_graph=True)
    row, y, _ = step()
    y.backward(retain_graph=True)
    row.sum().backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="went through here before"):
        row.sum().backward()


def test_a_result_has_the_gradient_that_retain_grad_kept():
    w = sl.tensor([0.5], requires_grad=True)

    def step(x):
        y = x * w
        y.retain_grad()
        (y * 3).sum().backward()
        return y

    captured = sl.function(step)
    for x in ([2.0], [4.0]):
        w.grad = None
        wanted = step(sl.tensor(x)).grad
        w.grad = None
        made = captured(sl.tensor(x))
        assert made.retains_grad
        assert made.grad.tolist() == wanted.tolist() == [3.0]
        assert w.grad.tolist() == [3 * x[0]]


# state:503933 and others: all results of a call were used up with one of them.
@WAYS
def test_results_that_were_made_apart(wrap):
    w, u = leaf(), leaf()

    @wrap
    def step(x):
        a = w * x
        return a.sum(), (u * x).sum(), (a * u).sum(), (u * u).sum()

    first, second, third, fourth = step(sl.tensor([2.0]))
    first.backward()
    second.backward()
    assert w.grad.tolist() == u.grad.tolist() == [2.0]
    for used in (first, second, third):
        with pytest.raises(RuntimeError, match="went through here before"):
            used.backward()
    (g,) = sl.autograd.grad(fourth, u, create_graph=True)
    g.backward()
    assert u.grad.tolist() == [4.0]


@WAYS
def test_a_state_that_a_call_leaves_beside_its_loss(wrap):
    w, q = leaf(), leaf()
    held = [sl.tensor([0.5])]

    @wrap
    def step(x):
        before = held[0]
        held[0] = w * x
        return (q * x + before).sum()

    for _ in range(3):
        step(sl.tensor([2.0])).backward()
    assert q.grad.tolist() == [6.0] and w.grad.tolist() == [4.0]


# state:2004583: a loop is recorded once, and its second iteration failed.
@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 3])
@WAYS
def test_a_loop_that_goes_back_through_a_call_before_it(wrap, rows, used):
    w = leaf()

    @wrap
    def step(x):
        out = (w * w).sum()
        total = x.sum()
        for _row in x:
            (g,) = sl.autograd.grad(out, w)
            if used:
                total = total + g.sum()
        return total

    x = sl.ones(rows, 2)
    if rows == 1:
        assert step(x).item() == 2.0 + used * 2 * w.item()
    else:
        with pytest.raises(RuntimeError, match="went through here before"):
            step(x)


@WAYS
def test_a_loop_that_keeps_what_it_goes_back_through(wrap):
    w = leaf()

    @wrap
    def step(x):
        out = (w * w).sum()
        total = x.sum()
        for _row in x:
            (g,) = sl.autograd.grad(out, w, retain_graph=True)
            total = total + g.sum()
        return total

    assert step(sl.ones(3, 2)).item() == 6.0 + 3 * 2 * w.item()


# The first of the two used the second up before gradients had flowed there.
@WAYS
def test_views_of_an_argument_beside_what_is_made_of_them(wrap):
    def parts(a):
        u, v = a[:1], a[1:2]
        return u - v, u, v, a

    a = sl.ones(4, requires_grad=True)
    results = wrap(parts)(a)
    sum((r * r).sum() for r in results).backward()
    assert a.grad.tolist() == [4.0, 4.0, 2.0, 2.0]
    with pytest.raises(RuntimeError, match="went through here before"):
        results[1].sum().backward()
