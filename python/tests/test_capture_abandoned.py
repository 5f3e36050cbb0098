"""Recordings of which nothing comes leave nothing: values decide instead, and the
way that is not taken has made nothing."""

from __future__ import annotations

import sluice as sl
import sluice.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(sl.tensor([-0.7]))


def kept(opt):
    """What an optimizer keeps of its parameters."""
    return [k for k in opt.state_dict() if "avg" in k or "momentum" in k]


# state:1896, 1916
def test_an_optimizer_in_a_branch_that_is_not_taken_keeps_nothing():
    for make in (sl.optim.Adam, lambda p: sl.optim.SGD(p, lr=0.1, momentum=0.9)):
        net = Net()
        opt = make(net.parameters())

        @sl.function
        def step(x, net=net, opt=opt):
            if x > 0.5:
                (net.w * x).sum().backward()
                opt.step()
            return x

        step(sl.tensor(-1.0))
        assert not kept(opt)
        step(sl.tensor(1.0))
        assert kept(opt)


# The same without a gradient made in the branch.
def test_a_first_step_in_a_branch_is_made_where_it_is_taken():
    def ran(wrap):
        net = Net()
        opt = sl.optim.Adam(net.parameters(), lr=0.1)

        def step(x):
            (net.w * x).sum().backward()
            if x > 0.5:
                opt.step()
            opt.zero_grad()
            return x

        g, found = wrap(step), []
        for value in (-1.0, 1.0, 2.0, -1.0):
            g(sl.tensor(value))
            found.append((kept(opt), net.w.tolist()))
        return found

    assert ran(sl.function) == ran(lambda f: f)


# state:1724, 3740, 4594
def test_an_attribute_that_is_missing_before_a_loop():
    class Box:
        pass

    def ran(wrap):
        box = Box()

        def step(x):
            k = 0
            while k < 2 and x > 0:
                k += 1
                box.h = x * k
            return x

        g, found = wrap(step), []
        for value in (-1.0, 2.0, -3.0, 4.0):
            g(sl.tensor(value))
            found.append(box.h.item() if hasattr(box, "h") else None)
        return found

    assert ran(sl.function) == ran(lambda f: f) == [None, 4.0, 4.0, 8.0]


class Own(Exception):
    pass


# state:4450, 2297
def test_what_is_done_before_a_way_raises_is_done_where_a_tensor_is_written():
    def ran(wrap):
        held = [sl.tensor([-0.1, -0.3])]

        def step(x):
            if x > 0:
                held[0] = held[0] * 0.5
                if x > 1:
                    raise Own
            held[0][1] = 0.25
            return held[0] + sl.rand(2)

        g, found = wrap(step), []
        sl.manual_seed(3)
        for value in (-1.0, 2.0, 0.5, 3.0, -2.0):
            try:
                found.append(g(sl.tensor(value)).tolist())
            except Own:
                found.append("raised")
            found.append(held[0].tolist())
        return found

    assert ran(sl.function) == ran(lambda f: f)


def test_an_abandoned_recording_lets_go_of_a_gradient_of_the_users():
    """The exception that ends it holds the graph, and the graph the function: it was
    given up by a thread that waited for itself."""

    class Doubled(sl.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            return t * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3

    class Mode:
        name = "low"

    mode = Mode()

    @sl.function
    def step(x):
        y = Doubled.apply(x)
        if x.sum() > 0:
            mode.name = "high"
        return y

    x = sl.tensor([1.0]).requires_grad_()
    y = step(x)
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist(), mode.name) == ([2.0], [3.0], "high")
