"""Gradients of loops that stay on the GPU, forwards and back, whatever the number
of iterations: no iteration waits for the host."""

import re

import sluice as sl
from check_loops import at_places
from check_recordings import plan_of


def growing():
    @sl.function
    def gradient(w, x, limit):
        w = w.detach().requires_grad_()
        while x.norm() < limit:
            x = (x @ w).tanh() + x * 1.02
        x.sum().backward()
        return w.grad

    w, x = sl.randn(4, 4) * 0.1, sl.rand(2, 4) * 0.2
    return gradient, w, x


def loops_and_waits(plan):
    """Of each loop: how often the host waited, in how many runs."""
    found = re.findall(r"the host waited (\d+) times in (\d+) runs", plan)
    return [(int(waits), int(runs)) for waits, runs in found]


def close(host, there):
    scale = max(1.0, float(host.abs().max()))
    off = float((host - there.cpu()).abs().max())
    assert off <= 1e-4 * scale, (off, scale)


def test_a_gradient_with_any_number_of_iterations():
    gradient, w, x = growing()
    there = w.cuda(), x.cuda()
    # More iterations than there was room for, then fewer again.
    for limit in [1.5, 2.0, 3.0, 20.0, 60.0, 2.0, 1.5]:
        limit = sl.tensor(limit)
        close(gradient(w, x, limit), at_places(gradient, *there, limit.cuda(), runs=4))
    plan = plan_of(gradient, *there, limit.cuda())
    assert plan.count("stays on the device") == 2, plan
    assert plan.count("; 0 recordings") == 0, plan


def test_no_iteration_waits_for_the_host():
    gradient, w, x = growing()
    there = w.cuda(), x.cuda()
    long, short = sl.tensor(30.0).cuda(), sl.tensor(1.5).cuda()
    at_places(gradient, *there, long, runs=4)
    for limit in (long, short):
        before = loops_and_waits(plan_of(gradient, *there, limit))
        at_places(gradient, *there, limit, runs=5)
        after = loops_and_waits(plan_of(gradient, *there, limit))
        assert len(before) == len(after) == 2
        for (waits, runs), (more_waits, more_runs) in zip(before, after):
            assert more_runs == runs + 5
            assert more_waits - waits == 5, (before, after)


def test_kept_values_of_several_shapes_and_types():
    @sl.function
    def gradient(w, v, x, limit):
        w = w.detach().requires_grad_()
        v = v.detach().requires_grad_()
        total = sl.zeros_like(limit)
        while total < limit:
            x = (x @ w + v).sigmoid()
            total = total + (x * x).sum() * 0.5
        (x.sum() * total).backward()
        return w.grad, v.grad

    w, v, x = sl.randn(3, 3), sl.randn(3), sl.rand(5, 3)
    there = [t.cuda() for t in (w, v, x)]
    for limit in [0.5, 10.0, 50.0, 200.0]:
        limit = sl.tensor(limit)
        host = gradient(w, v, x, limit)
        for one, other in zip(host, at_places(gradient, *there, limit.cuda())):
            close(one, other)


def test_second_derivatives_of_a_loop():
    def second(w, x, limit):
        @sl.function
        def run(w):
            y = x
            while y.norm() < limit:
                y = (y @ w).tanh() + y * 1.2
            return y.square().sum()

        w = w.detach().requires_grad_()
        (first,) = sl.autograd.grad(run(w), [w], create_graph=True)
        (again,) = sl.autograd.grad(first.square().sum(), [w])
        return again

    w, x = sl.randn(3, 3) * 0.2, sl.rand(2, 3)
    host = second(w, x, 6.0)
    there = second(w.cuda(), x.cuda(), 6.0)
    close(host, there)
