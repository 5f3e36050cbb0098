"""Places of the program around that captured code writes: lists, attributes, globals,
whoever else holds what is in them."""

from __future__ import annotations

import pytest

import sluice as sl
from sluice import nn


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


# state:3307: it was what the list held before.
def test_a_list_of_the_caller_that_is_changed_and_returned():
    def f(x, items, d):
        if x[0] > 0:
            items[0] = x * 2
        d["a"] = x + 1
        return items, d, [items]

    def ran(g):
        found = []
        for value in (0.5, -0.5):
            items, d = [sl.tensor([-0.4])], {"a": sl.tensor([3.0])}
            got = g(sl.tensor([value]), items, d)
            found.append([got[0][0].tolist(), got[1]["a"].tolist(),
                          got[2][0][0].tolist(), items[0].tolist(), d["a"].tolist()])
        return found

    assert ran(sl.function(f)) == ran(f)


# state:6155, 11182: a parameter made of a tensor is a look into it.
def test_a_look_at_a_parameter_has_its_gradients():
    def ran(wrap):
        q = nn.Parameter(sl.tensor([[1.0, 2.0], [3.0, 4.0]]))
        held = [q[1]]
        f = wrap(lambda: held[0].sum() + q.mean())
        r = f()
        r.backward()
        return r.item(), r.requires_grad, q.grad.tolist()

    assert ran(sl.function) == ran(lambda f: f)


# state:9221, 11092: in a later call an argument looks into another one.
def test_a_later_argument_that_looks_into_what_is_written():
    @sl.function
    def f(x, y):
        y[0] = 2.0
        return x * 1

    x = sl.tensor([1.0, 5.0])
    assert f(x, sl.tensor([3.0])).tolist() == [1.0, 5.0]
    assert f(x, x[:1]).tolist() == [2.0, 5.0]
    # What shares elements alone, and has gradients of its own.
    own = x.detach().requires_grad_()
    with pytest.raises(NotImplementedError, match="also sees as"):
        f(own, x)


# state:9991, 10067
def test_an_expanded_look_that_is_handed_out():
    def ran(wrap):
        held = sl.tensor([1.0, 2.0])
        f = wrap(lambda x: held.expand(2, 2)[1])
        got = f(sl.tensor(1.0))
        held.mul_(3.0)
        return got.tolist()

    assert ran(sl.function) == ran(lambda f: f) == [3.0, 6.0]


# state:9377, 2407
def test_looks_and_flags_in_the_order_of_the_code():
    def before(w):
        look = w[:1]
        w.requires_grad_(False)
        return look

    def after(w):
        w.requires_grad_(False)
        look = w[:1]
        w.requires_grad_(True)
        return look

    def enabled(w):
        with sl.enable_grad():
            return w[:1]

    def ran(f):
        w = sl.tensor([2.0, 3.0]).requires_grad_()
        look = f(w)
        return look.requires_grad, w.requires_grad

    for f in (before, after):
        assert ran(sl.function(f)) == ran(f)
    with sl.no_grad():
        assert ran(sl.function(enabled)) == ran(enabled)


class Own(Exception):
    pass


# state:4450: the graph is in vain, and the way values decide raises.
def test_what_is_assigned_before_a_way_raises():
    def ran(wrap):
        c = sl.tensor([-0.5, -0.25])

        def step(x):
            nonlocal c
            if x > 0:
                c = c * 0.5
                if x > 1:
                    raise Own
            c[1] = 0.25

        g, found = wrap(step), []
        for value in (2.0, -1.0, 3.0, 0.5):
            try:
                g(sl.tensor(value))
            except Own:
                found.append("raised")
            found.append(c.tolist())
        return found

    assert ran(sl.function) == ran(lambda f: f)


# state:238: it became a tensor of float32, and lost digits in the next call.
def test_an_attribute_that_is_a_number_on_one_way_and_a_tensor_on_the_other():
    class Counts:
        n = 1

    @sl.function
    def step(counts, x):
        made = counts.n * 0.1 + x.double()
        if x.sum() > 0:
            pass
        else:
            counts.n = x
        return made

    counts = Counts()
    x = sl.tensor([0.11])
    assert step(counts, x).tolist() == [1 * 0.1 + x.double().item()]
    assert type(counts.n) is int
    step(counts, -x)
    assert counts.n.tolist() == (-x).tolist()


FACTOR = 1.0


def halve():
    global FACTOR
    FACTOR *= 0.5


# state:413745: what a function assigns was noted where it was called first.
@pytest.mark.parametrize("loop", [False, True], ids=["branch", "loop"])
def test_a_global_that_a_function_assigns_before_and_inside_of_a_construct(loop):
    def ran(wrap):
        global FACTOR
        FACTOR = 1.0

        def step(x):
            halve()
            k = 0
            if loop:
                while k < 3 and x > 0:
                    k += 1
                    halve()
            elif x > 0:
                halve()
            return x

        g, found = wrap(step), []
        for value in (1.0, -1.0, 1.0):
            g(sl.tensor([value]))
            found.append(FACTOR)
        return found

    assert ran(sl.function) == ran(lambda f: f)


# Both ways replace it, one of them after a function has read it there.
def test_a_name_that_is_read_on_the_way_that_replaces_it_last():
    def ran(wrap):
        held = sl.tensor([2.0])

        def read(x):
            return x * held

        def step(x):
            nonlocal held
            if x > 0:
                held = x * 3
                y = read(x)
            else:
                y = read(x)
                held = x * 4
            return y

        g, found = wrap(step), []
        for value, first in ((1.0, 2.0), (-1.0, 2.0), (-1.0, 5.0), (1.0, 6.0)):
            held = sl.tensor([first])
            found.append((g(sl.tensor([value])).tolist(), held.tolist()))
        return found

    assert ran(sl.function) == ran(lambda f: f)


# state:430961: a key that comes beside it made the number a tensor.
def test_a_number_of_a_dict_that_gets_a_key_stays_a_number():
    def ran(wrap):
        d = {"a": sl.tensor([1.0], dtype=sl.float64), "n": 1}

        def step(x, d):
            k = 0
            while k < 4 and x > 0:
                k += 1
                d["a"] = d["a"] + d["n"] * 0.1
            d["n"] += 1
            d.setdefault("z", x)

        g = wrap(step)
        for _ in range(3):
            g(sl.tensor([0.5]), d)
        return type(d["n"]), d["n"], d["a"].tolist()

    assert ran(sl.function) == ran(lambda f: f)


# state:421067: while it was recorded the argument was a tensor of the graph.
def test_a_parameter_among_the_arguments_becomes_one_of_a_module():
    def ran(wrap):
        net, w = nn.Module(), nn.Parameter(sl.tensor([0.5]))
        net.h = sl.tensor([1.0])

        def step(x, w):
            net.h = w
            return x * net.h

        g = wrap(step)
        y = g(sl.tensor([2.0]), w)
        assert net.h is w
        names = [name for name, _ in net.named_parameters()]
        return y.tolist(), names, "h" in vars(net)

    assert ran(sl.function) == ran(lambda f: f)


# state:1003829: it was another object, which no module took for a parameter.
def test_a_parameter_that_a_branch_chooses_is_that_parameter():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(sl.tensor([0.5]))
            self.register_buffer("run", sl.ones(1))
            self.h = sl.zeros(1)

        def forward(self, x):
            self.h = self.w if x.sum() > 0 else self.run
            return self.h

    def ran(wrap):
        found = []
        for value in (1.0, -1.0):
            net = Net()
            got = wrap(net)(sl.tensor([value]))
            found.append([got is net.w, got is net.run, net.h is got,
                          type(got).__name__, sorted(net._parameters)])
        return found

    assert ran(sl.function) == ran(lambda f: f)
    assert ran(sl.function)[0][0] and ran(sl.function)[1][1]


# state:1001138: imperatively what expand() shows kept the history it began with.
def test_an_expanded_look_follows_what_is_written_later():
    w = sl.tensor([1.0, 2.0, 3.0]).requires_grad_()

    def shown(x):
        look = x.expand(2, 3)
        x.mul_(w)
        return look

    def written(x):
        row = x.expand(2, 3)[1]
        row.mul_(w)
        return x

    for f in (shown, sl.function(shown), written):
        w.grad = None
        got = f(sl.tensor([5.0, 6.0, 7.0]))
        assert got.requires_grad
        got.sum().backward()
        times = got.numel() // 3
        assert w.grad.tolist() == [times * v for v in (5.0, 6.0, 7.0)]
    with pytest.raises(RuntimeError, match="several times"):
        sl.function(written)(sl.tensor([5.0, 6.0, 7.0]))


# state:1100908, 1102274, 1104012: it was a copy.
@pytest.mark.parametrize("look", [
    lambda t: t.detach(), lambda t: t[0:1], lambda t: t.view(2, 1),
    lambda t: t.unsqueeze(0).T, lambda t: t.detach()[1:], lambda t: t.data,
], ids=["detach", "slice", "view", "T", "part", "data"])
def test_a_look_into_what_a_branch_makes_an_argument(look):
    def chosen(x):
        if x.sum() > 0:
            return look(x)
        return look(x * 2)

    def after(x):
        out = x
        if x.sum() < 0:
            out = x * 3
        return look(out)

    def carried(x):
        out, k = x * 2, 0
        while k < 3 and x.sum() > 0:
            k += 1
            out = x
        return look(out)

    for f in (chosen, after, carried):
        for value in (0.5, -0.5):
            found = []
            for wrap in (sl.function, lambda f: f):
                x = sl.tensor([value, 2 * value])
                got = wrap(f)(x)
                x.mul_(4.0)
                found.append(got.tolist())
            assert found[0] == found[1]


# state:1102051: gradients from outside did not reach it.
def test_a_frozen_parameter_that_the_function_trains_again():
    def ran(wrap):
        net = nn.Linear(2, 1)
        with sl.no_grad():
            net.weight.fill_(0.5)
        net.requires_grad_(False)

        @wrap
        def step(x):
            w = net.weight
            net.requires_grad_(True)
            return (w * x).sum()

        found = []
        for _ in range(2):
            r = step(sl.tensor([1.0, 2.0]))
            r.backward()
            found.append([r.requires_grad, net.weight.requires_grad,
                          net.weight.grad.tolist()])
            net.requires_grad_(False)
        return found

    assert ran(sl.function) == ran(lambda f: f)
    held = sl.tensor([1.0])
    frozen = nn.Parameter(held, requires_grad=False)
    with pytest.raises(NotImplementedError, match="looks into the memory"):
        sl.function(lambda x: (frozen.requires_grad_() * x).sum())(sl.ones(1))


# state:1104012
def test_the_class_of_what_a_branch_chose():
    def ran(wrap):
        w = nn.Parameter(sl.tensor([0.5]))

        @wrap
        def f(x):
            chosen = x if x > 0 else w
            return (isinstance(chosen, nn.Parameter), isinstance(chosen, sl.Tensor),
                    type(chosen) is nn.Parameter, isinstance(chosen, float))

        return [f(sl.tensor([value])) for value in (1.0, -1.0)]

    assert ran(sl.function) == ran(lambda f: f)


# state:1102051: the one that was chosen stayed frozen.
def test_requires_grad_of_what_a_branch_may_have_chosen():
    def ran(wrap):
        found = []
        for value in (1.0, -1.0):
            w = nn.Parameter(sl.tensor([0.5]), requires_grad=False)

            @wrap
            def f(x):
                chosen = x if x > 0 else w
                w.requires_grad_(True)
                return (chosen * x).sum()

            r = f(sl.tensor([value]))
            if r.requires_grad:
                r.backward()
            found.append([r.requires_grad, None if w.grad is None else w.grad.tolist()])
        return found

    assert ran(sl.function) == ran(lambda f: f)
