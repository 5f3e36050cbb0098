"""State that keeps what a derivative computed, read by the derivative of a later call.

Its history leads to the points of a derivative that has ended, so it is a constant:
gradients of later calls require no gradients because of it, captured or not.
"""

import pytest

import sluice as sl

VALUES = ([1.0, 2.0], [3.0, -1.0], [-2.0, -3.0], [2.0, 2.0])


class Kept:
    def __init__(self, start):
        self.total = start


def always(kept, x):
    kept.total = kept.total + x.sum()
    return kept.total * x.sum()


def in_a_branch(kept, x):
    if x.sum() > 0:
        kept.total = kept.total + x.sum()
    return (x * x).sum() * kept.total


def in_a_loop(kept, x):
    for row in x:
        kept.total = kept.total * 0.5 + row
    return (x * kept.total).sum()


WAYS = {
    "grad": lambda f, x: sl.grad(f)(x),
    "value_and_grad": lambda f, x: sl.value_and_grad(f)(x)[1],
    "vjp": lambda f, x: sl.vjp(f, x)[1](sl.tensor(1.0))[0],
    "jvp": lambda f, x: sl.jvp(f, (x,), (x * 2,))[1],
}


def run(wrap, program, way, start, between=lambda kept, i: None):
    kept, seen = Kept(start), []
    step = wrap(lambda x: WAYS[way](lambda u: program(kept, u), x))
    for i, value in enumerate(VALUES):
        between(kept, i)
        g, total = step(sl.tensor(value)), kept.total
        seen.append((g.tolist(), g.requires_grad, total.tolist(), total.requires_grad))
    return seen


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", [always, in_a_branch, in_a_loop])
def test_a_history_that_is_over_is_a_constant(program, way):
    wanted = run(lambda f: f, program, way, sl.tensor(0.5))
    assert run(sl.function, program, way, sl.tensor(0.5)) == wanted


@pytest.mark.parametrize("program", [always, in_a_branch, in_a_loop])
def test_one_that_leads_to_a_leaf_is_none_again(program):
    def between(kept, i):
        if i == 2:
            kept.total = sl.tensor(1.0).requires_grad_() * 2

    wanted = run(lambda f: f, program, "grad", sl.tensor(0.5), between)
    assert run(sl.function, program, "grad", sl.tensor(0.5), between) == wanted
    assert [flag for _, flag, _, _ in wanted] == [False, False, True, True]
