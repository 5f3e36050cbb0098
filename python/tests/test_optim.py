"""Optimizers, schedulers, clipping and means."""

import json
import math

import numpy as np
import pytest

import sluice as sl
from sluice import optim
from sluice.optim import lr_scheduler

ALL = ["SGD", "Adam", "AdamW", "Adagrad", "Adadelta", "RMSprop", "Adafactor", "Lion",
       "NAdam", "RAdam", "Adamax", "Rprop", "ASGD"]  # fmt: skip


def leaf(values):
    return sl.tensor(np.array(values, dtype=np.float32), requires_grad=True)


def array(tensor):
    return np.asarray(tensor.detach())


def step(optimizer, *params):
    optimizer.zero_grad()
    loss = params[0].sum() * 0
    for p in params:
        loss = loss + (p * p).sum()
    loss.backward()
    optimizer.step()
    return loss


@pytest.mark.parametrize("name", ALL)
def test_makes_the_loss_smaller(name):
    p = leaf([[1.0, -2.0], [0.5, 3.0]])
    optimizer = getattr(optim, name)([p], lr=0.05)
    first = float(step(optimizer, p))
    for _ in range(20):
        last = float(step(optimizer, p))
    assert last < first


def test_a_step_of_lion_is_of_one_size():
    p = leaf([1.0, -2.0])
    optimizer = optim.Lion([p], lr=0.25, weight_decay=0.5)
    step(optimizer, p)
    np.testing.assert_allclose(array(p), [1 - 0.25 * 1.5, -2 + 0.25 * 2], rtol=1e-6)


def test_parameters_by_name_and_by_generator():
    a, b = leaf([1.0]), leaf([2.0])
    named = optim.Adam({"a": a, "b": b}.items())
    assert named.param_groups[0]["param_names"] == ["a", "b"]
    step(named, a, b)
    assert {"a.exp_avg", "b.exp_avg_sq", "groups.0.lr"} <= set(named.state_dict())
    plain = optim.Adam(p for p in (a, b))
    step(plain, a, b)
    assert "0.exp_avg" in plain.state_dict()


def test_rates_are_read_and_set_through_groups():
    p = leaf([1.0])
    optimizer = optim.SGD([p], lr=0.5)
    group = optimizer.param_groups[0]
    assert group["lr"] == 0.5 and group["params"][0] is p
    step(optimizer, p)
    group["lr"] = 0.25
    assert group["lr"] == 0.25
    p.grad = sl.tensor([1.0])
    optimizer.step()
    np.testing.assert_allclose(array(p), [-0.25])
    assert "momentum" in group and len(group) == len(list(group))
    assert "lr: 0.25" in repr(optimizer)


def test_other_options_count_from_the_next_step():
    p = leaf([1.0])
    optimizer = optim.SGD([p], lr=0.5)
    optimizer.param_groups[0]["weight_decay"] = 1.0
    p.grad = sl.tensor([0.0])
    optimizer.step()
    np.testing.assert_allclose(array(p), [0.5])
    with pytest.raises(ValueError, match="momentum"):
        optimizer.param_groups[0]["momentum"] = -1
    with pytest.raises(ValueError, match="lr"):
        optimizer.param_groups[0]["lr"] = math.nan
    assert optimizer.param_groups[0]["momentum"] == 0


def test_groups_added_later():
    a, b = leaf([1.0]), leaf([1.0])
    optimizer = optim.SGD([{"params": [a], "lr": 0.5}], lr=0.1)
    optimizer.add_param_group({"params": b})
    assert [g["lr"] for g in optimizer.param_groups] == [0.5, 0.1]
    step(optimizer, a, b)
    np.testing.assert_allclose(array(a), [0.0])
    np.testing.assert_allclose(array(b), [0.8], rtol=1e-6)


def test_zero_grad_drops_or_clears():
    p = leaf([1.0])
    optimizer = optim.SGD([p])
    p.grad = sl.tensor([2.0])
    grad = p.grad
    optimizer.zero_grad(set_to_none=False)
    assert float(p.grad[0]) == 0 and float(grad[0]) == 0
    optimizer.zero_grad()
    assert p.grad is None


def test_closures_run_with_gradients_on():
    p = leaf([1.0])
    optimizer = optim.SGD([p], lr=0.5)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with sl.no_grad():
        loss = optimizer.step(closure)
    assert float(loss) == 1 and float(p.detach()[0]) == 0

    class Mine(Exception):
        pass

    def broken():
        raise Mine("stop")

    for made in (optimizer, optim.LBFGS([leaf([1.0])])):
        with pytest.raises(Mine, match="stop"):
            made.step(broken)


@pytest.mark.parametrize("name", ALL)
def test_state_goes_on_as_if_nothing_had_happened(name):
    make = getattr(optim, name)
    a = leaf([[1.0, -2.0], [0.5, 3.0]])
    first = make([a], lr=0.05)
    for _ in range(3):
        step(first, a)
    b = leaf(array(a))
    second = make([b])
    second.load_state_dict({k: v.clone() for k, v in first.state_dict().items()})
    assert second.param_groups[0]["lr"] == 0.05
    for _ in range(3):
        step(first, a)
        step(second, b)
    np.testing.assert_array_equal(array(a), array(b))


def test_bad_states_change_nothing():
    p = leaf([1.0])
    optimizer = optim.Adam([p])
    step(optimizer, p)
    state = optimizer.state_dict()
    state.pop("0.exp_avg")
    state["more"] = sl.tensor([1.0])
    with pytest.raises(ValueError, match="missing: 0.exp_avg"):
        optimizer.load_state_dict(state)
    with pytest.raises(TypeError, match="dict"):
        optimizer.load_state_dict([1, 2])


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda p: optim.SGD([p], lr=-1), ValueError, "lr"),
        (lambda p: optim.SGD([p], nesterov=True), ValueError, "nesterov"),
        (lambda p: optim.SGD([p], lr="fast"), TypeError, "lr"),
        (lambda p: optim.SGD([]), ValueError, "no parameters"),
        (lambda p: optim.SGD(p), TypeError, "one Tensor"),
        (lambda p: optim.SGD([p, p]), ValueError, "same"),
        (lambda p: optim.SGD([3]), TypeError, "int"),
        (lambda p: optim.SGD([p * 2]), ValueError, "leaf"),
        (lambda p: optim.SGD([sl.tensor([1, 2])]), ValueError, "floats"),
        (lambda p: optim.SGD([{"params": [p], "lrr": 1}]), ValueError, "lrr"),
        (lambda p: optim.Adam([p], betas=(0.9, 2)), ValueError, "beta2"),
        (lambda p: optim.Adam([p], betas=(1.0, 0.9)), ValueError, r"beta1 is 1; .*1\)"),
        (lambda p: optim.AdamW([p], betas=(0.9, 1.0)), ValueError, "beta2 is 1"),
        (lambda p: optim.Adam([p], betas=(-0.1, 0.9)), ValueError, "beta1"),
        (lambda p: optim.Adam([p], eps=-1e-8), ValueError, "eps"),
        (lambda p: optim.Adam([p], weight_decay=-1), ValueError, "weight_decay"),
        (lambda p: optim.Adam([p], betas=0.9), ValueError, "betas"),
        (lambda p: optim.LBFGS([p], line_search_fn="x"), ValueError, "strong_wolfe"),
        (lambda p: optim.LBFGS([p]).step(), TypeError, "closure"),
        (lambda p: optim.RMSprop([p], alpha=-1), ValueError, "alpha"),
    ],
)
def test_bad_input(make, error, text):
    with pytest.raises(error, match=text):
        make(leaf([1.0, 2.0]))


def test_an_optimizer_written_in_python():
    class Descent(optim.Optimizer):
        def __init__(self, params, lr=0.1):
            super().__init__(params, {"lr": lr})

        def step(self, closure=None):
            with sl.no_grad():
                for group in self.param_groups:
                    for p in group["params"]:
                        p -= group["lr"] * p.grad

    p = leaf([1.0])
    optimizer = Descent([p], lr=0.25)
    schedule = lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    step(optimizer, p)
    schedule.step()
    assert optimizer.param_groups[0]["lr"] == 0.125
    np.testing.assert_allclose(array(p), [0.5])


def test_clipping_by_value_and_norms_that_are_not_finite():
    p = leaf([1.0, 2.0])
    p.grad = sl.tensor([5.0, -0.25])
    optim.clip_grad_value_([p], 0.5)
    np.testing.assert_allclose(np.asarray(p.grad), [0.5, -0.25])
    p.grad = sl.tensor([math.inf, 1.0])
    with pytest.raises(RuntimeError, match="inf"):
        optim.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)
    assert float(optim.clip_grad_norm_([leaf([1.0])], 1.0)) == 0


@pytest.mark.parametrize("way", [lambda f: f, sl.function], ids=["now", "captured"])
@pytest.mark.parametrize("order", [1, 2.0, 3, math.inf, "inf"])
def test_clipping_by_norms_of_any_order(way, order):
    # Of the two names one took those of order 2 alone.
    assert optim.clip_grad_norm_ is sl.nn.utils.clip_grad_norm_
    assert optim.clip_grad_value_ is sl.nn.utils.clip_grad_value_
    p, q = leaf([1.0, 2.0]), leaf([3.0])

    def step():
        p.grad, q.grad = sl.tensor([3.0, -4.0]), sl.tensor([12.0])
        return optim.clip_grad_norm_([p, q], 2.0, norm_type=order)

    all_of_them = np.array([3.0, -4.0, 12.0])
    norm = np.linalg.norm(all_of_them, float(order))
    made = way(step)
    for _ in range(2):
        assert made().item() == pytest.approx(norm, rel=1e-5)
        after = np.concatenate([np.asarray(p.grad), np.asarray(q.grad)])
        np.testing.assert_allclose(after, all_of_them * 2 / norm, rtol=1e-5)


def test_means_of_parameters():
    p = leaf([1.0])
    ema = optim.EMA([("p", p)], decay=0.5)
    optimizer = optim.SGD([p], lr=0.5)
    step(optimizer, p)
    ema.update()
    with ema.use():
        np.testing.assert_allclose(array(p), [0.5])
    np.testing.assert_allclose(array(p), [0.0])
    other = optim.EMA([("p", p)])
    other.load_state_dict(ema.state_dict())
    assert float(other.value(0)[0]) == 0.5 and len(other) == 1


def test_schedulers_go_on_from_their_state():
    def made():
        optimizer = optim.SGD([leaf([1.0])], lr=0.1)
        parts = [
            lr_scheduler.LinearLR(optimizer, total_iters=5),
            lr_scheduler.ExponentialLR(optimizer, gamma=0.9),
        ]
        return optimizer, lr_scheduler.ChainedScheduler(parts)

    first, schedule = made()
    for _ in range(4):
        schedule.step()
    state = json.loads(json.dumps(schedule.state_dict()))
    second, other = made()
    other.load_state_dict(state)
    for _ in range(4):
        assert second.param_groups[0]["lr"] == first.param_groups[0]["lr"]
        schedule.step()
        other.step()


def test_plateaus_go_on_from_their_state():
    optimizer = optim.SGD([leaf([1.0])], lr=1.0)
    first = lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    fresh = json.loads(json.dumps(first.state_dict()))
    first.step(1.0)
    first.step(sl.tensor(2.0))
    state = json.loads(json.dumps(first.state_dict()))
    other = lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    other.load_state_dict(state)
    assert other.best == 1.0
    other.step(2.0)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.1)
    other.load_state_dict(fresh)
    assert other.best == math.inf and optimizer.param_groups[0]["lr"] == 1.0


def test_a_captured_step_sees_the_rate_change():
    p = leaf([1.0])
    optimizer = optim.SGD([p], lr=0.5)
    if not hasattr(sl, "function"):
        pytest.skip("no sl.function")

    @sl.function
    def train(x):
        loss = (p * x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    train(sl.tensor([1.0]))
    np.testing.assert_allclose(array(p), [0.5])
    optimizer.param_groups[0]["lr"] = 0.25
    train(sl.tensor([1.0]))
    np.testing.assert_allclose(array(p), [0.25])


def test_curves():
    curve = optim.warm_up(4, start_factor=0.5, next=optim.cosine(10))
    assert curve(1.0, 0) == 0.5 and curve(1.0, 4) == 1.0
    assert curve(2.0, 14) == pytest.approx(0, abs=1e-12)
    assert float(curve(1.0, sl.tensor(2))) == pytest.approx(0.75)
    p = leaf([1.0])
    optimizer = optim.SGD([p], lr=1.0)
    optimizer.follow(optim.step_decay(1, 0.5))
    step(optimizer, p)
    step(optimizer, p)
    assert optimizer.param_groups[0]["lr"] == 0.5
    plain = optim.SGD([p], lr=1.0)
    schedule = lr_scheduler.CurveLR(plain, lambda base, e: base / (e + 1))
    schedule.step()
    assert schedule.get_last_lr() == [0.5]


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda o: lr_scheduler.StepLR(3, 1), TypeError),
        (lambda o: lr_scheduler.LinearLR(o, start_factor=0), ValueError),
        (lambda o: lr_scheduler.ReduceLROnPlateau(o, mode="x"), ValueError),
        (lambda o: lr_scheduler.ReduceLROnPlateau(o, factor=1.5), ValueError),
        (lambda o: lr_scheduler.OneCycleLR(o, 0.1), ValueError),
        (lambda o: lr_scheduler.SequentialLR(o, [], []), ValueError),
        (lambda o: lr_scheduler.ChainedScheduler([1]), TypeError),
        (lambda o: lr_scheduler.LambdaLR(o, [1, 2]), ValueError),
        (lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 0), ValueError),
        (lambda o: lr_scheduler.StepLR(o, 1, last_epoch=3), KeyError),
    ],
)
def test_bad_schedules(make, error):
    with pytest.raises(error):
        make(optim.SGD([leaf([1.0])], lr=0.1))


def graph_of_a_square(make):
    graph = sl.Graph()
    with graph:
        w = sl.Variable(sl.tensor([2.0]), name="w")
        loss = (w * w).sum()
        operation = make(loss, w)
    session = sl.Session(graph)
    session.run(sl.initialize_variables(graph))
    return session, operation, w


def test_minimize_in_a_graph():
    session, train, w = graph_of_a_square(
        lambda loss, w: optim.SGD(lr=0.25).minimize(loss)
    )
    session.run(train)
    assert np.asarray(session.run(w)).tolist() == [1.0]
    session.run(train)
    assert np.asarray(session.run(w)).tolist() == [0.5]


def test_gradients_of_a_graph_changed_before_they_are_applied():
    def make(loss, w):
        optimizer = optim.SGD([w], lr=1.0)
        pairs = optimizer.compute_gradients(loss)
        clipped, _ = optim.clip_by_global_norm([g for g, _ in pairs], 0.5)
        return optimizer.apply_gradients(zip(clipped, [v for _, v in pairs]))

    session, train, w = graph_of_a_square(make)
    session.run(train)
    np.testing.assert_allclose(np.asarray(session.run(w)), [1.5], rtol=1e-5)


def test_rates_in_a_graph_follow_a_curve():
    def make(loss, w):
        optimizer = optim.SGD(lr=0.5)
        optimizer.follow(optim.step_decay(1, 0.5))
        return optimizer.minimize(loss, [w])

    session, train, w = graph_of_a_square(make)
    session.run(train)
    assert np.asarray(session.run(w)).tolist() == [0.0]
    with pytest.raises(ValueError, match="graph"):
        optim.LBFGS(None)


def test_curves_and_schedulers_of_one_name_agree():
    lr = lr_scheduler
    curves = {
        optim.linear_factor(0.5, 1.0, 2.5): lambda o: lr.LinearLR(o, 0.5, 1.0, 2.5),
        optim.constant_factor(0.25, 3): lambda o: lr.ConstantLR(o, 0.25, 3),
        optim.polynomial(8, 2.0): lambda o: lr.PolynomialLR(o, 8, 2.0),
        optim.cosine(4, min_lr=0.1): lambda o: lr.CosineAnnealingLR(o, 4, 0.1),
        optim.cosine_restarts(
            2, growth=2, min_lr=0.1
        ): lambda o: lr.CosineAnnealingWarmRestarts(o, 2, 2, 0.1),
    }
    for curve, make in curves.items():
        optimizer = optim.SGD([sl.ones(1).requires_grad_()], lr=0.8)
        schedule = make(optimizer)
        for step in range(12):
            assert optimizer.param_groups[0]["lr"] == pytest.approx(curve(0.8, step))
            schedule.step()
