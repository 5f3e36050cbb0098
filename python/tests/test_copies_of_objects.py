"""copy.deepcopy and pickle of optimizers, schedulers, layers, samplers and others:
StepLR failed, and no optimizer could be pickled."""

import copy
import pickle

import pytest
from public_objects import (
    MADE,
    NOT_COPIED,
    OPTIMIZERS,
    SCHEDULERS,
    classes,
    layers,
    stepped,
)

import sluice as sl
import sluice.optim as optim
from sluice import nn
from sluice.optim import lr_scheduler


def pickled(x):
    return pickle.loads(pickle.dumps(x))


WAYS = [pytest.param(copy.deepcopy, id="deepcopy"), pytest.param(pickled, id="pickle")]
# A curve of C++ is a function, which has no bytes; copies share it.
NO_PICKLE = ("Curve", "CurveLR")


def test_every_public_class_has_an_object():
    assert set(classes()) - set(MADE) == set(NOT_COPIED)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MADE)
def test_copies_are_of_the_same_class(name, way):
    x = MADE[name]()
    if way is pickled and name in NO_PICKLE:
        with pytest.raises(TypeError, match="Curve"):
            way(x)
        return
    made = way(x)
    # As PyTorch's groups, which are dicts of no optimizer when they are copied.
    assert type(made) is (dict if name == "ParamGroup" else type(x))
    copy.copy(x)


@pytest.mark.parametrize("way", WAYS)
def test_layers_are_copied(way):
    for name, layer in layers():
        made = way(layer)
        assert type(made) is type(layer), name
        if not name.startswith("Lazy"):
            for key, value in layer.state_dict().items():
                assert sl.array_equal(made.state_dict()[key], value), (name, key)


def go_on(optimizer, steps=3):
    """Parameters after some steps more."""
    (w,) = optimizer.param_groups[0]["params"]

    def closure():
        optimizer.zero_grad()
        loss = ((w - 3.0) ** 2).sum()
        loss.backward()
        return loss

    for _ in range(steps):
        optimizer.step(closure)
    return w.tolist()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_copied_optimizers_go_on_as_the_first(name, way):
    x = OPTIMIZERS[name]()
    made = way(x)
    before = x.param_groups[0]["params"][0].tolist()
    after = go_on(made)
    assert x.param_groups[0]["params"][0].tolist() == before  # it has its own
    assert go_on(x) == after != before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SCHEDULERS)
def test_copied_schedulers_go_on_as_the_first(name, way):
    if way is pickled and name in NO_PICKLE:
        return
    x = SCHEDULERS[name]()
    what = (1.0,) if name == "ReduceLROnPlateau" else ()
    x.step(*what)
    made = way(x)
    rates = []
    for schedule in (made, x):
        rates.append([])
        for _ in range(4):
            schedule.step(*what)
            rates[-1].append(schedule.optimizer.param_groups[0]["lr"]
                             if name != "ChainedScheduler" else
                             schedule.get_last_lr())  # fmt: skip
    assert rates[0] == rates[1]


@pytest.mark.parametrize("way", WAYS)
def test_a_model_its_optimizer_and_schedule_are_copied_together(way):
    net = nn.Linear(2, 1)
    optimizer = optim.Adam(net.parameters(), lr=0.1)
    schedule = lr_scheduler.StepLR(optimizer, 2)
    net2, optimizer2, schedule2 = way((net, optimizer, schedule))
    assert schedule2.optimizer is optimizer2
    assert optimizer2.param_groups[0]["params"][0] is net2.weight
    for n, o, s in ((net, optimizer, schedule), (net2, optimizer2, schedule2)):
        for _ in range(3):
            o.zero_grad()
            n(sl.ones(1, 2)).sum().backward()
            o.step()
            s.step()
    assert net.weight.tolist() == net2.weight.tolist()
    assert schedule2.get_last_lr() == schedule.get_last_lr()


@pytest.mark.parametrize("way", WAYS)
def test_groups_keep_their_options_and_names(way):
    w = nn.Parameter(sl.ones(2))
    x = optim.SGD([{"params": [("w", w)], "name": "first"}], lr=0.1, momentum=0.5)
    x.param_groups[0]["lr"] = 0.25
    x.param_groups[0]["note"] = "mine"
    group = way(x).param_groups[0]
    assert (group["lr"], group["momentum"], group["note"]) == (0.25, 0.5, "mine")
    assert (group["name"], group["param_names"]) == ("first", ["w"])


@pytest.mark.parametrize("way", WAYS)
def test_generators_go_on_as_the_first(way):
    x = sl.Generator().manual_seed(3)
    sl.rand(2, generator=x)
    made = way(x)
    assert sl.rand(3, generator=made).tolist() == sl.rand(3, generator=x).tolist()


@pytest.mark.parametrize("way", WAYS)
def test_other_state_is_copied(way):
    scaler = way(sl.amp.GradScaler("cpu", init_scale=8.0))
    assert scaler.get_scale() == 8.0
    assert way(MADE["ConfusionMatrix"]()).count(1, 0) == 1
    ema = MADE["EMA"]()
    ema.update()
    assert way(ema).value(0).tolist() == ema.value(0).tolist()


def test_attributes_of_a_schedule_count_from_the_next_step_on():
    # They were read once, when it was made.
    optimizer = stepped()
    schedule = lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    schedule.gamma = 0.1
    schedule.step()
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.01)


def test_an_optimizer_of_a_graph_is_not_copied():
    with sl.Graph().as_default():
        x = optim.SGD(None, lr=0.1)
        for way in (copy.deepcopy, pickled):
            with pytest.raises(TypeError, match="part of a graph"):
                way(x)
