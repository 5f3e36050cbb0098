"""Floats in the place of ints, and other things in that of bools, are refused: sizes
and axes lost their fractions, and sum(x, 0, float64) kept the axis."""

import pytest

import sluice as sl
import sluice.nn.functional as F
from sluice import nn

X = sl.arange(24.0).reshape(4, 6)
IMAGE = sl.ones(1, 2, 8, 8)
WINDOW = sl.ones(2, 2, 3, 3)

FRACTIONS = {
    "reshape": lambda: X.reshape(12.7, 2),
    "view": lambda: X.view(12.7, 2),
    "zeros": lambda: sl.zeros((2.5,)),
    "full": lambda: sl.full((2.7,), 1.0),
    "randn": lambda: sl.randn((2.5, 3)),
    "randint": lambda: sl.randint(0, 5, (2.5,)),
    "broadcast_to": lambda: sl.broadcast_to(sl.ones(1), (2.5,)),
    "sum": lambda: sl.sum(X, 1.5),
    "sum, a method": lambda: X.sum(0.5),
    "mean": lambda: sl.mean(X, dim=0.5),
    "prod": lambda: sl.prod(X, 0.5),
    "std": lambda: sl.std(X, 0.5),
    "norm": lambda: sl.norm(X, 2, 0.5),
    "amax": lambda: sl.amax(X, 0.5),
    "aminmax": lambda: sl.aminmax(X, dim=0.5),
    "avg_pool2d": lambda: F.avg_pool2d(IMAGE, 2.5),
    "max_pool2d": lambda: F.max_pool2d(IMAGE, 2, 1.5),
    "adaptive_avg_pool2d": lambda: F.adaptive_avg_pool2d(IMAGE, 2.5),
    "conv2d, stride": lambda: F.conv2d(IMAGE, WINDOW, stride=1.5),
    "conv2d, padding": lambda: F.conv2d(IMAGE, WINDOW, padding=1.5),
    "interpolate": lambda: F.interpolate(IMAGE, size=(2.5, 2)),
    "Linear": lambda: nn.Linear(2.5, 2),
    "Embedding": lambda: nn.Embedding(2.5, 2),
    "LayerNorm": lambda: nn.LayerNorm(6.5),
    "rot90": lambda: sl.rot90(X, 1.5),
    "round": lambda: sl.round(X, decimals=1.5),
    "diff": lambda: sl.diff(X, 1.5),
    "stft": lambda: sl.stft(sl.ones(32), 8, hop_length=1.5, return_complex=True),
}


@pytest.mark.parametrize("name", FRACTIONS)
def test_fractions_are_no_sizes_and_no_axes(name):
    with pytest.raises(TypeError, match="wanted (an int|ints)"):
        FRACTIONS[name]()


@pytest.mark.parametrize("value", ["no", 2.5, sl.float64])
@pytest.mark.parametrize("name", ["sum", "mean", "prod", "amax", "max", "argmax", "all",
                                  "any", "logsumexp", "median", "nansum"])
def test_only_bools_keep_axes(name, value):
    with pytest.raises(TypeError, match="wanted a bool"):
        getattr(sl, name)(X, 0, value)
    with pytest.raises(TypeError, match="wanted a bool"):
        getattr(X, name)(dim=0, keepdim=value)


@pytest.mark.parametrize("f", [
    lambda v: sl.sort(X, 0, v),
    lambda v: sl.argsort(X, 0, v),
])
def test_only_bools_turn_an_order_about(f):
    for value in ("no", 2.5):
        with pytest.raises(TypeError, match="wanted a bool"):
            f(value)


def test_numbers_and_bools_of_numpy_are_taken():
    np = pytest.importorskip("numpy")
    for one in (True, 1, np.True_):
        assert sl.sum(X, 0, one).shape == (1, 6)
        assert sl.max(X, 0, one).values.shape == (1, 6)
    two = np.int64(2)
    assert sl.zeros((two, 3)).shape == X.reshape(two, 12)[:, :3].shape == (2, 3)
    assert F.avg_pool2d(IMAGE, two).shape == (1, 2, 4, 4)
    assert nn.Linear(two, two).weight.shape == (2, 2)
    assert sl.tensor(1.0).reshape(()).shape == sl.zeros(()).shape == ()
    assert sl.sum(X, sl.tensor(1)).shape == (4,)


def test_axes_of_a_tensor_without_axes_are_checked():
    one = sl.tensor(1.0)
    for call in (
        lambda: sl.index_reduce(one, -100, sl.tensor([0]), sl.tensor([1.0]), "prod"),
        lambda: sl.masked.norm(one, 2.0, -100),
        lambda: sl.masked.prod(X, -100),
        lambda: sl.masked.prod(X, (0, 5)),
    ):
        with pytest.raises(IndexError, match="wanted"):
            call()


def test_histc_wants_its_end_above_its_beginning():
    with pytest.raises(ValueError, match="min is 3 and max -100"):
        sl.histc(X, 4, 3, -100)
