"""Results and gradients at the edges: NaN, zeros, ties, very long sums."""

import math

import numpy as np
import pytest

import sluice as sl
import sluice.nn.functional as F

NAN = float("nan")


def gradient(f, x):
    x = x.detach().clone().requires_grad_()
    f(x).sum().backward()
    return x.grad.tolist()


def test_interpolate_by_a_fractional_scale():
    x = sl.arange(5.0).reshape(1, 1, 5)
    # Places are counted in steps of 1 / 1.5, not of 5 / 7.
    assert F.interpolate(x, scale_factor=1.5).tolist() == [[[0, 0, 1, 2, 2, 3, 4]]]
    made = F.interpolate(x, scale_factor=1.5, mode="linear")
    wanted = [max(0.0, (i + 0.5) / 1.5 - 0.5) for i in range(7)]
    assert made.flatten().tolist() == pytest.approx(wanted, abs=1e-6)
    # With recompute_scale_factor the sizes say it.
    made = F.interpolate(
        x, scale_factor=1.5, mode="linear", recompute_scale_factor=True)  # fmt: skip
    wanted = [min(max(0.0, (i + 0.5) * 5 / 7 - 0.5), 4.0) for i in range(7)]
    assert made.flatten().tolist() == pytest.approx(wanted, abs=1e-6)
    image = x.reshape(1, 1, 1, 5).expand(1, 1, 5, 5)
    made = F.interpolate(image, scale_factor=1.5, mode="bilinear")
    assert made.shape == (1, 1, 7, 7)
    wanted = [max(0.0, (i + 0.5) / 1.5 - 0.5) for i in range(7)]
    assert made[0, 0, 3].tolist() == pytest.approx(wanted, abs=1e-6)
    layer = sl.nn.Upsample(scale_factor=1.5, mode="bilinear")
    assert layer(image).tolist() == made.tolist()


def test_interpolate_leaves_axes_alone_whose_size_stays():
    """5 times 1.1 is 5.5, which is 5 elements: PyTorch's linear modes, and nearest of
    images, take them as they are."""
    x = sl.arange(25.0).reshape(1, 1, 5, 5)
    for mode in ("nearest", "bilinear"):
        assert F.interpolate(x, scale_factor=1.1, mode=mode).tolist() == x.tolist()
    wide = F.interpolate(x, scale_factor=(1.1, 1.5), mode="nearest")
    assert wide[0, 0, :, 0].tolist() == [0, 5, 10, 15, 20]
    line = x[0, :, 0].reshape(1, 1, 5)
    made = F.interpolate(line, scale_factor=1.1, mode="linear")
    assert made.tolist() == line.tolist()
    made = F.interpolate(line, scale_factor=1.1)
    assert made.flatten().tolist() == [0, 0, 1, 2, 3]


def test_interpolate_by_a_fractional_scale_has_its_gradient():
    x = sl.randn(1, 2, 5, 4, dtype=sl.float64).requires_grad_()
    for mode in ("nearest", "bilinear"):
        assert sl.autograd.gradcheck(
            lambda t, m=mode: F.interpolate(t, scale_factor=1.6, mode=m), (x,))


def test_vecdot_conjugates():
    a, b = sl.tensor([1 + 2j, 3j]), sl.tensor([2 - 1j, 1 + 1j])
    wanted = np.vdot(a.numpy(), b.numpy())
    assert sl.vecdot(a, b).item() == pytest.approx(wanted)
    assert sl.linalg.vecdot(a, b).item() == pytest.approx(wanted)


def test_median_with_nan_is_nan():
    x = sl.tensor([[1.0, NAN, 3.0], [4.0, 6.0, 5.0]])
    assert math.isnan(sl.median(x).item())
    values, indices = x.median(1)
    assert math.isnan(values[0].item())
    assert indices.tolist() == [1, 2]
    assert values[1].item() == 5.0
    assert sl.nanmedian(x).item() == 4.0
    values, indices = sl.nanmedian(x, 1)
    assert values.tolist() == [1.0, 5.0]


def test_products_with_beta_0_do_not_look_at_the_sum():
    bad = sl.full((2, 2, 2), NAN)
    a = sl.ones(2, 2, 2)
    assert sl.baddbmm(bad, a, a, beta=0).tolist() == (a @ a).tolist()
    wanted = 2 * a + 3 * (a @ a)
    assert sl.baddbmm(a, a, a, beta=2, alpha=3).tolist() == wanted.tolist()


def test_cross_entropy_with_all_labels_left_out_has_no_gradient():
    labels = sl.tensor([-100, -100])
    for x in (sl.randn(2, 3), sl.randn(2, 3, dtype=sl.float64)):
        assert math.isnan(F.cross_entropy(x, labels).item())
        made = gradient(lambda t: F.cross_entropy(t, labels), x)
        assert made == [[0, 0, 0], [0, 0, 0]]
        made = gradient(lambda t: F.nll_loss(t, labels), x)
        assert made == [[0, 0, 0], [0, 0, 0]]
    # One that counts, and one row with an infinite logit that does not.
    x = sl.tensor([[1.0, 2.0], [3.0, 4.0]])
    made = gradient(lambda t: F.cross_entropy(t, sl.tensor([0, -100])), x)
    assert made[1] == [0, 0]
    assert made[0][0] == pytest.approx(-0.7310586)


def test_bce_at_exactly_0_and_1():
    x, t = sl.tensor([0.0, 1.0, 0.0, 1.0]), sl.tensor([0.0, 1.0, 1.0, 0.0])
    assert F.binary_cross_entropy(x, t, reduction="none").tolist() == [0, 0, 100, 100]
    made = gradient(lambda p: F.binary_cross_entropy(p, t, reduction="sum"), x)
    # The slope that leads away from a wrong certainty, bounded as PyTorch has it.
    assert made == pytest.approx([0, 0, -1e12, 1e12])


def test_gradient_of_cholesky_is_symmetric():
    m = sl.tensor([[4.0, 2.0], [2.0, 5.0]], dtype=sl.float64)
    made = gradient(lambda x: sl.linalg.cholesky(x), m)
    assert made[0][1] == made[1][0]
    # d(l11 + l21 + l22) by each element of a symmetric matrix.
    step = 1e-6
    for i, j in ((0, 0), (1, 0), (1, 1)):
        e = np.zeros((2, 2))
        e[i, j] = e[j, i] = step
        up = np.linalg.cholesky(m.numpy() + e).sum()
        down = np.linalg.cholesky(m.numpy() - e).sum()
        wanted = (up - down) / (2 * step)
        got = made[i][j] + (made[j][i] if i != j else 0)
        assert got == pytest.approx(wanted, rel=1e-5)
    assert gradient(lambda x: sl.cholesky(x), m) == made


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, float("inf")])
def test_norms_have_gradients_at_zero(p):
    made = gradient(lambda x: sl.norm(x, p), sl.zeros(3))
    assert not any(math.isnan(g) or math.isinf(g) for g in made)
    made = gradient(lambda x: sl.norm(x, p), sl.tensor([3.0, 0.0]))
    assert made[0] == pytest.approx(1.0)
    assert not math.isnan(made[1])


def test_shifts_by_negative_amounts_are_pytorchs():
    x = sl.tensor([8, -8])
    assert (x << -1).tolist() == [0, 0]
    assert (x >> -1).tolist() == [0, -1]
    assert (x << 64).tolist() == [0, 0]


def test_long_inner_products_keep_their_digits():
    n = 5_000_000
    a = sl.full((1, n), 0.1)
    wanted = float(np.float32(0.1)) ** 2 * n
    for made in (
        a @ a.T, sl.mv(a, a[0]), sl.mm(a, a.T), sl.einsum("ik,jk->ij", a, a),
        sl.dot(a[0], a[0]), sl.vdot(a[0], a[0]), a[0] @ a[0], sl.inner(a[0], a[0]),
        F.linear(a, a),
    ):  # fmt: skip
        assert made.item() == pytest.approx(wanted, rel=4e-6)


def test_tensordot_of_unknown_sizes():
    with sl.Graph() as graph:
        a = sl.placeholder(sl.float32, [None, 3, None])
        b = sl.placeholder(sl.float32, [3, None, 2])
        made = sl.tensordot(a, b, dims=([1, 2], [0, 1]))
    x, y = np.ones((4, 3, 5), np.float32), np.ones((3, 5, 2), np.float32)
    with sl.Session(graph) as session:
        got = session.run(made, {a: x, b: y})
    assert np.array_equal(np.asarray(got), np.tensordot(x, y, ([1, 2], [0, 1])))


def test_a_quotient_rounded_down_to_zero_keeps_its_sign():
    x = sl.tensor([-0.0, -0.0, 0.0, 1.0, 0.5])
    y = sl.tensor([3.0, -3.0, -2.0, 3.0, 2.0])
    for kind in (sl.float32, sl.float64, sl.float16, sl.bfloat16):
        made = x.to(kind) // y.to(kind)
        assert made.tolist() == [0, 0, 0, 0, 0], kind
        assert sl.signbit(made).tolist() == [True, False, True, False, False], kind


def test_complex_quotients_of_large_and_small_numbers():
    z = np.array([1e25 + 1e25j, 1e-25 - 1e-25j, 3 + 4j, 1e38, 2e-38j], np.complex64)
    w = np.array([2e25, 1e-25j, 1 - 2j, 1e38j, 1e-38], np.complex64)
    made = (sl.tensor(z) / sl.tensor(w)).numpy()
    assert np.allclose(made, z.astype(complex) / w.astype(complex), rtol=1e-6)


def test_floor_of_a_quotient_by_infinity():
    # -0.0: what floor(-1 / inf) says.
    inf = float("inf")
    a, b = sl.tensor([-1.0, 1.0, 1.0, -1.0]), sl.tensor([inf, inf, -inf, -inf])
    for kind in (sl.float32, sl.float64, sl.float16):
        assert (a.to(kind) // b.to(kind)).tolist() == [-1.0, 0.0, -1.0, 0.0]


def test_complex_quotient_by_zero_and_infinity():
    # NaN in both parts.
    inf = float("inf")
    made = (sl.tensor([1.5 - 2j, 1 + 1j]) / sl.tensor([0j, inf + 0j])).tolist()
    assert (made[0].real, made[0].imag, made[1]) == (inf, -inf, 0j)


def test_complex_numbers_have_no_float_power():
    # Their imaginary parts were dropped.
    with pytest.raises(TypeError, match="wanted real ones"):
        sl.float_power(sl.tensor([1 + 2j]), 2)


def test_take_along_an_axis_that_is_not_there_is_refused():
    with pytest.raises(IndexError, match="axis -3 of a tensor of 2 axes"):
        sl.take(sl.ones((2, 2)), [0], -3)


def test_variance_over_nothing_left_is_infinite():
    x = sl.tensor([1.0, 2.0, 4.0])
    assert sl.var(x, correction=3).item() == float("inf")
    assert sl.std(x, correction=5).item() == float("inf")
    assert math.isnan(sl.var(sl.tensor([1.0])).item())


def test_nan_that_becomes_infinite_stays_so():
    # What stood in for NaN was then replaced as an infinity.
    x = sl.tensor([float("nan"), float("inf"), -float("inf")])
    made = sl.nan_to_num(x, nan=float("inf"), posinf=1.0, neginf=float("nan"))
    assert made[:2].tolist() == [float("inf"), 1.0] and made[2].isnan()


def test_slope_between_neighbours_is_theirs_alone():
    (made,) = sl.gradient(sl.tensor([1.0, float("inf"), 5.0]))
    assert made.tolist() == [float("inf"), 2.0, -float("inf")]


def test_complex_numbers_are_not_taken_as_their_real_parts():
    z = sl.tensor([1 + 2j, 3 - 1j])
    for f in (
        lambda: sl.cov(z),
        lambda: sl.corrcoef(z),
        lambda: sl.bincount(sl.tensor([0, 1]), z),
        lambda: sl.special.zeta(z, 1.0),
    ):
        with pytest.raises(TypeError, match="complex64; wanted real numbers"):
            f()


def test_close_without_tolerance_compares_large_integers_exactly():
    a, b = sl.tensor([2**53, 7]), sl.tensor([2**53 + 1, 7])
    assert sl.isclose(a, b, rtol=0, atol=0).tolist() == [False, True]


def test_doubles_are_filled_with_all_digits():
    x, mask = sl.zeros(2, dtype=sl.float64), sl.tensor([True, False])
    place = sl.tensor([0])
    assert x.masked_fill(mask, 0.91).tolist() == [0.91, 0]
    assert x.index_fill(0, place, 0.91).tolist() == [0.91, 0]
    assert x.clone().masked_fill_(mask, 0.91).tolist() == [0.91, 0]
    filled = sl.function(lambda x: x.masked_fill(mask, 0.91))(x)
    assert filled.tolist() == [0.91, 0]
