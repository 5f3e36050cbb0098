"""Values that mean nothing where they are given: refused, at once and captured."""

import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import nn

WAYS = pytest.mark.parametrize(
    "way", [lambda f: f, sl.function], ids=["now", "captured"]
)

WRONG = {
    "one_hot": (lambda x: F.one_hot(x, 3), [0, 2, 3]),
    "one_hot, negative": (lambda x: F.one_hot(x, 3), [0, -1]),
    "isclose, rtol": (lambda x: sl.isclose(x, x, rtol=-1.0), [1.0]),
    "isclose, atol": (lambda x: sl.isclose(x, x, atol=-1.0), [1.0]),
    "softshrink": (lambda x: F.softshrink(x, -0.5), [1.0]),
    "Softshrink": (lambda x: nn.Softshrink(-0.5)(x), [1.0]),
    "hardtanh": (lambda x: F.hardtanh(x, 1.0, -1.0), [1.0]),
    "Hardtanh": (lambda x: nn.Hardtanh(1.0, -1.0)(x), [1.0]),
    "triplet_margin_loss": (
        lambda x: F.triplet_margin_loss(x, x, x, margin=-1.0),
        [[1.0]],
    ),
    "diag": (lambda x: sl.diag(x), [[[1.0]]]),
    "rot90": (lambda x: sl.rot90(x, dims=(1, 1)), [[1.0]]),
    "rot90, one axis by two names": (lambda x: sl.rot90(x, dims=(1, -1)), [[1.0]]),
    "flipud": (lambda x: sl.flipud(x), 1.0),
    "roll": (lambda x: sl.roll(x, ()), [1.0]),
    "cross": (lambda x: sl.linalg.cross(x, x[:1]), [1.0, 2.0, 3.0]),
    "normal": (lambda x: sl.normal(x, -1.0), [1.0]),
    "uniform": (lambda x: sl.uniform(3.0, 1.0, x.shape), [1.0]),
    "mean of a type of integers": (lambda x: sl.mean(x, dtype=sl.int64), [1, 2]),
    "scatter of another type": (
        lambda x: sl.scatter(x, 0, sl.tensor([0]), sl.tensor([1])),
        [1.0, 2.0],
    ),
    "scatter_add of another type": (
        lambda x: sl.scatter_add(x, 0, sl.tensor([0]), sl.tensor([1])),
        [1.0, 2.0],
    ),
}


@WAYS
@pytest.mark.parametrize("name", WRONG)
def test_refused(way, name):
    call, data = WRONG[name]
    with pytest.raises((ValueError, TypeError, IndexError)):
        way(call)(sl.tensor(data))


@pytest.mark.parametrize("method, args", [("normal_", (0, -1)), ("uniform_", (3, -1))])
def test_refused_in_place(method, args):
    x = sl.ones(3)
    with pytest.raises(ValueError, match="wanted"):
        getattr(x, method)(*args)
    assert x.tolist() == [1, 1, 1]


PUT = {
    "masked_fill": lambda x, v: sl.masked_fill(x, sl.tensor(True), v),
    "scatter": lambda x, v: sl.scatter(x, 0, sl.tensor([0, 1]), v),
    "index_fill": lambda x, v: x.index_fill(0, sl.tensor([0, 1]), v),
    "fill_": lambda x, v: x.clone().fill_(v),
}


@WAYS
@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1e30, -(2.0**64)])
def test_a_tensor_holds_a_number_that_no_integer_is(way, put, value):
    call = way(PUT[put])
    with pytest.raises(ValueError, match="int64"):
        call(sl.tensor([1, 2]), sl.tensor(value, dtype=sl.float64))
    assert call(sl.tensor([1, 2]), sl.tensor(2.5)).tolist() == [2, 2]
    assert call(sl.tensor([1, 2]), sl.tensor(-(2.0**63))).tolist() == [-(2**63)] * 2


@WAYS
@pytest.mark.parametrize("put", PUT)
def test_a_complex_tensor_into_one_of_floats(way, put):
    with pytest.raises(TypeError, match="complex64"):
        way(PUT[put])(sl.ones(2), sl.tensor(1j))


def test_fill_takes_one_number():
    with pytest.raises(ValueError, match="wanted one number"):
        sl.ones(2).fill_(sl.ones(2))


SIZES = {
    "conv1d, padding same": (
        lambda x, w: F.conv1d(x, w, padding="same"),
        [((1, 2, 7), (3, 2, 3)), ((2, 2, 6), (3, 2, 5))],
    ),
    "pad, negative": (
        lambda x, w: F.pad(x, (-1, 2)) + w.sum(),
        [((2, 3), (1,)), ((4, 5), (2,))],
    ),
    "prelu, one slope": (lambda x, w: F.prelu(x, w), [((), (1,)), ((), (1,))]),
    "interpolate, lines": (
        lambda x, w: F.interpolate(x, scale_factor=2.0, mode="nearest") * w,
        [((1, 2, 3), (1,)), ((1, 2, 5), (1,))],
    ),
}


@pytest.mark.parametrize("name", SIZES)
def test_what_depends_on_a_size_is_captured(name):
    call, sizes = SIZES[name]
    captured = sl.function(call)
    for seed, (a, b) in enumerate(sizes):
        sl.manual_seed(seed)
        x, w = sl.randn(a), sl.randn(b)
        assert sl.array_equal(captured(x, w), call(x, w))


DECOMPOSED = {
    "qr": lambda x: sl.linalg.qr(x)[1],
    "qr, Q": lambda x: sl.linalg.qr(x)[0] ** 3,
    "svd": lambda x: sl.linalg.svd(x)[1],
    "matrix_power": lambda x: sl.linalg.matrix_power(x.mT @ x, 3),
}


@pytest.mark.parametrize("name", DECOMPOSED)
@pytest.mark.parametrize("shape", [(4, 3), (3, 3), (2, 4, 3), (2, 1, 4, 3)])
def test_gradients_of_decompositions_are_captured(name, shape):
    def gradient(x):
        return sl.autograd.grad((DECOMPOSED[name](x) ** 2).sum(), x)[0]

    sl.manual_seed(1)
    x = sl.randn(shape, dtype=sl.float64).requires_grad_()
    assert sl.allclose(sl.function(gradient)(x), gradient(x), rtol=1e-9, atol=1e-12)
