"""Parameters computed of others: parametrize, weight_norm, spectral_norm."""

import copy

import numpy as np
import pytest
import sluice as sl
from sluice import nn
from sluice.nn import utils
from sluice.nn.utils import parametrize

X = sl.tensor(np.random.default_rng(2).standard_normal((4, 3)).astype("float32"))


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).T


class Doubled(nn.Module):
    def forward(self, x):
        return x * 2

    def right_inverse(self, x):
        return x / 2


def _linear(net):
    return (X @ net.weight.T + net.bias).detach().numpy()


def test_register_and_remove():
    net = nn.Linear(3, 3)
    f = sl.function(net)
    f(X)
    own = net.weight
    assert parametrize.register_parametrization(net, "weight", Symmetric()) is net
    assert parametrize.is_parametrized(net, "weight")
    assert not parametrize.is_parametrized(net, "bias")
    assert net.parametrizations.weight.original is own
    w = net.weight.detach().numpy()
    assert np.array_equal(w, w.T) and isinstance(net, nn.Linear)
    for way in (net, f):
        net.zero_grad()
        y = way(X)
        assert np.allclose(y.detach().numpy(), _linear(net), atol=1e-6)
        y.sum().backward()
        assert np.allclose(own.grad.numpy(), np.triu(own.grad.numpy()))
        assert own.grad.abs().sum().item() > 0
    parametrize.remove_parametrizations(net, "weight")
    assert type(net) is nn.Linear and net.weight is own
    assert np.array_equal(own.detach().numpy(), w)
    with sl.no_grad():
        own.zero_()
    assert np.allclose(f(X).detach().numpy(), net.bias.detach().numpy())


def test_inverse_and_assignment():
    net = nn.Linear(3, 2)
    before = net.weight.detach().clone()
    parametrize.register_parametrization(net, "weight", Doubled())
    assert np.allclose(net.weight.detach().numpy(), before.numpy())
    net.weight = sl.ones(2, 3)
    assert net.parametrizations.weight.original.tolist() == [[0.5] * 3] * 2
    parametrize.register_parametrization(net, "weight", Doubled())
    assert net.weight.tolist() == [[1.0] * 3] * 2
    assert net.parametrizations.weight.original.tolist() == [[0.25] * 3] * 2
    other = copy.deepcopy(net)
    parametrize.remove_parametrizations(other, "weight", leave_parametrized=False)
    assert other.weight.tolist() == [[0.25] * 3] * 2
    assert net.weight.tolist() == [[1.0] * 3] * 2


def test_parametrize_refuses():
    net = nn.Linear(3, 2)
    with pytest.raises(ValueError, match="no parameter"):
        parametrize.register_parametrization(net, "wait", Doubled())
    with pytest.raises(ValueError, match="wanted float32"):
        parametrize.register_parametrization(net, "weight", nn.Flatten(0))
    assert not parametrize.is_parametrized(net)
    parametrize.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
    square = nn.Linear(2, 2)
    parametrize.register_parametrization(square, "weight", Symmetric())
    with pytest.raises(RuntimeError, match="right_inverse"):
        square.weight = sl.ones(2, 2)


@pytest.mark.parametrize("old", [True, False])
@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm(old, dim):
    net = nn.Linear(3, 2)
    before = net.weight.detach().clone().numpy()
    (utils if old else utils.parametrizations).weight_norm(net, dim=dim)
    assert np.allclose(net.weight.detach().numpy(), before, atol=1e-6)
    f = sl.function(net)
    parts = net.parametrizations.weight if not old else None
    size = net.weight_g if old else parts.original0
    with sl.no_grad():
        size.mul_(3)
    for way in (net, f):
        made = way(X) - net.bias
        assert np.allclose(made.detach().numpy(), 3 * X.numpy() @ before.T, atol=1e-4)
    made.sum().backward()
    assert size.grad.shape == size.shape
    if old:
        utils.remove_weight_norm(net)
    else:
        parametrize.remove_parametrizations(net, "weight")
    assert type(net) is nn.Linear
    assert np.allclose(net.weight.detach().numpy(), 3 * before, atol=1e-5)


@pytest.mark.parametrize("old", [True, False])
def test_spectral_norm(old):
    net = nn.Conv2d(2, 3, 2)
    own = net.weight.detach().clone().numpy().reshape(3, -1)
    (utils if old else utils.parametrizations).spectral_norm(net)
    x = sl.ones(1, 2, 3, 3)
    f = sl.function(net)
    for way in [net, f] * 20:  # each comes closer
        way(x)
    net.eval()
    factor = np.linalg.svd(own)[1][0]
    made = net.weight.detach().numpy().reshape(3, -1)
    assert np.allclose(made, own / factor, atol=1e-3)
    assert np.allclose(f(x).detach().numpy(), net(x).detach().numpy(), atol=1e-6)
    if old:
        utils.remove_spectral_norm(net)
        assert np.allclose(net.weight.detach().numpy().reshape(3, -1), made)
        with pytest.raises(ValueError, match="no spectral_norm"):
            utils.remove_spectral_norm(net)


def test_weight_norm_of_recurrent_weights():
    net = nn.LSTM(3, 4)
    wanted = net(X)[0].detach().numpy()
    utils.weight_norm(net, "weight_hh_l0")
    y = net(X)[0]
    assert np.allclose(y.detach().numpy(), wanted, atol=1e-6)
    y.sum().backward()
    assert net.weight_hh_l0_g.grad is not None
