"""Objects of the library in captured functions: what code reads of them is of each
call, and what a graph cannot do again is refused before it does anything.

Why one file: a section for each object of the library, all by the same few lines."""

from __future__ import annotations

import math

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


# ---- Rates ----


def sgd(*values, **options):
    w = sl.tensor(list(values) or [1.0], requires_grad=True)
    return w, optim.SGD([w], lr=0.1, **options)


def test_rates_that_code_reads_are_those_of_each_call():
    def program(wrap):
        _, opt = sgd()
        sch = optim.lr_scheduler.StepLR(opt, 1, 0.5)
        seen = []

        @wrap
        def step(x):
            seen.append(opt.param_groups[0]["lr"])
            sch.step()
            return x

        for _ in range(6):
            step(sl.tensor(1.0))
        return seen

    assert both(program)[1] == 0.05


def test_an_update_by_hand():
    def program(wrap):
        w, opt = sgd(1.0, 2.0)
        sch = optim.lr_scheduler.ExponentialLR(opt, 0.5)

        @wrap
        def step(x):
            (w * x).sum().backward()
            with sl.no_grad():
                for group in opt.param_groups:
                    for p in group["params"]:
                        p -= group["lr"] * p.grad
                        p.grad = None
            sch.step()

        found = []
        for k in range(6):
            step(sl.tensor([1.0, k * 0.5]))
            found.append(w.tolist())
        return found

    both(program)


def test_a_rate_becomes_an_input():
    _, opt = sgd()

    @sl.function
    def step(x):
        return x * opt.param_groups[0]["lr"]

    for k in range(8):
        opt.param_groups[0]["lr"] = k * 0.25
        assert step(sl.tensor(1.0)).item() == k * 0.25
    assert len(step.traces()) <= 3


def test_rates_of_a_group_and_its_text():
    def program(wrap):
        _, opt = sgd()
        group = opt.param_groups[0]

        @wrap
        def step(x):
            if group["lr"] > 0.2:
                x = x + 1
            return x * 1, str(opt), f"{group['lr']:.3f}", repr(group)

        found = []
        for rate in (0.1, 0.2, 0.3, 0.4, 0.1):
            group["lr"] = rate
            y, *texts = step(sl.tensor(1.0))
            found.append((y.item(), texts))
        return found

    both(program)


def test_keys_that_come_later():
    def program(wrap):
        _, opt = sgd()
        group = opt.param_groups[0]

        @wrap
        def step(x):
            scale = group.get("lr_scale", 1.0)
            extra = 10.0 if "other" in group else 0.0
            return x * scale + extra, list(group.keys()), len(group)

        found = []
        for key, value in (
            (None, 0), ("lr_scale", 2.0), ("lr_scale", 3.0), ("other", 1), ("third", 1)
        ):  # fmt: skip
            if key is not None:
                group[key] = value
            y, *rest = step(sl.tensor(1.0))
            found.append((y.item(), rest))
        return found

    both(program)


def test_keys_that_captured_code_adds_and_deletes():
    def program(wrap):
        _, opt = sgd()
        group = opt.param_groups[0]

        @wrap
        def step(x):
            group["calls"] = group.get("calls", 0) + 1
            if group["calls"] == 4:
                del group["calls"]
            return x * group.get("calls", 100), len(group)

        found = []
        for _ in range(6):
            y, n = step(sl.tensor(1.0))
            found.append((y.item(), n, group.get("calls")))
        return found

    both(program)


@pytest.mark.parametrize("key", ["lr", "weight_decay"])
def test_options_set_inside_are_refused_with_the_line(key):
    _, opt = sgd()
    before = opt.param_groups[0][key]

    @sl.function
    def step(x):
        opt.param_groups[0][key] = 0.5
        return x

    with pytest.raises(TypeError, match=rf"library_state.py:\d+: '{key}' of a group"):
        step(sl.tensor(1.0))
    assert opt.param_groups[0][key] == before


def test_a_rate_along_a_curve_is_refused():
    w, opt = sgd()
    opt.follow(optim.exponential(0.5))

    @sl.function
    def step(x):
        (w * x).sum().backward()
        opt.step()
        return x * opt.param_groups[0]["lr"]

    with pytest.raises(TypeError, match=r"library_state.py:\d+: the rate follows"):
        step(sl.tensor(1.0))


SCHEDULERS = {
    "steps": lambda o: optim.lr_scheduler.StepLR(o, 1, 0.5),
    "function": lambda o: optim.lr_scheduler.LambdaLR(o, lambda k: 1 / (k + 1)),
    "plateau": lambda o: optim.lr_scheduler.ReduceLROnPlateau(o, patience=0),
    "means": lambda o: optim.swa_utils.SWALR(o, 0.5, anneal_epochs=3),
    "chain": lambda o: optim.lr_scheduler.ChainedScheduler(
        [optim.lr_scheduler.ExponentialLR(o, 0.5), optim.lr_scheduler.ConstantLR(o)]
    ),
    "sequence": lambda o: optim.lr_scheduler.SequentialLR(
        o,
        [optim.lr_scheduler.LinearLR(o), optim.lr_scheduler.StepLR(o, 1)],
        milestones=[2],
    ),
}


@pytest.mark.parametrize("kind", SCHEDULERS.values(), ids=SCHEDULERS)
def test_what_schedulers_say(kind):
    def program(wrap):
        _, opt = sgd()
        sch = kind(opt)
        seen = []
        best = isinstance(sch, optim.lr_scheduler.ReduceLROnPlateau)

        @wrap
        def step(x):
            seen.append(sch.get_last_lr()[0])
            seen.append(sch.last_epoch)
            seen.append(sch.best if best else x.item())
            seen.append(str(sch.state_dict()))
            if best:
                sch.step(x)
            else:
                sch.step()
            return x * 1

        for _ in range(5):
            step(sl.tensor(1.0))
        return seen

    both(program)


def test_a_state_is_not_loaded_by_captured_code():
    _, opt = sgd()
    sch = optim.lr_scheduler.StepLR(opt, 1, 0.5)
    state = sch.state_dict()
    sch.step()

    @sl.function
    def step(x):
        sch.load_state_dict(state)
        return x

    with pytest.raises(TypeError, match=r"library_state.py:\d+: StepLR.load_state"):
        step(sl.tensor(1.0))
    assert sch.last_epoch == 1


# ---- Scales of gradients ----


def test_losses_are_scaled_by_the_scale_of_each_call():
    def program(wrap):
        w, opt = sgd(1.0, 2.0)
        scaler = sl.amp.GradScaler("cpu", init_scale=8.0, growth_interval=1)

        @wrap
        def backward(x):
            loss = (w * x).sum()
            scaler.scale(loss).backward()
            return scaler.get_scale(), str(scaler.state_dict()["scale"])

        found = []
        for bad in (1.0, 1.0, float("inf"), 1.0, 1.0, 1.0):
            opt.zero_grad()
            found.append(backward(sl.tensor([bad, 1.0])))
            scaler.unscale_(opt)
            found.append(w.grad.tolist() if bad == 1.0 else None)
            scaler.step(opt)
            scaler.update()
            found.append((w.tolist(), scaler.get_scale()))
        return found

    both(program)


@pytest.mark.parametrize("method", ["unscale_", "step", "update"])
def test_the_rest_of_a_scaler_is_refused_and_leaves_no_trace(method):
    w, opt = sgd()
    scaler = sl.amp.GradScaler("cpu", init_scale=8.0)

    @sl.function
    def step(x):
        scaler.scale((w * x).sum()).backward()
        getattr(scaler, method)(5.0 if method == "update" else opt)
        return x

    with pytest.raises(TypeError, match=rf"library_state.py:\d+: GradScaler.{method}"):
        step(sl.tensor(1.0))
    assert scaler.get_scale() == 8.0 and w.grad is None
    scaler.scale((w * 1).sum()).backward()
    scaler.step(opt)
    scaler.update()


def test_a_scaler_that_is_not_enabled_does_nothing():
    def program(wrap):
        w, opt = sgd()
        scaler = sl.amp.GradScaler("cpu", enabled=False)

        @wrap
        def step(x):
            opt.zero_grad()
            scaler.scale((w * x).sum()).backward()
            scaler.unscale_(opt)
            scaler.step(opt)
            scaler.update()
            return w * 1

        return [step(sl.tensor(k)).tolist() for k in (1.0, 2.0, 3.0)]

    both(program)


# ---- Refused code has no effects ----


def grown(x, opt, generator):
    opt.add_param_group({"params": [sl.tensor([1.0], requires_grad=True)]})


def followed(x, opt, generator):
    opt.follow(optim.exponential(0.5))


def seeded(x, opt, generator):
    generator.manual_seed(5)


def seeded_by_state(x, opt, generator):
    generator.set_state((5, 0))


CHANGES = [grown, followed, seeded, seeded_by_state]


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_objects_for_good_is_refused_before_it_does(change):
    (_, opt), generator = sgd(), sl.Generator().manual_seed(3)

    @sl.function
    def step(x):
        change(x, opt, generator)
        return x

    with pytest.raises(TypeError, match=r"library_state.py:\d+.*only when the"):
        step(sl.tensor(1.0))
    assert len(opt.param_groups) == 1 and generator.get_state() == (3, 0)


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_reached_does_nothing(change):
    (_, opt), generator = sgd(), sl.Generator().manual_seed(3)

    @sl.function
    def step(x):
        if x > 5:
            change(x, opt, generator)
        return x * 2

    assert [step(sl.tensor(k)).item() for k in (1.0, 2.0)] == [2.0, 4.0]
    assert len(opt.param_groups) == 1 and generator.get_state() == (3, 0)
    with pytest.raises(TypeError, match=r"library_state.py:\d+.*only when the"):
        step(sl.tensor(6.0))
    assert len(opt.param_groups) == 1 and generator.get_state() == (3, 0)


def test_an_optimizer_made_inside_has_its_groups():
    w = sl.tensor([1.0], requires_grad=True)

    @sl.function
    def step(x):
        opt = optim.SGD([{"params": [w]}], lr=0.5)
        return x * len(opt.param_groups) * opt.param_groups[0]["lr"]

    assert [step(sl.tensor(k)).item() for k in (3.0, 4.0)] == [1.5, 2.0]
    assert len(step.traces()) == 1


# ---- Functions of the user's that objects of the library have ----


def test_an_activation_reads_what_there_is():
    def program(wrap):
        sl.manual_seed(1)
        cfg = {"k": 1.0}
        kinds = [
            nn.TransformerEncoderLayer(
                4, 1, 4, 0.0, activation=lambda z: z * cfg["k"] + (z.sum() > 0)
            ),
            nn.TransformerDecoderLayer(4, 1, 4, 0.0, activation=lambda z: z * cfg["k"]),
        ]

        @wrap
        def step(x):
            return kinds[0](x) + kinds[1](x, x)

        x, found = sl.arange(8.0).reshape(2, 1, 4), []
        for k in (1.0, 2.0, 3.0, 4.0):
            cfg["k"] = k
            found.append([round(v, 4) for v in step(x).flatten().tolist()])
        kinds[0].activation = nn.functional.relu
        found.append([round(v, 4) for v in step(x).flatten().tolist()])
        return found

    both(program)


def test_an_activation_with_a_branch_on_a_tensor():
    sl.manual_seed(1)

    def activation(z):
        if z.sum() > 0:
            return z * 2
        return z - 1

    layer = nn.TransformerEncoderLayer(4, 1, 4, 0.0, activation=activation)
    step = sl.function(layer)
    for k in (1.0, -1.0, 3.0):
        x = sl.arange(8.0).reshape(2, 1, 4) * k
        assert step(x).flatten().tolist() == pytest.approx(
            layer(x).flatten().tolist(), abs=1e-5
        )


def test_means_by_a_function_of_the_users():
    def program(wrap):
        sl.manual_seed(1)
        cfg = {"decay": 0.5}
        net = nn.Linear(2, 1)
        each = optim.swa_utils.AveragedModel(
            net, avg_fn=lambda m, v, n: m * cfg["decay"] + v * (1 - cfg["decay"])
        )

        def all_(means, values, n):
            for mean, value in zip(means, values):
                mean.copy_(mean + (value - mean) * cfg["decay"])

        together = optim.swa_utils.AveragedModel(net, multi_avg_fn=all_)

        @wrap
        def step(x):
            with sl.no_grad():
                net.weight.add_(x)
            each.update_parameters(net)
            together.update_parameters(net)
            return x * 1

        found = []
        for k in range(5):
            cfg["decay"] = 0.5 if k < 2 else 0.25
            step(sl.tensor(float(k)))
            found.append(each.module.weight.tolist() + together.module.weight.tolist())
        return found

    both(program)


def test_a_distance_of_the_users():
    def program(wrap):
        cfg = {"k": 1.0}
        loss = nn.TripletMarginWithDistanceLoss(
            distance_function=lambda a, b: ((a - b) ** 2).sum(-1) * cfg["k"]
        )

        @wrap
        def step(x):
            return loss(x, x + 1, x + 2)

        found = []
        for k in (1.0, 0.25, 0.5):
            cfg["k"] = k
            found.append(step(sl.ones(2, 3)).item())
        return found

    both(program)


# ---- Modes ----


def logarithm(x):
    with sl.autograd.detect_anomaly():
        return x.log()


@sl.autograd.detect_anomaly()
def logarithm_under(x):
    return x.log()


@pytest.mark.parametrize("code", [logarithm, logarithm_under])
def test_anomalies_are_looked_for_around_calls(code):
    with pytest.raises(TypeError, match=r"library_state.py:\d+: detect_anomaly\(\) in"):
        sl.function(lambda x: code(x))(sl.tensor(-1.0))
    step = sl.function(lambda x: code(x))
    for _ in range(2):
        with sl.autograd.detect_anomaly():
            assert step(sl.tensor(1.0)).item() == 0.0
            with pytest.raises(ValueError, match="nan"):
                step(sl.tensor(-1.0))


def test_a_search_for_anomalies_that_is_off():
    @sl.function
    def step(x):
        with sl.autograd.detect_anomaly(False):
            return x.log()

    assert str(step(sl.tensor(-1.0)).item()) == "nan"
    with sl.autograd.detect_anomaly(), pytest.raises(TypeError, match="anomaly"):
        step(sl.tensor(-1.0))


# ---- Weights that are computed, and small things ----


class Doubled(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", sl.zeros(1))

    def forward(self, w):
        self.count.add_(1)
        return w * 2

    def right_inverse(self, w):
        return w / 2


def test_to_assign_a_computed_weight_is_not_to_compute_it():
    def program(wrap):
        layer = nn.Linear(2, 1)
        part = Doubled()
        nn.utils.parametrize.register_parametrization(layer, "weight", part)

        @wrap
        def step(x):
            layer.weight = x
            return layer(sl.ones(1, 2)) - layer.bias

        return [
            (step(sl.ones(1, 2) * k).item(), part.count.item()) for k in (1.0, 2.0, 3.0)
        ]

    both(program)


def test_bytes_of_tensors_whose_sizes_change():
    step = sl.function(lambda x: x * x.nbytes)
    for n in (1, 2, 3, 5):
        assert step(sl.ones(n)).tolist() == [4.0 * n] * n


@pytest.mark.parametrize("how", [math.floor, math.ceil, math.trunc, round])
def test_tensors_that_python_rounds_stay_tensors(how):
    def program(wrap):
        @wrap
        def step(x):
            return how(x[0]), how(x), how(x[0].item())

        found = []
        for k in (1.75, -2.25, 7.5):
            one, two, number = step(sl.tensor([k, 0.25]))
            found.append((str(one), str(two), type(one).__name__, repr(number)))
        return found

    both(program)


# All calls called it, the first among them.
def test_the_function_of_an_averaged_model_is_called_when_it_is_used():
    def program(wrap):
        sl.manual_seed(0)
        log = []

        def average(mean, value, count):
            log.append(len(log))
            return mean + (value - mean) / (count + 1)

        model = nn.Linear(2, 1)
        averaged = optim.swa_utils.AveragedModel(model, avg_fn=average)
        optimizer = optim.SGD(model.parameters(), lr=0.1)

        def step(x):
            loss = (model(x) ** 2).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            averaged.update_parameters(model)
            return loss

        f = wrap(step)
        seen = []
        for v in (1.0, 0.5, 2.0, 1.0):
            f(sl.tensor([[v, 1.0]]))
            means = [p.tolist() for p in averaged.parameters()]
            seen.append((log[:], means, averaged.n_averaged.item()))
        return seen

    both(program)
