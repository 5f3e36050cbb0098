"""Lazy modules: plain ones after the first call."""

import copy
import pickle

import numpy as np
import pytest
import sluice as sl
from sluice import nn

SHAPES = {0: (2, 5), 1: (2, 5, 6), 2: (2, 5, 6, 6), 3: (2, 5, 6, 6, 6)}
LAYERS = [(nn.LazyLinear, nn.Linear, (4,), 0)]
for axes in (1, 2, 3):
    for kind, args in (
        ("Conv", (4, 3)), ("ConvTranspose", (4, 3)), ("BatchNorm", ()),
        ("InstanceNorm", ()),
    ):  # fmt: skip
        names = f"Lazy{kind}{axes}d", f"{kind}{axes}d"
        LAYERS.append((*(getattr(nn, n) for n in names), args, axes))


@pytest.mark.parametrize("lazy, plain, args, axes", LAYERS)
def test_becomes_plain(lazy, plain, args, axes):
    x = sl.ones(*SHAPES[axes])
    layer = lazy(*args)
    assert isinstance(layer, plain) and lazy.__name__ in repr(layer)
    layer.eval()
    y = layer(x)
    assert type(layer) is plain and not layer.training
    # Lazy instance norms learn and track unless told not to.
    both = {"affine": True, "track_running_stats": True}
    other = plain(5, *args, **(both if "InstanceNorm" in plain.__name__ else {}))
    assert {n: t.shape for n, t in layer.state_dict().items()} == {
        n: t.shape for n, t in other.state_dict().items()
    }
    other.load_state_dict(layer.state_dict())
    assert np.allclose(y.detach().numpy(), other.eval()(x).detach().numpy())
    assert np.allclose(sl.function(layer)(x).detach().numpy(), y.detach().numpy())


def test_nothing_is_left_out_silently():
    net = nn.Sequential(nn.LazyLinear(3), nn.ReLU(), nn.LazyLinear(1, bias=False))
    for call in (
        lambda: list(net.parameters()),
        lambda: sl.optim.SGD(net.parameters(), lr=0.1),
        net.state_dict,
        lambda: net.to(sl.float64),
        lambda: sl.function(net)(sl.ones(2, 4)),
    ):
        with pytest.raises(RuntimeError, match="wanted"):
            call()
    net(sl.ones(2, 4))
    assert [tuple(p.shape) for p in net.parameters()] == [(3, 4), (3,), (1, 3)]


def test_copies_are_lazy_too():
    layer = nn.LazyLinear(3)
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        with pytest.raises(RuntimeError, match="no parameters yet"):
            list(other.parameters())
        assert other(sl.ones(2, 7)).shape == (2, 3)
    assert layer(sl.ones(2, 4)).shape == (2, 3)


def test_hooks_stay():
    seen = []
    layer = nn.LazyLinear(3)
    layer.register_forward_hook(lambda module, args, y: seen.append(y.shape))
    layer(sl.ones(2, 4))
    assert seen == [(2, 3)]


def test_arguments_are_checked_at_once():
    with pytest.raises(TypeError):
        nn.LazyLinear()
    with pytest.raises(ValueError, match="axes"):
        nn.LazyConv2d(3, 2)(sl.ones(2, 2))
