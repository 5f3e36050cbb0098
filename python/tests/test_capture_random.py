"""Captured functions draw what their code draws when it runs at once."""

import pytest

import sluice as sl
from sluice import nn

drop = nn.Dropout(0.5)


def numbers(x):
    return sl.randn(3) + sl.rand(3)


def dropped(x):
    return drop(x) + drop(x)


def in_a_branch(x):
    if x.sum() > 3:
        y = x * sl.rand(6)
    else:
        y = x + sl.rand(6) + sl.rand(6)
    return y + sl.rand(6)


def in_one_branch_only(x):
    y = x
    if x.sum() < 3:
        y = sl.rand(6)
    return y + sl.rand(6)


def in_a_loop(x):
    n = sl.tensor(0)
    while n < 3:
        x = x + sl.randn(6)
        n = n + 1
    return x


def in_a_condition(x):
    n = sl.tensor(0)
    while sl.rand(()) < 0.8:
        n = n + 1
    return n


def in_a_counted_loop(x):
    for _ in range(x.shape[0]):
        x = x + sl.randn(6)
    return x


def nested(x):
    n = sl.tensor(0)
    while n < 3:
        if n > 1:
            x = x * sl.rand(6)
        n = n + 1
    return x + sl.rand(6)


def seeded_inside(x):
    sl.manual_seed(7)
    return sl.rand(2)


def permuted(x):
    return sl.randperm(5)


def in_place(x):
    y = sl.zeros(4)
    y.uniform_()
    return y


def recomputed(x):
    return sl.checkpoint(lambda t: drop(t) * t)(x)


PROGRAMS = (
    numbers, dropped, in_a_branch, in_one_branch_only, in_a_loop, in_a_condition,
    in_a_counted_loop, nested, seeded_inside, permuted, in_place, recomputed,
)  # fmt: skip


def plain(f):
    return f


def drawn(wrap, program, x):
    """What three calls give, and imperative draws before, between and after."""
    sl.manual_seed(3)
    f = wrap(program)
    results = [sl.rand(2)]
    for _ in range(3):
        results += [f(x), sl.rand(2)]
    return [r.numpy().tolist() for r in results], sl.random.get_rng_state()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_captured_draws_are_those_of_imperative_code(program):
    x = sl.ones(6)
    assert drawn(sl.function, program, x) == drawn(plain, program, x)


def looped_loss(x):
    y = x
    n = sl.tensor(0)
    while n < 3:
        y = drop(y) * x
        n = n + 1
    return y.sum()


def recomputed_loss(x):
    return sl.checkpoint(lambda t: drop(t) * t)(x).sum()


@pytest.mark.parametrize("loss", [looped_loss, recomputed_loss])
def test_gradients_see_the_numbers_that_were_drawn(loss):
    def inside(x):
        loss(x).backward()

    def outside(wrap):
        f = wrap(loss)
        return lambda x: f(x).backward()

    found = []
    for run in (outside(plain), outside(sl.function), sl.function(inside)):
        sl.manual_seed(1)
        x = sl.ones(24, requires_grad=True)
        run(x)
        found.append(x.grad.numpy().tolist())
    assert found[0] == found[1] == found[2]
    assert any(found[0]) and not all(found[0])


def test_where_numbers_are_cannot_be_asked_while_recording():
    @sl.function
    def f(x):
        return x * len(sl.random.get_rng_state())

    with pytest.raises(NotImplementedError, match="random_state"):
        f(sl.ones(2))

