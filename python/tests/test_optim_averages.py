"""Rates that go up and down, means of parameters, and state in PyTorch's layout."""

import json
import math

import numpy as np
import pytest

import sluice as sl
from sluice import nn, optim
from sluice.optim import lr_scheduler, swa_utils


def leaf(values):
    return sl.tensor(np.array(values, dtype=np.float32), requires_grad=True)


def array(tensor):
    return np.asarray(tensor.detach())


def sgd(**options):
    return optim.SGD([leaf([1.0])], lr=0.1, **options)


def rates(optimizer, schedule, steps):
    seen = []
    for _ in range(steps):
        seen.append(optimizer.param_groups[0]["lr"])
        schedule.step()
    return seen


def test_a_cycle_goes_up_and_down():
    o = sgd(momentum=0.9)
    s = lr_scheduler.CyclicLR(o, 0.0, 1.0, step_size_up=2, step_size_down=4)
    seen = rates(o, s, 8)
    np.testing.assert_allclose(seen, [0, 0.5, 1, 0.75, 0.5, 0.25, 0, 0.5], atol=1e-12)
    s.step()  # 9: a quarter down
    assert o.param_groups[0]["momentum"] == pytest.approx(0.9 - 0.1 * 0.75)


def test_heights_of_cycles():
    o = sgd()
    options = {"step_size_up": 1, "cycle_momentum": False}
    s = lr_scheduler.CyclicLR(o, 0.0, 1.0, mode="triangular2", **options)
    np.testing.assert_allclose(rates(o, s, 6)[1::2], [1, 0.5, 0.25])
    s = lr_scheduler.CyclicLR(o, 0.0, 1.0, mode="exp_range", gamma=0.5, **options)
    np.testing.assert_allclose(rates(o, s, 4)[1::2], [0.5, 0.125])
    s = lr_scheduler.CyclicLR(o, 0.0, 1.0, scale_fn=lambda k: 1 / k, **options)
    np.testing.assert_allclose(rates(o, s, 6)[1::2], [1, 1 / 2, 1 / 3])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"mode": "square"}, "mode"),
        ({"scale_mode": "steps"}, "scale_mode"),
        ({"step_size_up": 0}, "step_size_up"),
        ({}, "momentum"),
        ({"max_lr": [1.0, 2.0], "cycle_momentum": False}, "max_lr"),
    ],
)
def test_cycles_refuse(options, text):
    o = optim.Adagrad([leaf([1.0])])
    with pytest.raises(ValueError, match=text):
        lr_scheduler.CyclicLR(o, **{"base_lr": 0.1, "max_lr": 1.0, **options})


class Halved(lr_scheduler.LRScheduler):
    """As for PyTorch."""

    def get_lr(self):
        return [base * 0.5**self.last_epoch for base in self.base_lrs]


def test_a_scheduler_may_define_get_lr():
    o = sgd()
    np.testing.assert_allclose(rates(o, Halved(o), 3), [0.1, 0.05, 0.025])


def test_a_sequence_goes_on_from_its_state():
    def made():
        o = sgd()
        parts = [
            lr_scheduler.LinearLR(o, total_iters=3),
            lr_scheduler.MultiplicativeLR(o, lambda e: 0.9),
        ]
        return o, lr_scheduler.SequentialLR(o, parts, milestones=[4])

    first, schedule = made()
    rates(first, schedule, 6)
    second, other = made()
    other.load_state_dict(json.loads(json.dumps(schedule.state_dict())))
    assert rates(second, other, 4) == rates(first, schedule, 4)
    with pytest.raises(ValueError, match="0 schedulers; wanted 2"):
        other.load_state_dict({"last_epoch": 3, "base_lrs": [0.1], "last_lr": [0.1]})


def test_swalr_begins_where_the_rate_is():
    o = sgd()
    decay = lr_scheduler.ExponentialLR(o, 0.5)
    s = swa_utils.SWALR(o, swa_lr=0.05, anneal_epochs=4)
    decay.step()
    wanted = [0.05 + 0.0 * k for k in range(3)]  # 0.1 / 2 is the goal already
    np.testing.assert_allclose(rates(o, s, 3), wanted)
    o = sgd()
    s = swa_utils.SWALR(o, swa_lr=0.5, anneal_epochs=4)
    share = [(1 - math.cos(math.pi * min(k, 4) / 4)) / 2 for k in range(6)]
    np.testing.assert_allclose(rates(o, s, 6), [0.1 + 0.4 * a for a in share])
    with pytest.raises(ValueError, match="anneal_strategy"):
        swa_utils.SWALR(o, 0.1, anneal_strategy="exp")


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("decay", [None, 0.75])
def test_means_of_parameters(captured, decay):
    net = nn.Linear(2, 1, bias=False)
    average = None if decay is None else swa_utils.get_ema_multi_avg_fn(decay)
    means = swa_utils.AveragedModel(net, multi_avg_fn=average)

    def update(value):
        with sl.no_grad():
            net.weight.copy_(value)
        means.update_parameters(net)

    run = sl.function(update) if captured else update
    values = [np.array([[k, k * k]], dtype=np.float32) for k in range(1, 5)]
    wanted = values[0]
    for n, value in enumerate(values):
        run(sl.tensor(value))
        if n > 0 and decay is None:
            wanted = wanted + (value - wanted) / (n + 1)
        elif n > 0:
            wanted = decay * wanted + (1 - decay) * value
        np.testing.assert_allclose(array(means.module.weight), wanted, rtol=1e-6)
    assert int(means.n_averaged) == 4
    x = sl.tensor([[1.0, 2.0]])
    np.testing.assert_allclose(array(means(x)), array(x) @ wanted.T, rtol=1e-6)


def test_buffers_are_copied_or_means():
    net = nn.BatchNorm1d(2)
    copies = swa_utils.AveragedModel(net)
    means = swa_utils.AveragedModel(net, use_buffers=True)
    for k in (1.0, 4.0):
        net.running_mean.fill_(k)
        copies.update_parameters(net)
        means.update_parameters(net)
    np.testing.assert_allclose(array(copies.module.running_mean), 4.0)
    np.testing.assert_allclose(array(means.module.running_mean), 2.5)
    with pytest.raises(ValueError, match="avg_fn and multi_avg_fn"):
        both = {"avg_fn": max, "multi_avg_fn": max}
        swa_utils.AveragedModel(net, **both)
    with pytest.raises(ValueError, match="0 tensors; wanted 2"):
        copies.update_parameters(nn.Identity())


def test_update_bn_sees_all_batches_alike():
    net = nn.Sequential(nn.BatchNorm1d(2, momentum=0.3)).eval()
    rng = np.random.default_rng(0)
    batches = [rng.normal(size=(5, 2)).astype(np.float32) for _ in range(3)]
    swa_utils.update_bn([(sl.tensor(b), 0) for b in batches], net)
    wanted = np.mean([b.mean(axis=0) for b in batches], axis=0)
    np.testing.assert_allclose(array(net[0].running_mean), wanted, rtol=1e-5)
    wanted = np.mean([b.var(axis=0, ddof=1) for b in batches], axis=0)
    np.testing.assert_allclose(array(net[0].running_var), wanted, rtol=1e-5)
    assert net[0].momentum == 0.3 and not net.training


def stepped(name, **options):
    p = leaf([1.0, -2.0])
    optimizer = getattr(optim, name)([("w", p)], **options)
    for _ in range(2):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
    return p, optimizer


def test_the_layout_of_pytorch():
    p, first = stepped("Adam", lr=0.1, betas=(0.8, 0.9))
    state = first.torch_state_dict()
    assert set(state["state"][0]) == {"step", "exp_avg", "exp_avg_sq"}
    assert float(state["state"][0]["step"]) == 2
    assert state["param_groups"][0]["params"] == [0]
    assert state["param_groups"][0]["betas"] == (0.8, 0.9)
    second = optim.Adam([("w", leaf(array(p)))])
    second.load_state_dict(state)
    assert second.param_groups[0]["betas"] == (0.8, 0.9)
    for key, value in first.state_dict().items():
        np.testing.assert_array_equal(array(second.state_dict()[key]), array(value))


def test_a_layout_that_does_not_fit_changes_nothing():
    _, optimizer = stepped("Adam", lr=0.1)
    state = optimizer.torch_state_dict()
    state["param_groups"][0]["betas"] = (0.5, 0.5)
    state["state"][0] = {"step": 5, "exp_avg": sl.zeros(2)}
    with pytest.raises(ValueError, match="missing: w.exp_avg_sq"):
        optimizer.load_state_dict(state)
    assert optimizer.param_groups[0]["betas"] == (0.9, 0.999)
    with pytest.raises(ValueError, match="groups have"):
        optimizer.load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]})
    a, b = leaf([1.0]), leaf([2.0])
    two = optim.Adam([a, b])
    slots = {"exp_avg": sl.zeros(1), "exp_avg_sq": sl.zeros(1)}
    given = {0: {"step": 1, **slots}, 1: {"step": 2, **slots}}
    with pytest.raises(ValueError, match="steps"):
        two.load_state_dict({"state": given, "param_groups": [{"params": [0, 1]}]})


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda p: optim.NAdam([p], betas=(1.0, 0.9)), r"beta1 is 1; .*\[0, 1\)"),
        (lambda p: optim.RAdam([p], betas=(0.9, 1.0)), "beta2"),
        (lambda p: optim.Rprop([p], etas=(1.5, 1.2)), "etas"),
        (lambda p: optim.Rprop([p], etas=0.5), "pair"),
        (lambda p: optim.Rprop([p], step_sizes=(2.0, 1.0)), "step_max"),
        (lambda p: optim.ASGD([p], weight_decay=-1), "weight_decay"),
        (lambda p: optim.NAdam([p], momentum_decay=-1), "momentum_decay"),
    ],
)
def test_options_that_mean_nothing(make, text):
    with pytest.raises(ValueError, match=text):
        make(leaf([1.0]))


def test_rprop_begins_with_the_rate_it_finds():
    p = leaf([1.0])
    optimizer = optim.Rprop([p], lr=0.5)
    optimizer.param_groups[0]["lr"] = 0.25
    (p * 2).sum().backward()
    optimizer.step()
    assert float(p) == 0.75


def test_options_come_back_from_a_file(tmp_path):
    _, first = stepped("NAdam", weight_decay=0.25, decoupled_weight_decay=True)
    sl.save(first.torch_state_dict(), tmp_path / "state.npz")
    second = optim.NAdam([("w", leaf([1.0, -2.0]))])
    second.load_state_dict(sl.load(tmp_path / "state.npz"))
    group = second.param_groups[0]
    assert group["weight_decay"] == 0.25 and group["decoupled_weight_decay"] is True
