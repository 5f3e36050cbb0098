"""Copies, listed choices, divisors, slopes, factors and draws by PyTorch's names.
Every sample of PyTorch's own is compared by `make compare-ops`."""

import itertools
import math

import numpy as np
import pytest

import sluice as sl
from composed_check import check

A = np.random.default_rng(12).normal(size=(4, 5))
S = A[:, :4] @ A[:, :4].T + 4 * np.eye(4)
T = sl.tensor


def _spd(x):
    return x[:, :4] @ x[:, :4].mT + 4 * sl.eye(4, dtype=x.dtype)


VALUES = {
    "combinations": (lambda x: sl.combinations(x[0], 3),
                     np.array(list(itertools.combinations(A[0], 3)))),
    "combinations again": (lambda x: sl.combinations(x[0], with_replacement=True),
                           np.array(list(
                               itertools.combinations_with_replacement(A[0], 2)))),
    "cartesian_prod": (lambda x: sl.cartesian_prod(x[0], x[1]),
                       np.array(list(itertools.product(A[0], A[1])))),
    "gradient": (lambda x: sl.gradient(x)[1], np.gradient(A, axis=1)),
    "gradient apart": (
        lambda x: sl.gradient(x, spacing=(T([0.0, 1, 3, 4], dtype=x.dtype),), dim=0,
                              edge_order=2)[0],
        np.gradient(A, [0.0, 1, 3, 4], axis=0, edge_order=2)),
    "ldexp": (lambda x: sl.ldexp(x, T([1, 2, 3, -1, 0])),
              np.ldexp(A, [1, 2, 3, -1, 0])),
    "frexp": (lambda x: sl.frexp(x).mantissa, np.frexp(A)[0]),
    "logaddexp2": (lambda x: sl.logaddexp2(x, x[0]), np.logaddexp2(A, A[0])),
    "sum_to_size": (lambda x: x.sum_to_size(1, 5), A.sum(0, keepdims=True)),
    "cholesky_inverse": (lambda x: sl.cholesky_inverse(sl.linalg.cholesky(_spd(x))),
                         np.linalg.inv(S)),
    "pinverse": (lambda x: sl.pinverse(x), np.linalg.pinv(A)),
    "lu_unpack": (lambda x: sl.lu_unpack(*sl.linalg.lu_factor(_spd(x)))[2].diagonal()
                  .prod().reshape(1), np.array([np.linalg.det(S)])),
    "lu_solve": (lambda x: sl.lu_solve(x[:, 4:], *sl.linalg.lu_factor(_spd(x))),
                 np.linalg.solve(S, A[:, 4:])),
    "index_reduce": (lambda x: sl.index_reduce(x, 0, T([0, 0]), x[2:], "mean"),
                     np.vstack([(A[0] + A[2] + A[3]) / 3, A[1:]])),
    "unfold": (lambda x: x.unfold(1, 3, 2), np.stack([A[:, :3], A[:, 2:]], 1)),
    "narrow_copy": (lambda x: sl.narrow_copy(x, 1, 1, 3), A[:, 1:4]),
    "split_with_sizes": (lambda x: sl.split_with_sizes(x, [1, 3], 0)[1], A[1:]),
    "permute_copy": (lambda x: sl.permute_copy(x, (1, 0)), A.T),
    "unbind_copy": (lambda x: sl.unbind_copy(x, 1)[2], A[:, 2]),
    "constant_pad_nd": (lambda x: sl.constant_pad_nd(x, (1, 0), 2.0),
                        np.pad(A, ((0, 0), (1, 0)), constant_values=2.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_values_captured_batched_and_gradients(name):
    check(*VALUES[name], A)


def test_copies_have_elements_of_their_own():
    x = sl.arange(6.0).reshape(2, 3)
    for made in (sl.alias_copy(x), sl.t_copy(x), sl.view_copy(x, (3, 2)),
                 sl.unbind_copy(x)[0], sl.squeeze_copy(x),
                 sl.unfold_copy(x, 0, 2, 1)):  # fmt: skip
        made.fill_(7.0)
        assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_divisors_beside_python():
    numbers = [0, 1, -4, 6, 12, 35, 2**62, 6557470319842, 10610209857723]
    a, b = (np.array(n) for n in zip(*itertools.product(numbers, numbers)))
    assert sl.gcd(T(a), T(b)).tolist() == [math.gcd(m, n) for m, n in zip(a, b)]
    small = np.abs(a) < 100
    a, b = a[small], np.where(np.abs(b[small]) < 100, b[small], 3)
    assert sl.lcm(T(a), T(b)).tolist() == [math.lcm(m, n) for m, n in zip(a, b)]
    with pytest.raises(TypeError, match=r"gcd\(\): float32; wanted integers"):
        sl.gcd(T(1.0), T(2.0))


def test_frexp_of_subnormal_and_other_numbers():
    x = np.array([5e-324, 3e-310, 2.0**-1022, 1.0, 0.0, -0.0, 1.7e308, -8.0, 2.0**52])
    made, power = sl.frexp(T(x))
    wanted, wanted_power = np.frexp(x)
    assert np.array_equal(made.numpy(), wanted)
    assert np.array_equal(power.numpy(), wanted_power)
    assert power.dtype == sl.int32
    single = np.array([1e-45, 3.0, 0.0, -2.0**127], np.float32)
    assert np.array_equal(sl.frexp(T(single))[0].numpy(), np.frexp(single)[0])


def test_unique_consecutive():
    x = T([1, 1, 2, 2, 3, 1, 1])
    made = sl.unique_consecutive(x, return_inverse=True, return_counts=True)
    assert [m.tolist() for m in made] == [
        [1, 2, 3, 1], [0, 0, 1, 1, 2, 3, 3], [2, 2, 1, 2]]  # fmt: skip
    rows = T([[1, 2], [1, 2], [3, 4]])
    assert sl.unique_consecutive(rows, dim=0).tolist() == [[1, 2], [3, 4]]


def test_places_and_numbers():
    made = sl.unravel_index(T([0, 5, 11]), (3, 4))
    assert [m.tolist() for m in made] == [[0, 1, 2], [0, 1, 3]]
    places = sl.nonzero_static(T([0, 3, 0, 4]), size=3)
    assert places.tolist() == [[1], [3], [-1]]
    assert sl.scalar_tensor(3).dtype == sl.float32
    assert sl.isreal(T([1 + 0j, 1j])).tolist() == [True, False]


def test_svd_of_low_rank_is_that_of_the_matrix():
    a = T(A[:, :2]) @ T(A[:2])
    u, s, v = sl.svd_lowrank(a, q=2)
    assert np.allclose((u * s @ v.mT).numpy(), a.numpy())
    u, s, v = sl.pca_lowrank(a, q=2)
    assert np.allclose((u * s @ v.mT).numpy(), (a - a.mean(0)).numpy())


def test_gradients_by_windows_and_distances_are_dense():
    for f in (lambda x: x.unfold(0, 2, 1), lambda x: sl.combinations(x[0]),
              lambda x: sl.pdist(x)):  # fmt: skip
        x = T(A).requires_grad_()
        f(x).sum().backward()
        assert not x.grad.is_sparse


@pytest.mark.parametrize("name, mean", [
    ("exponential_", 0.5), ("geometric_", 4.0), ("log_normal_", math.exp(0.5 + 0.02)),
    ("cauchy_", 3.0)])  # fmt: skip
def test_draws_in_place(name, mean):
    sl.manual_seed(1)
    args = {"exponential_": (2.0,), "geometric_": (0.25,), "log_normal_": (0.5, 0.2),
            "cauchy_": (3.0, 0.5)}[name]  # fmt: skip
    x = sl.zeros(20000)
    assert getattr(x, name)(*args) is x
    middle = x.median() if name == "cauchy_" else x.mean()
    assert float(middle) == pytest.approx(mean, rel=0.03)
    with pytest.raises(ValueError, match="wanted it"):
        getattr(x, name)(*args[:-1], -1.0)
