"""Optimizers and schedulers against PyTorch's."""

import inspect
import math

import numpy as np
import pytest

import sluice as sl
from sluice import optim

torch = pytest.importorskip("torch")

STEPS = 10
OPTIONS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    ("SGD", {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
    ("Adam", {}),
    ("Adam", {"lr": 0.05, "betas": (0.8, 0.95), "eps": 1e-4}),
    ("Adam", {"lr": 0.05, "weight_decay": 0.1, "amsgrad": True}),
    ("Adam", {"lr": 0.05, "maximize": True}),
    ("AdamW", {}),
    ("AdamW", {"lr": 0.05, "weight_decay": 0.3, "amsgrad": True}),
    ("Adagrad", {}),
    (
        "Adagrad",
        {
            "lr": 0.2,
            "lr_decay": 0.1,
            "weight_decay": 0.1,
            "initial_accumulator_value": 0.5,
        },
    ),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.7, "eps": 1e-3, "weight_decay": 0.1}),
    ("RMSprop", {}),
    ("RMSprop", {"lr": 0.01, "alpha": 0.9, "momentum": 0.8, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.01, "centered": True, "eps": 1e-3}),
    ("NAdam", {}),
    ("NAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"lr": 0.05}),
    ("RAdam", {"lr": 0.05, "betas": (0.8, 0.9), "weight_decay": 0.1}),
    ("Adamax", {}),
    ("Adamax", {"lr": 0.05, "betas": (0.8, 0.9), "maximize": True}),
    ("Rprop", {}),
    ("Rprop", {"lr": 0.1, "etas": (0.3, 1.5), "step_sizes": (1e-3, 0.2)}),
    ("ASGD", {}),
    ("ASGD", {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 3, "weight_decay": 0.1}),
    ("Adafactor", {}),
    ("Adafactor", {"lr": 0.1, "weight_decay": 0.1, "d": 1.5, "beta2_decay": -0.5}),
]


def start():
    rng = np.random.default_rng(7)
    arrays = [rng.normal(size=s).astype(np.float32) for s in ((3, 5), (5,))]
    x = rng.normal(size=(8, 3)).astype(np.float32)
    y = rng.normal(size=(8, 5)).astype(np.float32)
    return arrays, x, y


def run_torch(make, closure=False):
    arrays, x, y = start()
    w, b = (torch.tensor(a, requires_grad=True) for a in arrays)
    tx, ty = torch.tensor(x), torch.tensor(y)
    optimizer = make(torch.optim, [w, b])

    def loss_and_grads():
        optimizer.zero_grad()
        loss = ((tx @ w + b - ty) ** 2).mean()
        loss.backward()
        return loss

    for _ in range(STEPS):
        if closure:
            optimizer.step(loss_and_grads)
        else:
            loss_and_grads()
            optimizer.step()
    return [p.detach().numpy() for p in (w, b)]


def run_sluice(make, closure=False):
    arrays, x, y = start()
    w, b = (sl.tensor(a, requires_grad=True) for a in arrays)
    sx, sy = sl.tensor(x), sl.tensor(y)
    optimizer = make(optim, [w, b])

    def loss_and_grads():
        optimizer.zero_grad()
        loss = ((sx @ w + b - sy) ** 2).mean()
        loss.backward()
        return loss

    for _ in range(STEPS):
        if closure:
            optimizer.step(loss_and_grads)
        else:
            loss_and_grads()
            optimizer.step()
    return [np.asarray(p.detach()) for p in (w, b)]


def same(make, tolerance=1e-6, **options):
    for ours, theirs in zip(run_sluice(make, **options), run_torch(make, **options)):
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_parameters_after_ten_steps(name, options):
    same(lambda module, params: getattr(module, name)(params, **options))


def test_groups_have_their_own_options():
    def make(module, params):
        groups = [
            {"params": params[:1], "lr": 0.2, "momentum": 0.5},
            {"params": params[1:]},
        ]
        return module.SGD(groups, lr=0.05, momentum=0.9)

    same(make)


def test_lbfgs():
    def make(module, params):
        return module.LBFGS(params, lr=0.5, max_iter=4)

    same(make, tolerance=1e-5, closure=True)


def test_lbfgs_with_a_line_search_ends_at_the_same_minimum():
    def make(module, params):
        return module.LBFGS(params, max_iter=20, line_search_fn="strong_wolfe")

    same(make, tolerance=1e-4, closure=True)


# Of these the search takes every way: brackets at once, after guesses far out, with
# ends that are lower than what was found, with guesses near an end.
CROOKED = {
    "quartic": lambda x: ((x - 1.5) ** 4).sum() + (x[0] * x[1] - 0.3) ** 2,
    "valley": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    "waves": lambda x: ((3 * x).cos() / 3 + 0.1 * x * x - 0.7 * x).sum(),
    "steep": lambda x: (4 * x).exp().sum() - (x * 3).sum(),
    "flat": lambda x: (1 + (x - 20) ** 2).log().sum(),
}


@pytest.mark.parametrize("name", CROOKED)
@pytest.mark.parametrize("lr", [1.0, 0.01, 8.0])
def test_lbfgs_with_a_line_search_makes_the_same_steps_in_float64(name, lr):
    def steps(library, begin):
        x = library.tensor(begin, dtype=library.float64, requires_grad=True)
        made = library.optim.LBFGS(
            [x], lr=lr, max_iter=5, line_search_fn="strong_wolfe"
        )
        seen = []

        def closure():
            made.zero_grad()
            loss = CROOKED[name](x)
            loss.backward()
            seen.append(loss.item())
            return loss

        # Where curves turn, a last digit grows with every step.
        for _ in range(1 if name == "waves" else 3):
            made.step(closure)
        return seen, x.detach().numpy()

    random, compared = np.random.default_rng(5), 0
    for _ in range(20):
        begin = random.normal(size=3).tolist()
        (losses, ours), (wanted, theirs) = steps(sl, begin), steps(torch, begin)
        if not np.isfinite(theirs).all():  # ours comes back from there
            assert np.isfinite(ours).all()
            continue
        compared += 1
        assert len(losses) == len(wanted)
        np.testing.assert_allclose(losses, wanted, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)
    assert compared >= 10


def test_clip_grad_norm():
    _, x, _ = start()
    ours, theirs = sl.tensor(x, requires_grad=True), torch.tensor(x)
    theirs.requires_grad_()
    (ours * ours).sum().backward()
    (theirs * theirs).sum().backward()
    norm = optim.clip_grad_norm_([ours], 0.5)
    wanted = torch.nn.utils.clip_grad_norm_([theirs], 0.5)
    assert float(norm) == pytest.approx(float(wanted), rel=1e-6)
    np.testing.assert_allclose(np.asarray(ours.grad), theirs.grad, rtol=1e-6)


SCHEDULES = [
    ("StepLR", {"step_size": 7, "gamma": 0.5}),
    ("MultiStepLR", {"milestones": [3, 20, 21], "gamma": 0.3}),
    ("ExponentialLR", {"gamma": 0.93}),
    ("CosineAnnealingLR", {"T_max": 30}),
    ("CosineAnnealingLR", {"T_max": 30, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 7}),
    ("CosineAnnealingWarmRestarts", {"T_0": 5, "T_mult": 2, "eta_min": 0.01}),
    ("LinearLR", {"start_factor": 0.25, "total_iters": 10}),
    ("LinearLR", {"start_factor": 1.0, "end_factor": 0.1, "total_iters": 40}),
    ("ConstantLR", {"factor": 0.5, "total_iters": 8}),
    ("PolynomialLR", {"total_iters": 60, "power": 2.0}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.3, "step_size_up": 7}),
    (
        "CyclicLR",
        {
            "base_lr": [0.01, 0.02],
            "max_lr": 0.3,
            "step_size_up": 7,
            "step_size_down": 4,
            "mode": "exp_range",
            "gamma": 0.97,
            "base_momentum": 0.5,
        },
    ),
    ("LambdaLR", {"lr_lambda": lambda e: 0.95**e}),
    ("MultiplicativeLR", {"lr_lambda": lambda e: 0.9 if e % 2 else 1.0}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 101}),
    (
        "OneCycleLR",
        {
            "max_lr": [0.5, 0.2],
            "total_steps": 101,
            "three_phase": True,
            "anneal_strategy": "linear",
        },
    ),
]


def rates(module, make, measures=None):
    tensor = module.tensor if hasattr(module, "tensor") else None
    params = [tensor([1.0, 2.0], requires_grad=True) for _ in range(2)]
    groups = [{"params": params[:1]}, {"params": params[1:], "lr": 0.03}]
    optimizer = module.optim.SGD(groups, lr=0.1, momentum=0.9)
    schedule = make(module.optim.lr_scheduler, optimizer)
    seen = []
    for i in range(100):
        group = optimizer.param_groups
        seen.append((group[0]["lr"], group[1]["lr"], group[0]["momentum"]))
        for p in params:
            p.grad = tensor([0.0, 0.0])
        optimizer.step()
        if measures is None:
            schedule.step()
            assert list(schedule.get_last_lr()) == [g["lr"] for g in group]
        else:
            schedule.step(measures[i])
    return np.array(seen, dtype=float)


def same_rates(make, measures=None):
    ours, theirs = rates(sl, make, measures), rates(torch, make, measures)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-14)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("name", "options"), SCHEDULES)
def test_rates_over_a_hundred_steps(name, options):
    same_rates(lambda module, o: getattr(module, name)(o, **options))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_schedulers_one_after_the_other():
    def make(module, o):
        parts = [
            module.LinearLR(o, start_factor=0.1, total_iters=20),
            module.CosineAnnealingLR(o, T_max=50),
            module.ExponentialLR(o, gamma=0.9),
        ]
        return module.SequentialLR(o, parts, milestones=[20, 70])

    same_rates(make)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("second", ["MultiplicativeLR", "OneCycleLR", "CyclicLR"])
def test_parts_that_turn_momenta_or_go_on_from_what_they_find(second):
    options = {
        "MultiplicativeLR": {"lr_lambda": lambda e: 0.9},
        "OneCycleLR": {"max_lr": 0.5, "total_steps": 120},
        "CyclicLR": {"base_lr": 0.01, "max_lr": 0.3, "step_size_up": 5},
    }[second]

    def make(module, o):
        parts = [module.LinearLR(o), getattr(module, second)(o, **options)]
        return module.SequentialLR(o, parts, milestones=[8])

    same_rates(make)


@pytest.mark.parametrize("last", ["LambdaLR", "CosineAnnealingWarmRestarts"])
def test_schedulers_that_set_rates_whatever_they_find(last):
    options = {"lr_lambda": lambda e: 0.95**e} if last == "LambdaLR" else {"T_0": 7}

    def make(module, o):
        parts = [
            module.ExponentialLR(o, gamma=0.97),
            getattr(module, last)(o, **options),
        ]
        return module.ChainedScheduler(parts, optimizer=o)

    same_rates(make)


def moved(module, name, options):
    """A parameter and its optimizer."""
    p = module.tensor([1.0, -2.0, 3.0], requires_grad=True)
    optimizer = getattr(module.optim, name)([p], **options)
    return p, optimizer


def go_on(optimizer, p, steps=3):
    for _ in range(steps):
        optimizer.zero_grad()
        ((p - 0.5) ** 2).sum().backward()
        optimizer.step()


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_state_from_pytorch_and_back(name, options):
    theirs, first = moved(torch, name, options)
    go_on(first, theirs)
    ours, second = moved(sl, name, {})
    with sl.no_grad():
        ours.copy_(sl.tensor(theirs.detach().numpy()))
    second.load_state_dict(first.state_dict())
    assert second.param_groups[0]["lr"] == first.param_groups[0]["lr"]
    go_on(first, theirs)
    go_on(second, ours)
    np.testing.assert_allclose(ours.detach(), theirs.detach(), rtol=2e-6, atol=1e-6)

    state = second.torch_state_dict()
    kept = state["state"].get(0, {})
    slots = {k: torch.tensor(np.asarray(v)) for k, v in kept.items()}
    if slots:
        state["state"][0] = slots
    third, again = moved(torch, name, {"lr": 0.7})
    with torch.no_grad():
        third.copy_(torch.tensor(np.asarray(ours.detach())))
    again.load_state_dict(state)
    go_on(second, ours)
    go_on(again, third)
    np.testing.assert_allclose(ours.detach(), third.detach(), rtol=2e-6, atol=1e-6)


def test_schedulers_together():
    def make(module, o):
        parts = [
            module.ConstantLR(o, factor=0.1, total_iters=20),
            module.ExponentialLR(o, gamma=0.97),
            module.StepLR(o, step_size=30),
        ]
        return module.ChainedScheduler(parts, optimizer=o)

    same_rates(make)


@pytest.mark.parametrize(
    "options",
    [
        {"patience": 3},
        {"patience": 1, "min_lr": [0.01, 0.001]},
        {"patience": 2, "factor": 0.5, "cooldown": 4, "min_lr": 0.001},
        {"mode": "max", "patience": 5, "threshold": 0.1, "threshold_mode": "abs"},
    ],
)
def test_reduce_on_plateau(options):
    measures = np.abs(np.random.default_rng(3).normal(size=100)).tolist()
    same_rates(lambda module, o: module.ReduceLROnPlateau(o, **options), measures)


def refuses(make):
    try:
        make()
    except (TypeError, ValueError):
        return True
    return False


def values_of(default):
    """Values at and beyond every limit an option may have."""
    edges = [-math.inf, -1.0, -1e-9, 0.0, 1.0, 1.5, math.nan]
    if isinstance(default, tuple):
        for i in range(len(default)):
            for edge in edges:
                yield (*default[:i], edge, *default[i + 1 :])
    elif isinstance(default, (int, float)) and not isinstance(default, bool):
        yield from edges


@pytest.mark.parametrize(
    "name",
    [
        "ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax",
        "NAdam", "RAdam", "RMSprop", "Rprop", "SGD",
    ],
)  # fmt: skip
def test_values_that_pytorch_refuses_are_refused(name):
    theirs, ours = getattr(torch.optim, name), getattr(optim, name)
    options = inspect.signature(theirs.__init__).parameters
    refused = 0
    for option, parameter in options.items():
        for value in values_of(parameter.default):
            given = {option: value}
            if refuses(lambda: theirs([torch.ones(2)], **given)):
                refused += 1
                assert refuses(lambda: ours([sl.ones(2)], **given)), given
    assert refused > 2
