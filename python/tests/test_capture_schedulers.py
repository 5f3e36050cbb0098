"""scheduler.step() in captured functions: done by every call, after the rest."""

from __future__ import annotations

import pytest

import sluice as sl
import sluice.nn as nn
from sluice import optim
from sluice.optim import lr_scheduler


def make(kind, rule="sgd"):
    sl.manual_seed(7)
    net = nn.Linear(3, 1)
    opt = {
        "sgd": lambda: optim.SGD(net.parameters(), lr=0.1, momentum=0.9),
        "adam": lambda: optim.Adam(net.parameters(), lr=0.1),
    }[rule]()
    return net, opt, kind(opt)


KINDS = {
    "steps": lambda o: lr_scheduler.StepLR(o, 3, 0.5),
    "lambda": lambda o: lr_scheduler.LambdaLR(o, lambda k: 1.0 / (k + 1)),
    "cosine": lambda o: lr_scheduler.CosineAnnealingLR(o, 10),
    "exponential": lambda o: lr_scheduler.ExponentialLR(o, 0.9),
    "cyclic": lambda o: lr_scheduler.CyclicLR(
        o, 0.01, 0.1, 3, cycle_momentum=False
    ),
    "means": lambda o: optim.swa_utils.SWALR(o, 0.01),
    "sequence": lambda o: lr_scheduler.SequentialLR(
        o,
        [lr_scheduler.LinearLR(o), lr_scheduler.StepLR(o, 3)],
        milestones=[5],
    ),
    "chained": lambda o: lr_scheduler.ChainedScheduler(
        [lr_scheduler.ExponentialLR(o, 0.9), lr_scheduler.ConstantLR(o, 0.5)]
    ),
}


def train(wrap, kind, rule):
    net, opt, sched = make(kind, rule)

    def step(x, y):
        loss = ((net(x) - y) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        return loss.detach()

    f = wrap(step)
    seen = []
    for k in range(20):
        sl.manual_seed(k)
        x = sl.randn(4, 3)
        loss = f(x, x.sum(1, keepdim=True))
        seen.append((loss.item(), opt.param_groups[0]["lr"], sched.get_last_lr()))
    return seen, net.weight.tolist(), f


@pytest.mark.parametrize("rule", ["sgd", "adam"])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_twenty_steps_are_one_trace_and_agree(kind, rule):
    want, want_weight, _ = train(lambda f: f, kind, rule)
    got, got_weight, f = train(sl.function, kind, rule)
    for (loss, *rates), (want_loss, *want_rates) in zip(got, want):
        assert rates == want_rates  # Python computes both
        assert loss == pytest.approx(want_loss, rel=1e-5)
    assert got_weight[0] == pytest.approx(want_weight[0], rel=1e-4)
    assert len(f.traces()) <= 3, f.traces()


@pytest.mark.parametrize("rule", ["sgd", "adam"])
def test_momenta_that_turn_late_are_seen(rule):
    def kind(o):
        parts = [lr_scheduler.LinearLR(o), lr_scheduler.CyclicLR(o, 0.01, 0.1, 3)]
        return lr_scheduler.SequentialLR(o, parts, milestones=[5])

    want, want_weight, _ = train(lambda f: f, kind, rule)
    got, got_weight, _ = train(sl.function, kind, rule)
    assert [g[0] for g in got] == pytest.approx([w[0] for w in want], rel=1e-5)
    assert got_weight[0] == pytest.approx(want_weight[0], rel=1e-4)


def test_a_measure_from_the_graph():
    net, opt, sched = make(lambda o: lr_scheduler.ReduceLROnPlateau(o, patience=1))

    @sl.function
    def step(loss):
        sched.step(loss * 2)
        return loss

    for _ in range(6):
        step(sl.tensor(1.0))
    assert opt.param_groups[0]["lr"] < 0.1
    assert sched.best == 2.0
    assert len(step.traces()) == 1


def test_what_comes_after_the_step_and_needs_it_is_refused():
    net, opt, sched = make(KINDS["steps"])

    @sl.function
    def step(x):
        sched.step()
        net(x).sum().backward()
        opt.step()
        return x

    before = sched.last_epoch
    with pytest.raises(TypeError, match=r"SGD.step\(\) comes after StepLR.step\(\)"):
        step(sl.ones(2, 3))
    assert sched.last_epoch == before

    @sl.function
    def rate(x):
        sched.step()
        return x * opt.param_groups[0]["lr"]

    with pytest.raises(TypeError, match="comes after StepLR"):
        rate(sl.ones(2, 3))


def test_a_step_that_a_tensor_decides():
    net, opt, sched = make(KINDS["steps"])

    @sl.function
    def step(x):
        if x.sum() > 0:
            sched.step()
        return x * 2

    for value in (1.0, -1.0, 2.0):
        step(sl.tensor([value]))
    assert sched.last_epoch == 2
