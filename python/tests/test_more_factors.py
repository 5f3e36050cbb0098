"""Reflections, least squares by their drivers, pseudoinverses by their bounds."""

import numpy as np
import pytest
import sluice as sl

_rng = np.random.default_rng(7)


def _matrix(*shape):
    return sl.tensor(_rng.normal(size=shape))


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 4), (1, 1)])
def test_geqrf_says_q_and_r(shape):
    x = _matrix(*shape)
    made, tau = sl.geqrf(x)
    few = min(shape[-2:])
    assert tau.shape == (*shape[:-2], few)
    q = sl.linalg.householder_product(made[..., :, :few], tau)
    r = sl.triu(made)[..., :few, :]
    np.testing.assert_allclose((q @ r).numpy(), x.numpy(), atol=1e-12)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_ormqr_multiplies_by_all_of_q(left, transpose):
    x = _matrix(5, 3)
    made, tau = sl.geqrf(x)
    eye = sl.eye(5, dtype=sl.float64)
    q = sl.ormqr(made, tau, eye)
    np.testing.assert_allclose((q.T @ q).numpy(), np.eye(5), atol=1e-12)
    other = _matrix(5, 2) if left else _matrix(2, 5)
    by = q.T if transpose else q
    wanted = by @ other if left else other @ by
    got = sl.ormqr(made, tau, other, left, transpose)
    np.testing.assert_allclose(got.numpy(), wanted.numpy(), atol=1e-12)


def test_geqrf_has_gradients():
    x = _matrix(4, 3).requires_grad_()
    assert sl.autograd.gradcheck(lambda a: sl.geqrf(a)[0], (x,))


def test_least_squares_and_what_a_driver_gives():
    a, b = _matrix(5, 3), _matrix(5, 2)
    made = {d: sl.linalg.lstsq(a, b, driver=d) for d in (None, "gels", "gelsd")}
    for d in made:
        np.testing.assert_array_equal(
            made[d].solution.numpy(), made[None].solution.numpy()
        )
    off = (a @ made[None].solution - b).numpy()
    np.testing.assert_allclose(made["gelsd"].residuals.numpy(), (off**2).sum(0))
    np.testing.assert_allclose(made["gels"].residuals.numpy(), (off**2).sum(0))
    assert made[None].rank.item() == made["gelsd"].rank.item() == 3
    assert made["gels"].rank.shape == made[None].residuals.shape == (0,)
    wanted = np.linalg.svd(a.numpy(), compute_uv=False)
    np.testing.assert_allclose(made["gelsd"].singular_values.numpy(), wanted)
    flat = sl.linalg.lstsq(sl.ones(4, 2), sl.ones(4, 1), driver="gelss")
    assert flat.rank.item() == 1 and flat.residuals.shape == (0,)
    with pytest.raises(ValueError, match="wanted one of gels, gelsy"):
        sl.linalg.lstsq(a, b, driver="qr")


def test_pseudoinverses_by_bounds():
    u, _ = np.linalg.qr(_rng.normal(size=(3, 3)))
    x = sl.tensor(u @ np.diag([4.0, 1.0, 0.01]) @ u.T)

    def rank(**bounds):
        return int(sl.linalg.matrix_rank(sl.linalg.pinv(x, **bounds), tol=1e-6))

    assert [rank(), rank(rtol=0.1), rank(atol=2.0), rank(atol=0.02, rtol=0.5)] == [
        3, 2, 1, 1]  # fmt: skip
    assert rank(atol=sl.tensor(0.5, dtype=sl.float64)) == 2
    np.testing.assert_allclose(
        sl.linalg.pinv(sl.tril(x), hermitian=True).numpy(),
        np.linalg.inv(x.numpy()), rtol=1e-8,
    )  # fmt: skip
    with pytest.raises(ValueError, match="atol is -1"):
        sl.linalg.pinv(x, atol=-1)


@pytest.mark.parametrize("density", [False, True])
def test_points_in_boxes(density):
    x = _rng.normal(size=(50, 2))
    weight = _rng.random(50)
    borders = [np.array([-1.0, 0.0, 0.5, 2.0]), np.array([-2.0, 0.0, 2.0])]
    made = sl.histogramdd(sl.tensor(x), [sl.tensor(b) for b in borders],
                          weight=sl.tensor(weight), density=density)  # fmt: skip
    wanted = np.histogramdd(x, borders, weights=weight, density=density)
    np.testing.assert_allclose(made.hist.numpy(), wanted[0])
    made = sl.histogramdd(sl.tensor(x), [3, 4], density=density)
    wanted = np.histogramdd(x, [3, 4], density=density)
    np.testing.assert_allclose(made.hist.numpy(), wanted[0])
    for got, want in zip(made.bin_edges, wanted[1]):
        np.testing.assert_allclose(got.numpy(), want)
    made = sl.histogramdd(sl.tensor(x), 2, range=[-1, 1, -2, 2])
    np.testing.assert_allclose(
        made.hist.numpy(), np.histogramdd(x, 2, range=[(-1, 1), (-2, 2)])[0]
    )


def test_masked_scatter_as_a_function():
    x = sl.zeros(2, 2)
    made = sl.masked_scatter(x, sl.tensor([True, False]), sl.tensor([1.0, 2.0, 3.0]))
    assert made.tolist() == [[1, 0], [2, 0]]
