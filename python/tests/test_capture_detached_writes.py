"""Recorded writes to what detach() gave, inside one captured call: as imperatively."""

import pytest
from both_ways import both

import sluice as sl


def leaf(*values):
    return sl.tensor(list(values)).requires_grad_()


def seen(*tensors):
    return [(t.tolist(), t.requires_grad, t.is_leaf) for t in tensors]


def test_a_recorded_write_gives_a_detached_tensor_a_history():
    def run(wrap):
        w = leaf(2.0, 3.0)

        @wrap
        def step():
            t = w * 5
            d = t.detach()
            d.mul_(w)
            return t, d

        t, d = step()
        found = seen(t, d)
        (t.sum() + 10 * d.sum()).backward()
        return found, w.grad.tolist()

    # t is 5 w still, to gradients; d is a constant, 5 w, times w.
    assert both(run)[1] == [105.0, 155.0]


def test_gradients_taken_inside():
    def run(wrap):
        w = leaf(2.0, 3.0)

        @wrap
        def step():
            t = w * 5
            d = t.detach()
            d.mul_(w)
            (t * d).sum().backward()

        step()
        return w.grad.tolist()

    both(run)


def test_writes_through_views_of_it():
    def run(wrap):
        w = leaf(2.0, 3.0)

        @wrap
        def step():
            t = w * 1
            h = t.detach()
            first, second = h[0:1], h[1:2]
            first.copy_(w[1:2])
            second.mul_(w[0:1])
            other = h[1]
            return t, h, first, second, other

        results = step()
        found = seen(*results)
        for k, r in enumerate(results):
            (r * (k + 1)).sum().backward(retain_graph=True)
        return found, w.grad.tolist()

    both(run)


@pytest.mark.parametrize("last", ["t", "d"])
def test_later_writes_to_either(last):
    def run(wrap):
        w = leaf(2.0, 3.0)

        @wrap
        def step():
            t = w * 1
            d = t.detach()
            d.mul_(w)
            target = t if last == "t" else d
            target.add_(w)
            with sl.no_grad():
                d.mul_(2)
                t[0:1].add_(1)
            return t, d

        t, d = step()
        found = seen(t, d)
        (t.sum() + 10 * d.sum()).backward()
        return found, w.grad.tolist()

    both(run)


def test_what_was_kept_of_it_is_overwritten():
    def run(wrap):
        w = leaf(2.0)

        @wrap
        def step():
            t = w * 1
            y = t * t
            t.detach().mul_(w)
            return y.sum()

        with pytest.raises(RuntimeError, match="overwritten"):
            step().backward()

    both(run)


def test_what_is_handed_out_shares_elements_and_counts_writes():
    def run(wrap):
        w = leaf(2.0)

        @wrap
        def step():
            t = w * 1
            d = t.detach()
            d.mul_(w)
            return t, d, d * d

        t, d, y = step()
        with sl.no_grad():
            d.add_(1)
        found = seen(t, d)
        with pytest.raises(RuntimeError, match="overwritten"):
            y.sum().backward()
        return found

    both(run)


def test_views_handed_out_are_views_of_what_is_handed_out():
    def run(wrap):
        w = leaf(2.0, 3.0)

        @wrap
        def step():
            t = w * 1
            d = t.detach()
            d.mul_(w)
            return t, d, d[0:1]

        t, d, part = step()
        part.mul_(w[0:1])
        found = seen(t, d, part)
        d.sum().backward()
        return found, w.grad.tolist()

    both(run)


def test_an_argument_that_is_written_through_what_is_detached_from_it():
    def run(wrap):
        w = leaf(2.0, 3.0)
        x = sl.tensor([1.0, 1.0])

        @wrap
        def step(x):
            d = x.detach()
            d.mul_(w)
            return d

        d = step(x)
        found = seen(x, d)
        d.sum().backward()
        return found, x.tolist(), w.grad.tolist()

    both(run)


def test_a_detached_tensor_from_outside_that_is_a_look_into_another():
    def run(wrap):
        w = leaf(2.0, 3.0)
        t = w * 5
        h = t.detach()
        part = h[1:2]

        @wrap
        def step():
            h.mul_(w)
            return (t * h).sum()

        y = step()
        found = seen(t, h, part)
        (y + part.sum()).backward()
        return found, w.grad.tolist()

    both(run)


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_a_write_in_a_branch(value):
    def run(wrap):
        w = leaf(2.0, 3.0)

        @wrap
        def step(x):
            t = w * 5
            d = t.detach()
            if x > 0:
                d.mul_(w)
            else:
                t.add_(1)
            return t, d

        t, d = step(sl.tensor(value))
        found = seen(t, d)
        (t.sum() + 10 * (d * w).sum()).backward()
        return found, w.grad.tolist()

    both(run)


@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_write_in_a_loop(times):
    def run(wrap):
        w = leaf(2.0, 3.0)

        @wrap
        def step(n):
            t = w * 5
            d = t.detach()
            i = 0
            while i < n:
                d.mul_(w)
                t.add_(w)
                i = i + 1
            return t, d

        t, d = step(sl.tensor(times))
        found = seen(t, d)
        (t.sum() + 10 * (d * w).sum()).backward()
        return found, w.grad.tolist()

    both(run)


def test_a_detached_leaf_is_not_written():
    def run(wrap):
        w = leaf(2.0)

        @wrap
        def step():
            d = (w * 1).detach().requires_grad_()
            d.mul_(w)

        with pytest.raises(RuntimeError, match="leaf"):
            step()

        @wrap
        def through():
            d = (w * 1).detach().requires_grad_()
            d[0] = w[0]

        with pytest.raises(RuntimeError, match="view of a leaf"):
            through()

    both(run)


def test_second_gradients():
    def run(wrap):
        w = leaf(2.0, 3.0)

        @wrap
        def step():
            d = (w * w).detach()
            d.mul_(w)
            d.mul_(w)
            return (d * w).sum()

        (g,) = sl.autograd.grad(step(), [w], create_graph=True)
        (h,) = sl.autograd.grad(g.sum(), [w])
        return g.tolist(), h.tolist()

    both(run)


# state:321401: at once it is as any other look; a graph does not know which
# elements are one.
def test_an_expanded_tensor_from_outside_is_not_written():
    def run(wrap):
        w = leaf(2.0, 3.0)
        held = [sl.zeros(3).expand(2, 3)]

        @wrap
        def step():
            held[0][0, 0] = w[1]

        step()
        held[0].sum().backward()
        return held[0].tolist(), w.grad.tolist()

    assert run(lambda f: f) == ([[3.0, 0.0, 0.0]] * 2, [0.0, 2.0])
    with pytest.raises(RuntimeError, match="several times"):
        run(sl.function)


def _written_view(look):
    def f(x, a):
        with sl.no_grad():
            v = look(a)
        v.add_(x[:1].sum())
        return v

    return f


@pytest.mark.parametrize(
    "look", [lambda a: a[0], lambda a: a[0:1], lambda a: a.view(-1), lambda a: a.T]
)
@pytest.mark.parametrize("made", [lambda x, a: a, lambda x, a: x * 1])
def test_a_view_made_under_no_grad_gets_no_history(look, made):
    f = _written_view(look)
    for way in (f, sl.function(f)):
        x = sl.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        a = sl.ones(2, 2)
        with pytest.raises(RuntimeError, match="is a view; writing it in place"):
            way(x, made(x, a))
        way(x.detach(), a)  # without gradients it is written
        assert a.sum().item() > 4
