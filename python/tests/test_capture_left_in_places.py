"""What captured code leaves in attributes, dicts and lists: None, the order of keys,
one tensor in two places, gradients of a list that grew."""

from __future__ import annotations

import collections

import pytest
from both_ways import both

import sluice as sl


class Box:
    def __init__(self, **values):
        self.__dict__.update(values)


def test_none_in_a_new_attribute():
    def program(wrap):
        @wrap
        def step(box, x):
            box.before = getattr(box, "last", None)
            box.last = None if x is None else 3
            return x

        found = []
        for box in (Box(), Box(last=2)):
            step(box, sl.tensor([1.0]))
            found.append(dict(vars(box)))
        return found

    assert both(program)[0] == {"before": None, "last": 3}


@pytest.mark.parametrize("kind", [dict, collections.OrderedDict])
def test_the_order_of_keys_is_that_of_the_way_taken(kind):
    def program(wrap):
        table = kind(a=1, b=2)

        @wrap
        def step(x):
            if x.sum() > 0:
                table["a"] = table.pop("a")
            made = {"u": x, "v": 1} if x.sum() > 1 else {"v": 1, "u": x}
            return list(made)

        found = []
        for v in (1.0, -1.0, 3.0):
            found.append([step(sl.tensor([v])), list(table)])
        return found

    assert both(program)[0] == [["v", "u"], ["b", "a"]]


def test_an_ordered_dict_that_a_branch_reorders():
    def program(wrap):
        table = collections.OrderedDict(a=1, b=2)

        @wrap
        def step(x):
            if x.sum() > 0:
                table.move_to_end("a")
            return x

        found = []
        for v in (1.0, -1.0, 3.0):
            step(sl.tensor([v]))
            found.append(list(table))
        return found

    assert both(program) == [["b", "a"]] * 3


def test_one_tensor_in_two_places():
    def program(wrap):
        box = Box()
        box.a = box.b = sl.ones(1)

        @wrap
        def step(x):
            if x.sum() > 0:
                box.a = box.b = x * 2
            return x

        found = []
        for v in (-1.0, 2.0, 3.0, -1.0, 4.0):
            step(sl.tensor([v]))
            found.append((box.a is box.b, box.a.tolist()))
        return found

    assert all(same for same, _ in both(program))


def test_the_dict_of_an_object_that_was_written():
    def program(wrap):
        @wrap
        def step(box, x):
            box.w = box.w * x
            box.new = x
            return box.w, sorted(vars(box))

        found = []
        for box in (Box(w=sl.ones(1)), Box(w=sl.ones(1) * 3, k=1)):
            w, names = step(box, sl.tensor([2.0]))
            found.append((w.tolist(), names, box.w.tolist(), box.new.tolist()))
        return found

    both(program)


def test_a_list_that_is_changed_and_replaced_in_a_loop():
    def program(wrap):
        box, table = Box(items=[0]), {"k": [0]}

        @wrap
        def step(x):
            for i in range(3):
                box.items[0] += 1
                box.items = [box.items[0]]
                table["k"][0] += 1
                table["k"] = [table["k"][0]]
                if x.sum() + i > 4:
                    break
            return x

        found = []
        for v in (6.0, -1.0, 3.0):
            step(sl.tensor([v]))
            found.append((list(box.items), list(table["k"])))
        return found

    assert both(program)[0] == ([1], [1])


def grown_and_returned(box, x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * 2)
    return out


def grown_and_kept(box, x):
    box.out = []
    for v in x:
        box.out.append(v * 2)
    return box.out


def grown_in_a_while(box, x):
    out = []
    while x.sum() < 50:
        x = x * 2
        out.append(x.sum())
    return out


@pytest.mark.parametrize("f", [grown_and_returned, grown_and_kept, grown_in_a_while])
def test_gradients_flow_through_a_list_that_grew(f):
    def program(wrap):
        captured, box = wrap(f), Box()
        found = []
        for values in ([1.0, 2.0, 3.0], [1.0, -2.0, 8.0], [2.0, 3.0, 4.0, 5.0]):
            x = sl.tensor(values).requires_grad_()
            made = captured(box, x)
            sum(made).backward()
            found.append(([v.requires_grad for v in made], x.grad.tolist()))
        return found

    both(program)


def test_the_gradient_of_rows_that_a_scan_makes_is_none_of_a_scalar():
    @sl.function
    def step(x):
        rows = lambda y: sl.scan(lambda c, v: (c + v, c * v), sl.tensor(1.0), y)[0]
        return sl.grad(rows)(x)

    with pytest.raises(ValueError, match="wanted a scalar"):
        step(sl.ones(3))
