"""p.data = t inside captured functions: other memory, of the function's own making."""

from __future__ import annotations

import pytest
from both_ways import both

import sluice as sl


def test_a_target_that_follows_slowly():
    def program(wrap):
        a = sl.tensor([1.0, 2.0], requires_grad=True)
        b = sl.tensor([0.0, 0.0], requires_grad=True)

        @wrap
        def step(tau):
            b.data = b.data * (1 - tau) + a.data * tau
            return (b * a).sum()

        found = []
        for _ in range(3):
            r = step(sl.tensor(0.5))
            r.backward()
            found.append((r.item(), b.tolist(), a.grad.tolist(), b.grad.tolist()))
            found.append((b.requires_grad, b.is_leaf))
        return found

    both(program)


def test_a_step_of_an_optimizer_by_hand():
    def program(wrap):
        w = sl.tensor([1.0, 2.0], requires_grad=True)

        @wrap
        def step(x):
            loss = ((w * x) ** 2).sum()
            loss.backward()
            w.data = w.data - 0.125 * w.grad
            w.grad = None
            return loss

        x = sl.tensor([1.0, 0.5])
        return [(step(x).item(), w.tolist()) for _ in range(3)]

    both(program)


def test_views_from_outside_stay_with_the_old_memory():
    def program(wrap):
        a = sl.tensor([1.0, 2.0])
        view = a[0:1]

        @wrap
        def step():
            a.data = a.data * 2

        step()
        step()
        view += 5
        return a.tolist(), view.tolist()

    both(program)


def test_calls_recorded_before_keep_the_old_elements():
    def program(wrap):
        a = sl.tensor([1.0, 2.0], requires_grad=True)
        loss = (a * a).sum()

        @wrap
        def step():
            a.data = a.data * 3

        step()
        loss.backward()
        return a.tolist(), a.grad.tolist()

    both(program)


def written_together(a, b):
    t = a * 2
    a.data = t
    t += 1
    return a * 1


def written_before(a, b):
    view = a[0:1]
    a.data = a * 2
    view += 1
    return view * 1


def of_another(a, b):
    a.data = b


def of_another_size(a, b):
    a.data = sl.ones(3)


def on_one_way(a, b):
    if b.sum() > 0:
        a.data = a * 2


def on_no_way(a, b):
    while b.sum() < 0:
        b = b + 1
        a.data = a * 2


@pytest.mark.parametrize(
    "code", [written_together, written_before, of_another, of_another_size]
)
def test_what_cannot_be_known_is_refused(code):
    a, b = sl.tensor([1.0, 2.0]), sl.tensor([3.0, 4.0])
    with pytest.raises(NotImplementedError):
        sl.function(code)(a, b)
    assert a.tolist() == [1.0, 2.0]


# Values decide there.
@pytest.mark.parametrize("code", [on_one_way, on_no_way])
def test_in_branches_and_loops(code):
    def program(wrap):
        a, g = sl.tensor([1.0, 2.0]), wrap(code)
        for b in (3.0, -3.5, 0.5):
            g(a, sl.tensor([b]))
        return a.tolist()

    both(program)
