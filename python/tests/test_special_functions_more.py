"""Bessel functions, windows of signals and short-time spectra, and small layers."""

import math

import numpy as np
import pytest

import sluice as sl
from composed_check import check
from sluice import nn
from sluice.nn import functional as F
from sluice.signal import windows

A = np.abs(np.random.default_rng(5).normal(size=(3, 4))) * 4 + 0.3


def _waves(x, order):
    """J of an order, as the mean of waves over a turn: exact for so many."""
    turn = (np.arange(400) + 0.5) * math.pi / 400
    return np.cos(order * turn - x[..., None] * np.sin(turn)).mean(-1)


def _grown(x, order):
    turn = (np.arange(400) + 0.5) * math.pi / 400
    return (np.exp(x[..., None] * np.cos(turn)) * np.cos(order * turn)).mean(-1)


def _falling(x, order):
    t = np.arange(0, 8, 0.01)
    part = np.exp(-x[..., None] * np.cosh(t)) * np.cosh(order * t)
    return (part.sum(-1) - part[..., 0] / 2) * 0.01


VALUES = {
    "bessel_j0": _waves(A, 0),
    "bessel_j1": _waves(A, 1),
    "i0": _grown(A, 0),
    "i1": _grown(A, 1),
    "i0e": _grown(A, 0) * np.exp(-A),
    "i1e": _grown(A, 1) * np.exp(-A),
    "modified_bessel_k0": _falling(A, 0),
    "modified_bessel_k1": _falling(A, 1),
    "scaled_modified_bessel_k0": _falling(A, 0) * np.exp(A),
    "scaled_modified_bessel_k1": _falling(A, 1) * np.exp(A),
    "spherical_bessel_j0": np.sin(A) / A,
}


@pytest.mark.parametrize("name", VALUES)
def test_bessel_functions(name):
    check(getattr(sl.special, name), VALUES[name], A)


def test_bessel_functions_of_both_kinds_are_bound():
    x = sl.tensor(np.concatenate([A.ravel(), A.ravel() * 6]))
    j0, j1 = sl.special.bessel_j0(x), sl.special.bessel_j1(x)
    y0, y1 = sl.special.bessel_y0(x), sl.special.bessel_y1(x)
    wanted = 2 / (math.pi * x)
    assert np.allclose((j1 * y0 - j0 * y1).numpy(), wanted.numpy(), rtol=1e-12)


@pytest.mark.parametrize("name", ["bessel_y0", "bessel_y1"])
def test_bessel_functions_of_the_second_kind_in_all_ways(name):
    f = getattr(sl.special, name)
    check(f, f(sl.tensor(A)).numpy(), A)


def test_bessel_functions_at_the_ends():
    ends = sl.tensor([0.0, math.inf, -1.0])
    assert sl.i0(ends).tolist()[:2] == [1.0, math.inf]
    assert sl.special.i1e(ends).tolist()[:2] == [0.0, 0.0]
    assert sl.special.bessel_y0(ends).tolist()[0] == -math.inf
    assert math.isnan(sl.special.modified_bessel_k0(ends).tolist()[2])
    x = sl.tensor(0.0, requires_grad=True)
    sl.special.i1(x).backward()
    assert x.grad.item() == 0.5


def test_windows_are_those_of_numpy():
    for n in (1, 2, 5, 8):
        for ours, theirs in (
            ("hann", np.hanning), ("hamming", np.hamming), ("bartlett", np.bartlett),
            ("blackman", np.blackman),
        ):  # fmt: skip
            made = getattr(windows, ours)(n, dtype=sl.float64).numpy()
            assert np.allclose(made, theirs(n)), (ours, n)
            around = getattr(windows, ours)(n, sym=False, dtype=sl.float64).numpy()
            assert n == 1 or np.allclose(around, theirs(n + 1)[:-1])
        made = windows.kaiser(n, beta=8.6, dtype=sl.float64).numpy()
        assert np.allclose(made, np.kaiser(n, 8.6))
    assert windows.gaussian(0).shape == (0,)
    with pytest.raises(ValueError, match="std is 0; wanted it above 0"):
        windows.gaussian(3, std=0)


def test_stft_is_undone_by_istft():
    x = sl.tensor(np.random.default_rng(1).normal(size=(2, 64)).astype(np.float32))
    weights = windows.hann(16, sym=False)
    made = sl.stft(x, 16, window=weights, return_complex=True)
    assert made.shape == (2, 9, 17)
    whole = np.pad(x.numpy(), ((0, 0), (8, 8)), mode="reflect")
    piece = whole[1, 12:28] * weights.numpy()
    assert np.allclose(made[1, :, 3].numpy(), np.fft.rfft(piece), atol=1e-5)
    back = sl.istft(made, 16, window=weights)
    assert np.allclose(back.numpy(), x.numpy(), atol=1e-5)
    captured = sl.function(
        lambda v: sl.stft(v, 16, window=weights, return_complex=True)
    )
    assert np.allclose(captured(x).numpy(), made.numpy(), atol=1e-5)
    with pytest.raises(ValueError, match="return_complex is not given"):
        sl.stft(x, 16)


def test_alpha_dropout_keeps_mean_and_variance():
    sl.manual_seed(2)
    x = sl.randn(200, 200)
    layer = nn.AlphaDropout(0.3)
    made = layer(x)
    assert abs(float(made.mean())) < 0.02 and abs(float(made.std()) - 1) < 0.02
    assert np.array_equal(layer.eval()(x).numpy(), x.numpy())
    whole = nn.FeatureAlphaDropout(0.5)(sl.ones(8, 8, 4))
    assert len(np.unique(whole.numpy())) == 2
    assert np.all(whole.numpy() == whole.numpy()[:, :, :1])


def test_rrelu_draws_a_slope_in_training():
    x = -sl.ones(1000)
    made = nn.RReLU(0.2, 0.4)(x).numpy()
    assert made.min() >= -0.4 and made.max() <= -0.2 and made.std() > 0.03
    assert np.allclose(nn.RReLU(0.2, 0.4).eval()(x).numpy(), -0.3)


def test_activations_by_names_that_write():
    for name in ("relu_", "elu_", "leaky_relu_", "selu_", "celu_", "hardtanh_"):
        x = sl.tensor([-2.0, 3.0])
        wanted = getattr(F, name[:-1])(x.clone())
        assert getattr(F, name)(x) is x
        assert x.tolist() == wanted.tolist()


def test_tensors_are_made_on_a_device():
    assert sl.tensor([1.0], device="cpu").device == "cpu"
    assert sl.tensor([1.0], device="cpu", requires_grad=True).requires_grad
    with pytest.raises(Exception, match="no_such"):
        sl.tensor([1.0], device="no_such")


def test_linalg_by_names_that_say_how_it_went():
    a = np.random.default_rng(3).normal(size=(4, 4))
    x = sl.tensor(a @ a.T + 4 * np.eye(4))
    made, info = sl.linalg.cholesky_ex(x)
    assert np.allclose((made @ made.mT).numpy(), x.numpy()) and info.item() == 0
    b = sl.tensor(a[:2])
    back = sl.linalg.solve(x, b, left=False)
    assert np.allclose((back @ x).numpy(), b.numpy())
    rows = sl.linalg.solve(sl.stack([x, 2 * x]), b)
    assert np.allclose((2 * x @ rows[1]).numpy(), b[1].numpy())
    tau = 2 / (1 + (np.tril(a, -1)[:, :3] ** 2).sum(0))
    q = sl.linalg.householder_product(sl.tensor(a[:, :3]), sl.tensor(tau))
    assert np.allclose((q.mT @ q).numpy(), np.eye(3))


def test_tensors_by_the_names_of_types():
    assert sl.FloatTensor([1, 2]).dtype == sl.float32
    assert sl.LongTensor([1, 2]).dtype == sl.int64
    assert sl.DoubleTensor(2, 3).shape == (2, 3)
    assert sl.BoolTensor([True, False]).tolist() == [True, False]


def test_class_tensor_makes_floats_as_pytorchs_does():
    made = sl.Tensor([1, 2, 3])
    assert made.dtype == sl.float32 and made.tolist() == [1, 2, 3]
    assert sl.Tensor(2, 3).shape == (2, 3) and sl.Tensor(4).shape == (4,)
    assert sl.Tensor(np.arange(2)).dtype == sl.float32
    assert sl.Tensor(sl.arange(3)).dtype == sl.int64
    assert sl.Tensor([1, 2], sl.int64).dtype == sl.int64
    with pytest.raises(ValueError, match="a size is -1; wanted sizes of 0 or more"):
        sl.Tensor(-1, 2)


def test_parts_of_complex_numbers_are_attributes():
    z = sl.tensor([1 + 2j, 3 - 1j])
    assert z.real.tolist() == [1, 3] and z.imag.tolist() == [2, -1]
    assert sl.tensor([1.5]).real.tolist() == [1.5]


def test_small_names_of_pytorchs():
    x = sl.arange(6.0).reshape(2, 3)
    assert sl.select(x, 1, 0).tolist() == [0, 3]
    assert sl.clone(x).tolist() == x.tolist() and sl.detach(x).shape == (2, 3)
    assert sl.is_nonzero(sl.tensor(2.0)) and x.is_cpu
    assert sl.roll(x, shifts=1, dims=1).tolist() == [[2, 0, 1], [5, 3, 4]]
    assert np.allclose((2 * sl.eye(2)).inverse().numpy(), np.eye(2) / 2)
    drawn = sl.zeros(1000, dtype=sl.int64).random_(3, 6)
    assert sorted(set(drawn.tolist())) == [3, 4, 5]
    assert float(sl.poisson(sl.full((4000,), 3.0)).mean()) == pytest.approx(3, abs=0.2)
    assert np.allclose(sl.hann_window(4).numpy(), [0, 0.5, 1, 0.5])
    y = sl.tensor([3, 5])
    y.bitwise_and_(1).eq_(1)
    assert y.tolist() == [1, 1]


def test_embedding_shortens_rows_in_its_table():
    table = np.arange(8.0).reshape(4, 2) + 1
    layer = nn.Embedding.from_pretrained(sl.tensor(table), freeze=False, max_norm=2.0)
    ids = sl.tensor([[0, 3], [3, 1]])
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    short = np.where(lengths > 2, table * 2 / lengths, table)
    made = layer(ids)
    assert np.allclose(made.detach().numpy(), short[ids.numpy()], rtol=1e-6)
    assert np.allclose(layer.weight.detach().numpy(), [*short[:2], table[2], short[3]])
    made.sum().backward()
    assert layer.weight.grad.tolist() == [[1, 1], [1, 1], [0, 0], [2, 2]]
    again = nn.Embedding.from_pretrained(sl.tensor(table), freeze=False, max_norm=2.0)
    captured = sl.function(lambda v: again(v))
    assert np.allclose(captured(ids).detach().numpy(), made.detach().numpy())
    assert np.allclose(again.weight.detach().numpy(), layer.weight.detach().numpy())


def _polynomial(family, n):
    """numpy's polynomial of a degree, as a function."""
    return getattr(np.polynomial, family).basis(n)


@pytest.mark.parametrize("ours, family", [
    ("chebyshev_polynomial_t", "Chebyshev"), ("legendre_polynomial_p", "Legendre"),
    ("laguerre_polynomial_l", "Laguerre"), ("hermite_polynomial_h", "Hermite"),
    ("hermite_polynomial_he", "HermiteE")])  # fmt: skip
def test_orthogonal_polynomials(ours, family):
    f = getattr(sl.special, ours)
    x = A / 4
    check(lambda v: f(v, 5), _polynomial(family, 5)(x), x)
    degrees = f(sl.tensor(x[0]), sl.tensor([0, 1, 3, 4])).numpy()
    wanted = [_polynomial(family, n)(v) for n, v in zip((0, 1, 3, 4), x[0])]
    assert np.allclose(degrees, wanted)


def test_other_polynomials_of_chebyshev():
    turn = np.array([0.3, 1.1, 2.0])
    x = sl.tensor(np.cos(turn))
    made = sl.special.chebyshev_polynomial_u(x, 4).numpy()
    assert np.allclose(made, np.sin(5 * turn) / np.sin(turn))
    made = sl.special.chebyshev_polynomial_v(x, 4).numpy()
    assert np.allclose(made, np.cos(4.5 * turn) / np.cos(turn / 2))
    made = sl.special.chebyshev_polynomial_w(x, 4).numpy()
    assert np.allclose(made, np.sin(4.5 * turn) / np.sin(turn / 2))
    made = sl.special.shifted_chebyshev_polynomial_t((x + 1) / 2, 4).numpy()
    assert np.allclose(made, np.cos(4 * turn))


def test_zeta():
    x = sl.tensor([2.0, 4.0, 1.0, 0.5], dtype=sl.float64)
    made = sl.special.zeta(x, 1.0).tolist()
    assert made[:2] == pytest.approx([math.pi**2 / 6, math.pi**4 / 90], rel=1e-14)
    assert made[2] == math.inf and math.isnan(made[3])
    far = sl.special.zeta(sl.tensor(3.0, dtype=sl.float64), 2.5).item()
    wanted = sum((k + 2.5) ** -3 for k in range(20000)) + 0.5 / 20002**2
    assert far == pytest.approx(wanted, rel=1e-10)


def test_out_is_written_over():
    x, y = sl.ones(2), sl.zeros(2)
    assert sl.exp(x, out=y) is y and y.tolist() == sl.exp(x).tolist()
    assert sl.add(x, 2, out=y) is y and y.tolist() == [3, 3]
    assert sl.cat([x[:1], x[:1]], out=y).tolist() == [1, 1]
    assert sl.exp(x, out=None).tolist() == sl.exp(x).tolist()
    wide = sl.zeros(2, dtype=sl.float64)
    assert sl.matmul(sl.eye(2), x, out=wide).tolist() == [1, 1]
    values, places = sl.zeros(()), sl.zeros((), dtype=sl.int64)
    made = sl.max(sl.tensor([1.0, 5.0]), 0, out=(values, places))
    assert made.values is values and values.item() == 5 and places.item() == 1


def test_out_in_a_captured_function():
    @sl.function
    def f(x, y):
        sl.mul(x, 3, out=y)
        return y + 1

    y = sl.zeros(2)
    assert f(sl.ones(2), y).tolist() == [4, 4] and y.tolist() == [3, 3]


def test_out_that_does_not_fit_says_why():
    x = sl.ones(2)
    with pytest.raises(ValueError, match="keeps its size"):
        sl.exp(x, out=sl.zeros(3))
    with pytest.raises(TypeError, match="a type that holds it"):
        sl.exp(x, out=sl.zeros(2, dtype=sl.int64))
    with pytest.raises(TypeError, match="out is a list|out is a int"):
        sl.exp(x, out=3)
    with pytest.raises(RuntimeError, match="out has no gradients"):
        sl.exp(sl.ones(2, requires_grad=True), out=sl.zeros(2))


def test_arguments_by_pytorchs_names():
    x = sl.arange(6.0).reshape(shape=(2, 3))
    assert x.permute(dims=(1, 0)).shape == (3, 2)
    assert x.transpose(dim0=0, dim1=1).shape == x.transpose(0, dim1=1).shape == (3, 2)
    assert sl.tile(x, dims=(2, 1)).shape == (4, 3)
    assert x[0].expand(size=(2, 3)).shape == x.view(size=(2, 3)).shape == (2, 3)
    assert sl.broadcast_to(x[0], size=(4, 3)).shape == (4, 3)
    assert sl.div(x, other=2.0).tolist() == (x / 2).tolist()
    assert sl.mm(x, mat2=x.mT).shape == (2, 2) and sl.mv(x, vec=x[0]).shape == (2,)
    assert sl.allclose(x, other=x) and sl.isclose(x, other=x).all()
    assert sl.addcmul(x, tensor1=x, tensor2=x).tolist() == (x + x * x).tolist()
    assert sl.linalg.pinv(x, rtol=1e-6).shape == (3, 2)


def test_incomplete_gamma_functions():
    a = sl.tensor([0.5, 2.0, 30.0, 2e5], dtype=sl.float64)
    x = sl.tensor([0.7, 1.0, 40.0, 2.001e5], dtype=sl.float64)
    p, q = sl.igamma(a, x), sl.special.gammaincc(a, x)
    assert (p + q).tolist() == pytest.approx([1] * 4)
    assert p[0].item() == pytest.approx(math.erf(math.sqrt(0.7)), rel=1e-14)
    assert q[1].item() == pytest.approx(2 / math.e, rel=1e-14)
    edges = sl.igamma(sl.tensor([0.0, 1.0, -1.0]), sl.tensor([1.0, 0.0, 1.0])).tolist()
    assert edges[:2] == [1, 0] and math.isnan(edges[2])
    assert a.igammac(x).tolist() == q.tolist()


def test_gradients_of_incomplete_gamma_functions():
    a = sl.tensor([0.7, 3.0], dtype=sl.float64, requires_grad=True)
    x = sl.tensor([1.1, 2.5], dtype=sl.float64, requires_grad=True)
    assert sl.autograd.gradcheck(sl.igamma, (a, x))
    assert sl.autograd.gradcheck(sl.igammac, (a, x))
    assert sl.autograd.gradgradcheck(sl.igamma, (a, x))


def test_airys_function():
    x = sl.tensor([0.0, 1.0, -2.0, 10.0, -20.0], dtype=sl.float64, requires_grad=True)
    y = sl.special.airy_ai(x)
    wanted = [0.3550280538878172, 0.1352924163128814, 0.22740742820168557,
              1.1047532552898687e-10, -0.17640612707798468]  # fmt: skip
    assert y.tolist() == pytest.approx(wanted, rel=1e-12)
    (slope,) = sl.autograd.grad(y.sum(), [x], create_graph=True)
    assert slope[0].item() == pytest.approx(-0.2588194037928068, rel=1e-13)
    (bend,) = sl.autograd.grad(slope.sum(), [x])  # y'' = x y
    assert bend.tolist() == pytest.approx((x * y).tolist(), rel=1e-12)
