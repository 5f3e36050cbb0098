"""Norms and pools in the cases that are rare: no samples, sizes of None, own divisors.

Each at once and captured; wanted values are from formulas in numpy.
"""

import numpy as np
import pytest
import sluice as sl
from sluice import nn

WAYS = pytest.mark.parametrize(
    "way", [lambda f: f, sl.function], ids=["now", "captured"]
)


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


@WAYS
@pytest.mark.parametrize(
    "layer, shape",
    [
        (nn.BatchNorm1d, (0, 3)),
        (nn.BatchNorm1d, (0, 3, 4)),
        (nn.BatchNorm2d, (0, 3, 2, 2)),
    ],
)
def test_a_batch_without_samples_moves_no_running_statistics(way, layer, shape):
    net = layer(3)
    call = way(net)
    call(sl.tensor(_numbers(2, *shape[1:])))
    mean, var = net.running_mean.numpy().copy(), net.running_var.numpy().copy()
    assert call(sl.zeros(shape)).shape == shape
    assert np.array_equal(net.running_mean.numpy(), mean)
    assert np.array_equal(net.running_var.numpy(), var)
    assert net.num_batches_tracked.item() == 2


def _each_channel(x):
    axes = tuple(range(2, x.ndim))
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5)


@WAYS
@pytest.mark.parametrize("shape", [(2, 3, 5), (2, 3, 4, 2), (1, 2, 3, 2, 2)])
def test_norms_without_weights(way, shape):
    x = _numbers(*shape)
    layer = getattr(nn, f"InstanceNorm{x.ndim - 2}d")(shape[1])
    assert np.allclose(way(layer)(sl.tensor(x)).numpy(), _each_channel(x), atol=1e-5)
    groups = nn.GroupNorm(shape[1], shape[1], affine=False)
    assert np.allclose(way(groups)(sl.tensor(x)).numpy(), _each_channel(x), atol=1e-5)
    alone = way(layer)(sl.tensor(x[0])).numpy()
    assert np.allclose(alone, _each_channel(x[:1])[0], atol=1e-5)


@WAYS
def test_instance_norm_tracks_means_over_the_batch(way):
    layer = nn.InstanceNorm1d(3, track_running_stats=True, momentum=0.5)
    call = way(layer)
    mean, var = np.zeros(3), np.ones(3)
    for seed in range(3):
        x = _numbers(4, 3, 6, seed=seed)
        assert np.allclose(call(sl.tensor(x)).numpy(), _each_channel(x), atol=1e-5)
        mean = (mean + x.mean(2).mean(0)) / 2
        var = (var + x.var(2, ddof=1).mean(0)) / 2
    assert np.allclose(layer.running_mean.numpy(), mean, atol=1e-6)
    assert np.allclose(layer.running_var.numpy(), var, atol=1e-6)
    layer.eval()
    wanted = (x - mean[:, None]) / np.sqrt(var[:, None] + 1e-5)
    assert np.allclose(call(sl.tensor(x)).numpy(), wanted, atol=1e-5)


@WAYS
def test_one_number_per_channel_has_no_deviation(way):
    for layer, good, bad in (
        (nn.InstanceNorm1d(3), (2, 3, 4), (2, 3, 1)),
        (nn.BatchNorm1d(3), (2, 3), (1, 3)),
        (nn.BatchNorm2d(3), (1, 3, 2, 1), (1, 3, 1, 1)),
    ):
        call = way(layer)
        for _ in range(2):
            with pytest.raises(ValueError, match="more than one number per channel"):
                call(sl.ones(bad))
            assert call(sl.ones(good)).shape == good


@WAYS
@pytest.mark.parametrize("kind", ["Avg", "Max"])
def test_an_output_size_of_none_keeps_that_axis(way, kind):
    pool = way(getattr(nn, f"Adaptive{kind}Pool2d")((None, 2)))
    reduce = np.mean if kind == "Avg" else np.max
    for height in (3, 5):
        x = _numbers(2, 3, height, 4)
        wanted = reduce(x.reshape(2, 3, height, 2, 2), axis=-1)
        assert np.allclose(pool(sl.tensor(x)).numpy(), wanted, atol=1e-6)


@WAYS
def test_a_divisor_of_its_own(way):
    x = _numbers(2, 3, 4, 4)
    pool = way(nn.AvgPool2d(2, divisor_override=3))
    sums = x.reshape(2, 3, 2, 2, 2, 2).sum((3, 5))
    assert np.allclose(pool(sl.tensor(x)).numpy(), sums / 3, atol=1e-6)
    padded = way(nn.AvgPool2d(4, padding=1, stride=2, divisor_override=5))
    around = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    wanted = np.zeros((2, 3, 2, 2))
    for i in range(2):
        for j in range(2):
            window = around[:, :, 2 * i : 2 * i + 4, 2 * j : 2 * j + 4]
            wanted[:, :, i, j] = window.sum((2, 3))
    assert np.allclose(padded(sl.tensor(x)).numpy(), wanted / 5, atol=1e-5)
    with pytest.raises(ValueError, match="divisor_override is 0"):
        nn.functional.avg_pool2d(sl.tensor(x), 2, divisor_override=0)


def test_lbfgs_returns_the_loss_of_the_closure():
    x = sl.tensor([1.0, 2.0], requires_grad=True)
    optimizer = sl.optim.LBFGS([x])

    def closure():
        optimizer.zero_grad()
        loss = (x**2).sum()
        loss.backward()
        return loss

    loss = optimizer.step(closure)
    assert loss.dtype == sl.float32
    assert loss.item() == 5.0
