"""Complex numbers are two numbers: what compares, rounds or converts them does not look
at the real part alone."""

import numpy as np
import pytest

import sluice as sl
from sluice import testing

A = sl.tensor([1 + 1j, 2 - 1j, 0j])
B = sl.tensor([1 + 2j, 2 - 1j, 1j])


def test_comparisons_see_imaginary_parts():
    assert sl.isclose(A, B).tolist() == [False, True, False]
    assert not sl.allclose(A, B)
    assert sl.allclose(A, A)
    assert sl.allclose(A, B, atol=1)
    with pytest.raises(AssertionError, match=r"first, \[0\], is 1\+1j and 1\+2j"):
        testing.assert_close(A, B)
    testing.assert_close(A, A)
    real = sl.tensor([1.0, 2.0, 0.0])
    assert sl.isclose(real, A).tolist() == [False, False, True]


def test_close_complex_numbers_that_are_not_finite():
    inf, nan = float("inf"), float("nan")
    x = [complex(inf, 1), complex(nan, 1), complex(1, nan), 1 + 1j]
    y = [complex(inf, 1), complex(nan, 1), complex(nan, 2), complex(inf, 1)]
    for equal_nan in (False, True):
        want = np.isclose(np.array(x), np.array(y), equal_nan=equal_nan)
        got = sl.isclose(sl.tensor(x), sl.tensor(y), equal_nan=equal_nan)
        assert got.tolist() == want.tolist()


def test_all_but_zero_is_true():
    assert B.to(sl.bool).tolist() == [True, True, True]
    assert A.to(sl.bool).tolist() == [True, True, False]
    x = sl.tensor([1j] * 300 + [0j])
    assert x.to(sl.bool).numpy().sum() == 300
    assert bool(sl.tensor(1j)) and not bool(sl.tensor(0j))


@pytest.mark.parametrize("name", ["floor", "ceil", "round", "trunc"])
def test_what_rounds_refuses_them(name):
    with pytest.raises(ValueError, match="complex64"):
        getattr(sl, name)(sl.tensor([1.5 + 0.5j]))


def test_rounding_to_decimals_refuses_them():
    for decimals in (1, -1):
        with pytest.raises((TypeError, ValueError), match="complex64"):
            sl.round(sl.tensor([1.55 + 0.5j]), decimals)


@pytest.mark.parametrize("name", ["isposinf", "isneginf"])
def test_signed_infinities_are_real(name):
    with pytest.raises(TypeError, match="complex64"):
        getattr(sl, name)(A)


def test_nan_in_either_part_is_nan():
    inf, nan = float("inf"), float("nan")
    x = [complex(nan, 1), complex(1, nan), 1 + 1j]
    assert sl.nansum(sl.tensor(x)).item() == 1 + 1j
    assert sl.nanmean(sl.tensor(x)).item() == 1 + 1j
    y = [*x, complex(inf, -inf)]
    got = sl.nan_to_num(sl.tensor(y), posinf=7, neginf=-7)
    assert got.tolist() == [1j, 1, 1 + 1j, 7 - 7j]


def test_linspace_of_complex_numbers():
    got = sl.linspace(1 + 1j, 3 - 2j, 4)
    assert got.dtype == sl.complex64
    np.testing.assert_allclose(got.numpy(), np.linspace(1 + 1j, 3 - 2j, 4), rtol=1e-6)
    got = sl.linspace(-2, -3, 4, dtype=sl.complex64).numpy()
    np.testing.assert_allclose(got, np.linspace(-2, -3, 4), rtol=1e-6)
    got = sl.linspace(0, 1j, 4, endpoint=False).numpy()
    np.testing.assert_allclose(got, np.linspace(0, 1j, 4, endpoint=False), rtol=1e-6)
    assert sl.linspace(0, 1j, 0).shape == (0,)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32"])
@pytest.mark.parametrize(
    "bounds", [(3.1,), (0, 3.1), (1.0, 5.000001, 2.0), (2.1, -2.9, -1.0)]
)
def test_arange_of_small_integers_counts_before_it_cuts(dtype, bounds):
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    count = int(np.ceil((stop - start) / step))
    want = int(start) + int(step) * np.arange(count)
    if dtype == "uint8" and want.min() < 0:
        with pytest.raises(ValueError, match="is no uint8"):
            sl.arange(*bounds, dtype=dtype)
        return
    assert sl.arange(*bounds, dtype=dtype).numpy().tolist() == want.tolist()


def test_cross_products_of_unsigned_integers_are_of_their_type():
    a = np.array([[200, 3, 7]], np.uint8)
    b = np.array([[1, 250, 3]], np.uint8)
    got = sl.cross(sl.tensor(a), sl.tensor(b))
    assert got.dtype == sl.uint8
    want = np.cross(a.astype(np.int64), b.astype(np.int64)).astype(np.uint8)
    assert got.tolist() == want.tolist()


def test_interpolation_between_integers_is_refused():
    x = sl.ones(1, 1, 4, 4, dtype=sl.uint8)
    for size in ({"size": (6, 6)}, {"scale_factor": 1.7}):
        with pytest.raises(ValueError, match="u8|uint8"):
            sl.nn.functional.interpolate(x, mode="bilinear", **size)
