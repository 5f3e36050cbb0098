"""unfold and fold beside loops; images of other sizes."""

import numpy as np
import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import nn

WAYS = pytest.mark.parametrize(
    "way", [lambda f: f, sl.function], ids=["now", "captured"]
)
RNG = np.random.default_rng(6)
X = RNG.standard_normal((2, 3, 6, 7)).astype("float32")


def _columns(x, kernel, dilation, padding, stride):
    x = np.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in padding])
    counts = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, d, s in zip(x.shape[2:], kernel, dilation, stride)
    ]
    made = []
    for i in range(counts[0]):
        for j in range(counts[1]):
            top, left = i * stride[0], j * stride[1]
            rows = top + dilation[0] * np.arange(kernel[0])
            columns = left + dilation[1] * np.arange(kernel[1])
            made.append(x[:, :, rows][:, :, :, columns].reshape(len(x), -1))
    return np.stack(made, -1)


@WAYS
@pytest.mark.parametrize("stride", [(1, 1), (2, 3)])
@pytest.mark.parametrize("dilation", [(1, 1), (2, 1)])
def test_unfold_and_fold(way, stride, dilation):
    kernel, padding = (2, 3), (1, 0)
    wanted = _columns(X, kernel, dilation, padding, stride)
    layer = way(nn.Unfold(kernel, dilation, padding, stride))
    assert np.array_equal(layer(sl.tensor(X)).numpy(), wanted)
    assert np.array_equal(layer(sl.tensor(X[0])).numpy(), wanted[0])
    # fold adds up: of ones it counts in how many windows an element is.
    x = sl.tensor(X, requires_grad=True)
    F.unfold(x, kernel, dilation, padding, stride).sum().backward()
    back = way(nn.Fold((6, 7), kernel, dilation, padding, stride))
    assert np.array_equal(back(sl.ones_like(sl.tensor(wanted))).numpy(), x.grad.numpy())
    with pytest.raises(ValueError, match="windows"):
        back(sl.tensor(wanted[:, :, 1:]))


def test_unfold_is_recorded_once_for_all_sizes():
    f = sl.function(lambda x: F.unfold(x, 2, stride=2))
    for n in (4, 6, 9):
        assert f(sl.ones(1, 2, n, n + 1)).shape == (1, 8, (n // 2) * ((n + 1) // 2))
    assert len(f.traces()) == 1


def test_unfold_refuses():
    with pytest.raises(ValueError, match="larger than"):
        F.unfold(sl.ones(1, 1, 2, 2), 3)
    with pytest.raises(ValueError, match="kernel_size is"):
        F.unfold(sl.ones(1, 1, 2, 2), (1, 2, 3))


@WAYS
def test_modes_of_interpolate(way):
    line = np.arange(6, dtype="float32").reshape(1, 1, 6)
    exact = way(lambda x: F.interpolate(x, 4, mode="nearest-exact"))
    assert exact(sl.tensor(line)).tolist() == [[[0, 2, 3, 5]]]
    area = way(lambda x: F.interpolate(x, 3, mode="area"))
    assert area(sl.tensor(line)).tolist() == [[[0.5, 2.5, 4.5]]]
    # What is linear stays so between corners, by lines and by cubes.
    grid = np.add.outer(np.add.outer(np.arange(3.0), np.arange(4.0)), np.arange(5.0))
    fine = np.add.outer(
        np.add.outer(np.linspace(0, 2, 5), np.linspace(0, 3, 7)), np.linspace(0, 4, 9)
    )
    volume = way(lambda x: F.interpolate(x, (5, 7, 9), None, "trilinear", True))
    made = volume(sl.tensor(grid[None, None].astype("float32")))
    assert np.allclose(made.numpy()[0, 0], fine, atol=1e-5)
    cubic = way(lambda x: F.interpolate(x, (7, 9), None, "bicubic", True))
    made = cubic(sl.tensor(grid[:1, None].astype("float32")[:, :, 0:4]))
    assert np.allclose(made.numpy()[0, 0, 2:-2, 2:-2], fine[0, 2:-2, 2:-2], atol=1e-5)
    smooth = way(lambda x: F.interpolate(x, (2, 2), mode="bilinear", antialias=True))
    flat = smooth(sl.full((1, 1, 8, 6), 3.0))
    assert np.allclose(flat.numpy(), 3.0)


def test_interpolate_refuses():
    with pytest.raises(ValueError, match="trilinear"):
        F.interpolate(sl.ones(1, 1, 4), 2, mode="bicubic")
    with pytest.raises(ValueError, match="wanted bilinear or bicubic"):
        F.interpolate(sl.ones(1, 1, 4), 2, antialias=True)
    with pytest.raises(ValueError, match="align_corners"):
        F.interpolate(sl.ones(1, 1, 4), 2, align_corners=True)
