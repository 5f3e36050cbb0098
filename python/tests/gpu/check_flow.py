"""Loops, branches, their gradients, and lists on the GPU."""

import sluice as sl
from both import on_both, same


@sl.function
def grow(x, limit):
    n = 0
    while x.sum() < limit:
        x = x * 1.5 + 0.25
        n += 1
    return x, n


def test_a_loop_that_data_ends():
    x = sl.rand(8)
    host, there = grow(x, 100.0), grow(x.cuda(), 100.0)
    same(host[0], there[0])
    assert int(host[1]) == int(there[1]) > 1


@sl.function
def choose(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
    return y


def test_a_branch():
    for sign in (1, -1):
        on_both(choose, sl.rand(5) * sign)


def test_the_gradient_of_a_loop():
    @sl.function
    def run(w, x):
        while x.norm() < 10:
            x = (x @ w).tanh() + x * 1.2
        return x.sum()

    def gradient(w, x):
        w = w.detach().requires_grad_()
        run(w, x).backward()
        return w.grad

    on_both(gradient, sl.randn(4, 4) * 0.3, sl.rand(2, 4), tolerance=1e-4)


def test_a_loop_over_a_list():
    @sl.function
    def run(xs):
        rows = []
        total = sl.zeros_like(xs[0])
        for i in range(xs.shape[0]):
            total = total + xs[i]
            rows.append(total * i)
        return sl.stack(rows)

    on_both(run, sl.randn(6, 3))


def test_scan_and_its_gradient():
    def gradient(w, xs):
        w = w.detach().requires_grad_()

        def body(h, x):
            h = (h @ w + x).tanh()
            return h, h

        last, all_of_them = sl.scan(body, sl.zeros_like(xs[0]), xs)
        (last.sum() + all_of_them.square().sum()).backward()
        return w.grad

    on_both(gradient, sl.randn(3, 3) * 0.5, sl.randn(5, 2, 3), tolerance=1e-4)
