"""Places of the program around that captured code writes: lists, attributes, globals,
whoever else holds what is in them."""

from __future__ import annotations

import sluice as sl


# state:6491, 6938: one tensor, met as an argument and as a global, is two later.
def test_a_place_that_held_the_tensor_of_another_place():
    def ran(wrap):
        held = {"v": sl.tensor([0.5])}
        items = [sl.tensor([-0.25])]

        def step(x):
            items[0] = held["v"]
            held["v"] *= 2.0
            return items[0] + x

        g, found = wrap(step), []
        for i in range(5):
            if i in (2, 4):
                items[0] = sl.tensor([9.0])
            found.append((g(sl.tensor([1.0])).tolist(), held["v"].tolist()))
        return found

    assert ran(sl.function) == ran(lambda f: f)


# state:3307, 3870: the second iteration writes the list from outside, too.
def test_a_list_that_a_loop_with_a_break_changes():
    def ran(wrap):
        items = [sl.tensor([-0.5, 0.25])]

        def whole(x):
            k = 0
            while True:
                k += 1
                if k > 3 or x[0] > 1:
                    break
                items[0] = items[0] + x

        def counted(x):
            for _ in range(4):
                if x[0] > 1:
                    break
                items[0] = items[0] + x

        found = []
        for g in (wrap(whole), wrap(counted)):
            for value in ([0.5, 1.0], [2.0, 1.0], [-1.0, 3.0]):
                g(sl.tensor(value))
                found.append(items[0].tolist())
        return found

    assert ran(sl.function) == ran(lambda f: f)
