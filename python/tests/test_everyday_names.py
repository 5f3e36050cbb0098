"""PyTorch's everyday names that are made of others, beside numpy: at once, captured,
batched, with gradients. `make compare-ops` has PyTorch's own samples."""

import math
import statistics

import numpy as np
import pytest

import sluice as sl

RNG = np.random.default_rng(5)
A = RNG.normal(size=(4, 5))
SQUARE = RNG.normal(size=(3, 3))
T = sl.tensor
NORMAL = statistics.NormalDist()


def _renormed(x, p, bound):
    size = (np.abs(x) ** p).sum(1, keepdims=True) ** (1 / p)
    return np.where(size > bound, x * bound / (size + 1e-7), x)


def _exponential(x):
    values, vectors = np.linalg.eig(x)
    return ((vectors * np.exp(values)) @ np.linalg.inv(vectors)).real


VALUES = {
    "add": (lambda x: sl.add(x, x[0], alpha=3), A + 3 * A[0]),
    "sub": (lambda x: x.sub(x[0], alpha=0.5), A - 0.5 * A[0]),
    "real": (sl.real, A),
    "angle": (sl.angle, np.where(A < 0, np.pi, 0)),
    "unfold": (lambda x: x.unfold(1, 3, 2),
               np.lib.stride_tricks.sliding_window_view(A, 3, 1)[:, ::2]),
    "put": (lambda x: x.put(T([[1, -1]]), x[0, :2]),
            np.r_[A.ravel()[0], A[0, 0], A.ravel()[2:-1], A[0, 1]].reshape(4, 5)),
    "put added": (lambda x: x.put(T([0, 0, -20]), T([1.0, 2, 3]).double(), True),
                  A + 6 * (np.arange(20).reshape(4, 5) == 0)),
    "renorm": (lambda x: sl.renorm(x, 2, 0, 1.5), _renormed(A, 2, 1.5)),
    "pdist": (sl.pdist, np.array([np.linalg.norm(A[i] - A[j]) for i in range(4)
                                  for j in range(i + 1, 4)])),
    "erfinv": (lambda x: sl.erfinv(x / 4), np.array(
        [[NORMAL.inv_cdf((v / 4 + 1) / 2) / math.sqrt(2) for v in r] for r in A])),
    "ndtri": (lambda x: sl.special.ndtri(sl.sigmoid(5 * x)), np.array(
        [[NORMAL.inv_cdf(1 / (1 + math.exp(-5 * v))) for v in r] for r in A])),
    "ndtr": (sl.special.ndtr, np.array([[NORMAL.cdf(v) for v in r] for r in A])),
    "erfcx": (lambda x: sl.special.erfcx(x / 2), np.array(
        [[math.exp(v * v / 4) * math.erfc(v / 2) for v in r] for r in A])),
    "log_ndtr": (lambda x: sl.special.log_ndtr(5 * x), np.array(
        [[math.log(math.erfc(-5 * v * math.sqrt(0.5)) / 2) if v < 0 else
          math.log1p(-math.erfc(5 * v * math.sqrt(0.5)) / 2) for v in r] for r in A])),
    "mvlgamma": (lambda x: sl.mvlgamma(x * x + 3, 3), np.array(
        [[sum(math.lgamma(v * v + 3 - j / 2) for j in range(3)) + 1.5 * math.log(np.pi)
          for v in r] for r in A])),
    "entr": (lambda x: sl.special.entr(x * x), -A * A * np.log(A * A)),
    "xlog1py": (lambda x: sl.special.xlog1py(x, x * x), A * np.log1p(A * A)),
    "matrix_exp": (lambda x: sl.matrix_exp(3 * x[:, :4]), _exponential(3 * A[:, :4])),
    "cond": (lambda x: sl.linalg.cond(x[:, :4]), np.linalg.cond(A[:, :4])),
    "cond nuc": (lambda x: sl.linalg.cond(x[:, :4], "nuc"),
                 np.linalg.cond(A[:, :4], "nuc")),
    "cond 1": (lambda x: sl.linalg.cond(x[:, :4], 1), np.linalg.cond(A[:, :4], 1)),
    "lu": (lambda x: (lambda r: r.P @ r.L @ r.U)(sl.linalg.lu(x)), A),
    "vander": (lambda x: sl.linalg.vander(x, N=3), np.stack([A**0, A, A * A], -1)),
    "tensorinv": (lambda x: sl.linalg.tensorinv(x[:, :4].reshape(2, 2, 4)),
                  np.linalg.inv(A[:, :4]).reshape(4, 2, 2)),
    "tensorsolve": (lambda x: sl.linalg.tensorsolve(x[:, :4].reshape(2, 2, 4),
                                                    x[:, 4].reshape(2, 2)),
                    np.linalg.solve(A[:, :4], A[:, 4])),
    "associative_scan": (lambda x: sl.associative_scan(sl.mul, x, axis=1),
                         np.cumprod(A, 1)),
    "associative_scan reverse": (
        lambda x: sl.associative_scan(sl.add, x, True), A[::-1].cumsum(0)[::-1]),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    ours, wanted = VALUES[name]
    captured = sl.function(ours)
    for got in (ours(T(A)), captured(T(A)), sl.vmap(ours)(T(A)[None])[0]):
        np.testing.assert_allclose(got.numpy(), wanted, rtol=2e-7, atol=1e-9)


@pytest.mark.parametrize("name", [n for n in VALUES if "put" not in n])
def test_gradients(name):
    ours = VALUES[name][0]
    x = T(A).requires_grad_()
    assert sl.autograd.gradcheck(ours, (x,), atol=1e-4)


SECOND = ["erfinv", "ndtri", "log_ndtr", "renorm", "matrix_exp"]


@pytest.mark.parametrize("name", SECOND)
def test_second_gradients(name):
    x = T(A).requires_grad_()
    assert sl.autograd.gradgradcheck(VALUES[name][0], (x,), atol=1e-3)


def test_erfinv_at_the_ends_and_beyond():
    got = sl.erfinv(T([-1.0, 1, 2, 0, 1e-30, math.nan])).tolist()
    assert got[:2] == [-math.inf, math.inf] and math.isnan(got[2])
    assert got[3] == 0 and abs(got[4] / 1e-30 - math.sqrt(math.pi) / 2) < 1e-6
    assert math.isnan(got[5])
    far = sl.special.ndtri(T([1e-300, 1e-20, 1 - 1e-15], dtype=sl.float64)).tolist()
    assert far == pytest.approx([NORMAL.inv_cdf(p) for p in (1e-300, 1e-20, 1 - 1e-15)])


def test_normal_tails():
    x = T([25.0, 1e5, 1e200], dtype=sl.float64)
    far = 1 / (math.sqrt(math.pi) * x.numpy())
    got = sl.special.erfcx(x).numpy()
    np.testing.assert_allclose(got[1:], far[1:], rtol=1e-9)
    assert got[0] == pytest.approx(far[0] * (1 - 1 / 1250 + 3 / 1250**2), rel=1e-8)
    assert sl.special.erfcx(T([-30.0], dtype=sl.float64)).item() == math.inf
    low = sl.special.log_ndtr(T([-40.0, -1e3, 30.0], dtype=sl.float64)).numpy()
    want = [-x * x / 2 - math.log(x * math.sqrt(2 * math.pi)) - 1 / x**2
            for x in (40.0, 1e3)]
    np.testing.assert_allclose(low[:2], want, rtol=1e-8)
    assert -1e-190 < low[2] < 0
    slope = sl.grad(lambda x: sl.special.log_ndtr(x).sum())
    made = slope(T([-1e3, 50.0], dtype=sl.float64)).numpy()
    assert made[0] == pytest.approx(1e3 + 1e-3) and made[1] == 0


@pytest.mark.parametrize("scale", [0.0, 0.01, 4, 60])
def test_matrix_exp_of_matrices_of_all_sizes(scale):
    xs = np.stack([SQUARE * scale, SQUARE])
    want = np.stack([_exponential(x) for x in xs]) if scale else None
    got = sl.linalg.matrix_exp(T(xs)).numpy()
    if want is None:
        np.testing.assert_array_equal(got[0], np.eye(3))
    else:
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * np.abs(want).max())
    assert sl.matrix_exp(sl.zeros(2, 0, 0)).shape == (2, 0, 0)


def test_lu_solve():
    x, b = RNG.normal(size=(2, 4, 4)), RNG.normal(size=(2, 4, 3))
    made = sl.linalg.lu_factor(T(x))
    again = sl.function(sl.linalg.lu_factor)(T(x))
    assert again.pivots.tolist() == made.pivots.tolist()
    assert made.pivots.dtype == sl.int32 and made.pivots.shape == (2, 4)
    solve = sl.function(sl.linalg.lu_solve)
    for f in (sl.linalg.lu_solve, solve):
        np.testing.assert_allclose(x @ f(*made, T(b)).numpy(), b, atol=1e-9)
        other = f(*made, T(b), adjoint=True).numpy()
        np.testing.assert_allclose(x.swapaxes(1, 2) @ other, b, atol=1e-9)
        right = f(*made, T(b).mT, left=False).numpy()
        np.testing.assert_allclose(right @ x, b.swapaxes(1, 2), atol=1e-9)


def test_alpha_keeps_types():
    i, f = T([1, 2]), T([1.5, 2.5])
    assert sl.add(i, i, alpha=2).tolist() == [3, 6]
    scaled = sl.function(lambda a, alpha: sl.add(a, a, alpha=alpha))
    for alpha in (2, 3, 4, 5):  # a tensor from the third value on
        assert scaled(i, alpha).tolist() == [1 + alpha, 2 + 2 * alpha]
    assert sl.add(i, f, alpha=2).tolist() == [4, 7]
    assert sl.add(i, 1.5, alpha=2).dtype == sl.float32
    assert sl.sub(f, 2, alpha=0.5).tolist() == [0.5, 1.5]
    assert sl.add(T([True]), T([True]), alpha=False).tolist() == [True]
    assert sl.add(i, other=i).tolist() == [2, 4]
    half = sl.add(T([1.0], dtype=sl.bfloat16), T([3.0], dtype=sl.bfloat16), alpha=0.1)
    assert half.dtype == sl.bfloat16
    with pytest.raises(TypeError, match="alpha is float32"):
        sl.add(i, i, alpha=0.5)
    with pytest.raises(TypeError, match="alpha is float32"):
        sl.function(lambda x: sl.sub(x, x, alpha=0.5))(i)
    with pytest.raises(TypeError, match="bool"):
        sl.add(i, i, alpha=True)


def test_complex_numbers_from_parts():
    re, im = A.astype("f4"), A[0].astype("f4")

    def made(re, im):
        z = sl.complex(re, im)
        polar = sl.polar(re, im)
        pairs = sl.view_as_real(z)
        return z, polar, pairs, sl.view_as_complex(pairs), sl.angle(z), sl.real(z)

    want = re + 1j * im
    for f in (made, sl.function(made)):
        z, polar, pairs, again, angle, real = (t.numpy() for t in f(T(re), T(im)))
        np.testing.assert_array_equal(z, want)
        np.testing.assert_allclose(polar, re * np.exp(1j * im), rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(pairs, np.stack([want.real, want.imag], -1))
        np.testing.assert_array_equal(again, want)
        np.testing.assert_allclose(angle, np.angle(want), rtol=1e-6)
        np.testing.assert_array_equal(real, re)
    with pytest.raises(NotImplementedError, match="complex64"):
        sl.complex(T(A), T(A))
    with pytest.raises(ValueError, match="2 along the last axis"):
        sl.view_as_complex(sl.zeros(3))


def test_facts_of_tensors():
    x = sl.zeros(2, 3)
    assert x.layout is sl.strided and repr(x.layout) == "sluice.strided"
    assert (x.nelement(), x.ndimension(), x.get_device()) == (6, 2, -1)
    assert x.mH.shape == (3, 2) and not x.is_quantized
    assert x.is_same_size(sl.ones(2, 3)) and not x.is_same_size(x.mT)
    assert x.put_(T([0]), T([4.0]))[0, 0] == 4
    assert sl.full((3,), 1.0).bernoulli().tolist() == [1, 1, 1]
    assert sl.ones(3).bernoulli(0.0).tolist() == [0, 0, 0]
    assert T([0.0, 1.0]).multinomial(1).tolist() == [1]


@pytest.mark.parametrize("wrap", [lambda f: f, sl.function])
def test_refusals(wrap):
    for f, error in {
        lambda: sl.zeros(2).unfold(0, 3, 1): ValueError,
        lambda: sl.zeros(2).put([5], T([1.0])): IndexError,
        lambda: sl.zeros(2).put([5], T([1.0]), True): IndexError,
        lambda: sl.renorm(sl.zeros(2), 2, 0, 1.0): ValueError,
        lambda: sl.pdist(sl.zeros(2)): ValueError,
        lambda: sl.linalg.matrix_exp(sl.zeros(2, 3)): ValueError,
        lambda: sl.linalg.lu(sl.zeros(2, 2), pivot=False): NotImplementedError,
    }.items():
        with pytest.raises(error):
            wrap(f)()


def test_windows_of_open_sizes():
    f = sl.function(lambda x: x.unfold(0, 3, 1))
    for n in (5, 7):
        assert f(sl.arange(n)).tolist() == [[i, i + 1, i + 2] for i in range(n - 2)]
    with pytest.raises(ValueError, match="unfold"):
        f(sl.arange(2))
