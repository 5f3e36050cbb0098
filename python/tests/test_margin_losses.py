"""Losses by margins and likelihoods, pools and norms made of others, beside loops."""

import math

import numpy as np
import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import nn

WAYS = pytest.mark.parametrize(
    "way", [lambda f: f, sl.function], ids=["now", "captured"]
)
RNG = np.random.default_rng(5)
X = RNG.standard_normal((4, 5)).astype("float32")


def _near(tensor, wanted):
    return np.allclose(tensor.numpy(), wanted, rtol=1e-5, atol=1e-6)


@WAYS
@pytest.mark.parametrize("p", [1, 2])
def test_multi_margin(way, p):
    y, w = np.array([0, 4, 2, 2]), np.array([1.0, 2.0, 0.5, 1.0, 3.0], "float32")
    wanted = [
        sum(
            w[y[n]] * max(0.0, 0.5 - X[n, y[n]] + X[n, i]) ** p
            for i in range(5)
            if i != y[n]
        )
        / 5
        for n in range(4)
    ]
    loss = way(nn.MultiMarginLoss(p, 0.5, sl.tensor(w), reduction="none"))
    assert _near(loss(sl.tensor(X), sl.tensor(y)), wanted)
    single = way(nn.MultiMarginLoss(p, 0.5, sl.tensor(w)))
    assert _near(single(sl.tensor(X[1]), sl.tensor(y[1])), wanted[1])
    with pytest.raises(ValueError, match="wanted 1 or 2"):
        nn.MultiMarginLoss(3)


@WAYS
def test_multilabel_margin(way):
    y = np.array([[3, 0, -1, 1, 2], [1, -1, 0, 0, 0], [-1] * 5, [0, 1, 2, 3, 4]])
    wanted = []
    for row, labels in zip(X, y):
        named = list(labels[: list(labels).index(-1)] if -1 in labels else labels)
        others = [i for i in range(5) if i not in named]
        pairs = [max(0.0, 1 - (row[j] - row[i])) for j in named for i in others]
        wanted.append(sum(pairs) / 5)
    loss = way(nn.MultiLabelMarginLoss(reduction="none"))
    assert _near(loss(sl.tensor(X), sl.tensor(y)), wanted)


@WAYS
def test_soft_margins(way):
    y = np.where(RNG.random((4, 5)) < 0.5, -1.0, 1.0).astype("float32")
    loss = way(nn.SoftMarginLoss())
    assert _near(loss(sl.tensor(X), sl.tensor(y)), np.log1p(np.exp(-y * X)).mean())
    t = (y + 1) / 2
    log = lambda z: -np.log1p(np.exp(-z))
    each = -(t * log(X) + (1 - t) * log(-X)).mean(1)
    many = way(nn.MultiLabelSoftMarginLoss(reduction="sum"))
    assert _near(many(sl.tensor(X), sl.tensor(t)), each.sum())


@WAYS
def test_poisson(way):
    y = RNG.integers(0, 6, (4, 5)).astype("float32")
    plain = way(nn.PoissonNLLLoss(reduction="none"))
    assert _near(plain(sl.tensor(X), sl.tensor(y)), np.exp(X) - y * X)
    safe = np.where(y > 1, y, 2)
    more = safe * np.log(safe) - safe + 0.5 * np.log(2 * math.pi * safe)
    full = way(nn.PoissonNLLLoss(full=True, reduction="none"))
    wanted = np.exp(X) - y * X + np.where(y > 1, more, 0)
    assert _near(full(sl.tensor(X), sl.tensor(y)), wanted)


@WAYS
def test_gaussian(way):
    var = np.abs(RNG.standard_normal((4, 5))).astype("float32")
    wanted = 0.5 * (np.log(var) + X**2 / var)
    loss = way(nn.GaussianNLLLoss(reduction="none"))
    zero = sl.zeros(4, 5)
    assert _near(loss(sl.tensor(X), zero, sl.tensor(var)), wanted)
    rows = 0.5 * (np.log(var[:, :1]) + X**2 / var[:, :1])
    assert _near(loss(sl.tensor(X), zero, sl.tensor(var[:, 0])), rows)
    with pytest.raises(ValueError, match="negative"):
        loss(sl.tensor(X), zero, sl.tensor(-var))


@WAYS
@pytest.mark.parametrize("p, swap", [(1.0, False), (2.0, True), (3.0, True)])
def test_triplets_of_other_norms(way, p, swap):
    a, b, c = (RNG.standard_normal((3, 4)).astype("float32") for _ in range(3))
    length = lambda d: (np.abs(d + 1e-6) ** p).sum(1) ** (1 / p)
    far = np.minimum(length(a - c), length(b - c)) if swap else length(a - c)
    wanted = np.maximum(length(a - b) - far + 1, 0).mean()
    loss = way(nn.TripletMarginLoss(p=p, swap=swap))
    assert _near(loss(sl.tensor(a), sl.tensor(b), sl.tensor(c)), wanted)


@WAYS
@pytest.mark.parametrize("shape", [(2, 5, 3), (1, 4, 2, 3), (1, 3, 2, 2, 2)])
def test_local_response_norm(way, shape):
    x = RNG.standard_normal(shape).astype("float32")
    squares = np.zeros_like(x)
    for c in range(shape[1]):
        near = range(max(0, c - 1), min(shape[1], c + 2))
        squares[:, c] = sum(x[:, i] ** 2 for i in near)
    wanted = x / (2 + squares * (0.5 / 3)) ** 0.75
    layer = way(nn.LocalResponseNorm(3, alpha=0.5, k=2.0))
    assert _near(layer(sl.tensor(x)), wanted)


@WAYS
def test_norms_of_windows(way):
    x = np.abs(RNG.standard_normal((2, 3, 4, 4))).astype("float32")
    wanted = (x.reshape(2, 3, 2, 2, 2, 2) ** 3).sum((3, 5)) ** (1 / 3)
    assert _near(way(nn.LPPool2d(3, 2))(sl.tensor(x)), wanted)
    assert _near(
        F.lp_pool1d(sl.tensor(x[0]), 2, 4)[:, :, 0], np.sqrt((x[0] ** 2).sum(2))
    )


@WAYS
@pytest.mark.parametrize(
    "layer, mode",
    [
        (nn.ReflectionPad3d, "reflect"),
        (nn.ReplicationPad3d, "edge"),
        (nn.CircularPad3d, "wrap"),
    ],
)
def test_borders_of_volumes(way, layer, mode):
    x = RNG.standard_normal((1, 2, 3, 4, 5)).astype("float32")
    around = ((0, 0), (0, 0), (1, 2), (2, 1), (0, 3))
    made = way(layer((0, 3, 2, 1, 1, 2)))(sl.tensor(x))
    assert np.array_equal(made.numpy(), np.pad(x, around, mode))
