"""Norms of gradients together, fused layers, sums of windows over the end."""

import numpy as np
import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import nn
from sluice.nn import utils

RNG = np.random.default_rng(4)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, float("inf")])
def test_total_norm(p):
    parts = [RNG.standard_normal(s).astype("float32") for s in ((3, 2), (4,))]
    wanted = np.linalg.norm(np.concatenate([x.ravel() for x in parts]), p)
    for way in (utils.get_total_norm, sl.function(utils.get_total_norm)):
        assert np.isclose(way([sl.tensor(x) for x in parts], p).item(), wanted)
    with pytest.raises(ValueError, match="not finite"):
        utils.get_total_norm([sl.tensor([np.inf])], error_if_nonfinite=True)


def test_clip_with_norm():
    w, v = nn.Parameter(sl.ones(2)), nn.Parameter(sl.ones(3))
    (w.sum() * 3).backward()
    total = utils.get_total_norm([w.grad])
    utils.clip_grads_with_norm_([w, v], 1.0, total)
    assert np.allclose(w.grad.numpy(), 3 / (np.sqrt(18) + 1e-6)) and v.grad is None
    utils.clip_grads_with_norm_(w, 100.0, 1.0)
    assert np.allclose(w.grad.numpy(), 3 / (np.sqrt(18) + 1e-6))


def _trained(bn):
    with sl.no_grad():
        for t in (bn.running_mean, bn.weight, bn.bias):
            t.copy_(sl.tensor(RNG.standard_normal(4).astype("float32")))
        bn.running_var.copy_(sl.tensor(RNG.uniform(0.5, 2, 4).astype("float32")))
    return bn.eval()


@pytest.mark.parametrize("bias", [True, False])
def test_fused(bias):
    x = sl.tensor(RNG.standard_normal((2, 3, 6, 6)).astype("float32"))
    for conv in (nn.Conv2d(3, 4, 3, bias=bias), nn.ConvTranspose2d(3, 4, 3, bias=bias)):
        bn = _trained(nn.BatchNorm2d(4))
        transpose = isinstance(conv, nn.ConvTranspose2d)
        one = utils.fuse_conv_bn_eval(conv.eval(), bn, transpose)
        wanted = bn(conv(x)).detach().numpy()
        assert np.allclose(one(x).detach().numpy(), wanted, atol=1e-5)
    linear, bn = nn.Linear(3, 4, bias).eval(), _trained(nn.BatchNorm1d(4))
    one, rows = utils.fuse_linear_bn_eval(linear, bn), x[:, :, 0, 0]
    wanted = bn(linear(rows)).detach().numpy()
    assert np.allclose(one(rows).detach().numpy(), wanted, atol=1e-5)
    with pytest.raises(ValueError, match="wanted eval"):
        utils.fuse_linear_bn_eval(linear.train(), bn)


@pytest.mark.parametrize("way", [lambda f: f, sl.function], ids=["now", "captured"])
@pytest.mark.parametrize("padding", [0, 1])
def test_sums_of_windows_over_the_end(way, padding):
    x = RNG.standard_normal((2, 1, 6, 8)).astype("float32")
    f = way(lambda x: F.avg_pool2d(x, 3, 2, padding, True, divisor_override=5))
    made = f(sl.tensor(x)).numpy()
    counts = [int(np.ceil((n + 2 * padding - 3) / 2)) + 1 for n in (6, 8)]
    counts = [c - ((c - 1) * 2 >= n + padding) for c, n in zip(counts, (6, 8))]
    assert made.shape[2:] == tuple(counts)
    wide = np.pad(x, [(0, 0), (0, 0), (padding, 9), (padding, 9)])
    for i, j in np.ndindex(*counts):
        window = wide[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3]
        assert np.allclose(made[:, :, i, j], window.sum((2, 3)) / 5, atol=1e-5)
