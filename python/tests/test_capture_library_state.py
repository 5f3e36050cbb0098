"""Objects of the library in captured functions: what code reads of them is of each
call, and what a graph cannot do again is refused before it does anything."""

from __future__ import annotations

import pytest
from both_ways import both

import sluice as sl
import sluice.nn as nn
from sluice import optim


# ---- Means of parameters ----


@pytest.mark.parametrize("ramp", [False, True])
def test_the_parameters_come_back_after_use_of_their_means(ramp):
    def program(wrap):
        w = sl.tensor([0.0], requires_grad=True)
        e = optim.EMA([w], decay=0.5, ramp=ramp)

        @wrap
        def step():
            with sl.no_grad():
                w.add_(1.0)
            e.update()
            with e.use():
                inside = w.detach().clone()
            return inside, w * 1

        found = []
        for _ in range(4):
            inside, after = step()
            found.append((inside.tolist(), after.tolist(), w.tolist()))
        return found

    both(program)


def test_use_of_means_in_a_branch_and_left_by_an_error():
    def program(wrap):
        w = sl.tensor([0.0])
        e = optim.EMA([w], decay=0.5)

        @wrap
        def step(x):
            w.add_(x)
            e.update()
            y = x
            if x > 1:
                with e.use():
                    y = w * 2
            return y * 1

        return [(step(sl.tensor([v])).tolist(), w.tolist()) for v in (1.0, 2.0, 3.0)]

    both(program)
