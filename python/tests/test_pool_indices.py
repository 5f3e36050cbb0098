"""return_indices of max pooling, and MaxUnpool, beside loops."""

import itertools

import numpy as np
import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import nn

WAYS = pytest.mark.parametrize(
    "way", [lambda f: f, sl.function], ids=["now", "captured"]
)
RNG = np.random.default_rng(8)
SIZES = {1: (9,), 2: (7, 6), 3: (5, 6, 7)}


def _numbers(axes):
    # Few values, so that there are ties: the first of them counts.
    return RNG.integers(0, 9, (2, 3, *SIZES[axes])).astype("float32")


def _first_greatest(x, windows):
    """Indices by windows of each axis: lists of places."""
    made = np.zeros((*x.shape[:2], *map(len, windows)), "int64")
    for at in itertools.product(*(range(len(w)) for w in windows)):
        places = itertools.product(*(w[i] for w, i in zip(windows, at)))
        flat = [np.ravel_multi_index(p, x.shape[2:]) for p in places]
        values = x.reshape(*x.shape[:2], -1)[:, :, flat]
        made[(..., *at)] = np.array(flat)[values.argmax(-1)]
    return made


@WAYS
@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_max_pool_indices(way, axes, ceil_mode):
    x = _numbers(axes)
    windows = []
    for n in SIZES[axes]:
        count = (n + 2 - 3 + (1 if ceil_mode else 0)) // 2 + 1
        begins = [2 * i - 1 for i in range(count) if 2 * i - 1 < n]
        windows.append([[p for p in range(b, b + 3) if 0 <= p < n] for b in begins])
    layer = getattr(nn, f"MaxPool{axes}d")(3, 2, 1, 1, True, ceil_mode)
    y, at = way(layer)(sl.tensor(x))
    wanted = _first_greatest(x, windows)
    assert at.dtype == sl.int64 and np.array_equal(at.numpy(), wanted)
    flat = np.take_along_axis(x.reshape(2, 3, -1), wanted.reshape(2, 3, -1), 2)
    assert np.array_equal(y.numpy(), flat.reshape(wanted.shape))
    assert np.array_equal(way(layer)(sl.tensor(x[0]))[1].numpy(), wanted[0])


@WAYS
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_adaptive_indices(way, axes):
    x = _numbers(axes)
    windows = [
        [range(i * n // 3, -(-(i + 1) * n // 3)) for i in range(3)] for n in SIZES[axes]
    ]
    layer = getattr(nn, f"AdaptiveMaxPool{axes}d")(3, return_indices=True)
    at = way(layer)(sl.tensor(x))[1]
    assert np.array_equal(at.numpy(), _first_greatest(x, windows))


@WAYS
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_unpool(way, axes):
    x = RNG.standard_normal((2, 3, *SIZES[axes])).astype("float32")
    pool = getattr(F, f"max_pool{axes}d")
    y, at = pool(sl.tensor(x), 2, return_indices=True)
    wanted = np.zeros((2, 3, x[0, 0].size), "float32")
    places, values = (t.numpy().reshape(2, 3, -1) for t in (at, y))
    np.put_along_axis(wanted, places, values, 2)
    layer = way(getattr(nn, f"MaxUnpool{axes}d")(2))
    made = layer(y, at, output_size=list(x.shape))
    assert np.array_equal(made.numpy(), wanted.reshape(x.shape))
    if axes == 1:
        assert layer(y, at).shape == (2, 3, 8)
    with pytest.raises(ValueError, match="beyond"):
        layer(y, at + 10**6)
    with pytest.raises(ValueError, match="wanted less than"):
        layer(y, at, output_size=[n + 9 for n in x.shape])


def test_unpool_has_gradients():
    y = sl.tensor([[[1.0, 2.0]]], requires_grad=True)
    made = F.max_unpool1d(y, sl.tensor([[[1, 2]]]), 2)
    (made * sl.tensor([[[5.0, 6.0, 7.0, 8.0]]])).sum().backward()
    assert y.grad.tolist() == [[[6.0, 7.0]]]
