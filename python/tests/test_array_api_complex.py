"""Elementwise functions of complex numbers in sluice.array_api, beside numpy's.

numpy computes in complex128, so that its results are the true ones in complex64.
"""

import numpy as np
import pytest

import sluice as sl
import sluice.array_api as xp

PARTS = [-np.inf, -2.5, -1.0, -1e-20, -0.0, 0.0, 1e-20, 0.3, 1.0, 30.0, np.inf, np.nan]
GRID = np.array([complex(a, b) for a in PARTS for b in PARTS], dtype=np.complex64)
FUNCTIONS = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
    "atan": "arctan", "atanh": "arctanh", "cos": "cos", "cosh": "cosh", "exp": "exp",
    "expm1": "expm1", "log": "log", "log1p": "log1p", "log2": "log2",
    "log10": "log10", "reciprocal": "reciprocal", "sign": "sign", "sin": "sin",
    "sinh": "sinh", "sqrt": "sqrt", "square": "square", "tan": "tan", "tanh": "tanh",
    "abs": "abs", "conj": "conj", "negative": "negative", "round": "round",
}  # fmt: skip


def both(name, z):
    with np.errstate(all="ignore"):
        wanted = getattr(np, FUNCTIONS[name])(z.astype(np.complex128))
        wanted = wanted.astype(np.complex64)
    made = getattr(xp, name)(xp.asarray(z)).numpy()
    return made.astype(np.complex64), wanted


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name):
    rng = np.random.default_rng(len(name))
    sizes = 10.0 ** rng.uniform(-6, 1.5, 500)
    z = ((rng.normal(size=500) + 1j * rng.normal(size=500)) * sizes)
    made, wanted = both(name, z.astype(np.complex64))
    assert np.all(np.abs(made - wanted) <= 3e-7 * np.abs(wanted)), name


# numpy's own are not as the standard has them at infinity, or at NaN.
OTHERS = {"expm1", "log1p", "reciprocal", "sign", "square"}


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - OTHERS))
def test_infinities_nan_and_zeros(name):
    """Signs that C and the standard leave open are not compared."""
    made, wanted = both(name, GRID)
    for z, m, w in zip(GRID, made, wanted):
        for part in ("real", "imag"):
            got, want = getattr(m, part), getattr(w, part)
            if np.isnan(want) or np.isnan(got):
                assert np.isnan(want) and np.isnan(got), (name, z, m, w)
            elif np.isinf(want):
                assert abs(got) == abs(want), (name, z, m, w)
            else:
                assert abs(got - want) <= 1e-6 * abs(want) + 1e-38, (name, z, m, w)


def test_sign_and_reciprocal_at_infinity():
    inf, nan = xp.inf, xp.nan
    z = xp.asarray([complex(-inf, 2), complex(1, inf), complex(-0.0, -0.0)])
    assert xp.sign(z).tolist() == [-1, 1j, 0]
    assert xp.reciprocal(z[:2]).tolist() == [0, 0]
    strange = xp.sign(xp.asarray([complex(nan, 1), complex(inf, nan)]))
    assert xp.all(xp.isnan(xp.real(strange))) and xp.all(xp.isnan(xp.imag(strange)))


def test_expm1_at_infinity():
    inf, nan = xp.inf, xp.nan
    made = xp.expm1(xp.asarray([complex(-inf, nan), complex(inf, 0.0), 0j])).tolist()
    assert made == [-1, inf, 0]


@pytest.mark.parametrize("name", ["sqrt", "log", "asin", "acos", "atanh", "asinh"])
def test_branch_cuts_by_the_sign_of_zero(name):
    cut = np.array([complex(a, b) for a in (-3.0, -0.5, 0.5, 3.0) for b in (0.0, -0.0)]
                   + [complex(a, b) for b in (-3.0, 3.0) for a in (0.0, -0.0)])
    made, wanted = both(name, cut.astype(np.complex64))
    assert np.allclose(made, wanted, rtol=1e-6), name
    assert np.array_equal(np.signbit(made.imag), np.signbit(wanted.imag)), name


def test_power_beside_numpy():
    rng = np.random.default_rng(5)
    x, y = (rng.normal(size=(2, 100)) + 1j * rng.normal(size=(2, 100))) * 2
    x, y = x.astype(np.complex64), y.astype(np.complex64)
    made = xp.pow(xp.asarray(x), xp.asarray(y)).numpy()
    assert np.allclose(made, x.astype(complex) ** y, rtol=1e-6)
    zero = xp.asarray([0j, 0j, 2 + 1j])
    made = xp.pow(zero, xp.asarray([0j, 2 + 1j, 0j]))
    assert made.tolist() == [1, 0, 1]


def test_tests_of_numbers_look_at_both_parts():
    z = xp.asarray(GRID)
    for name in ("isnan", "isinf", "isfinite"):
        wanted = getattr(np, name)(GRID)
        assert np.array_equal(getattr(xp, name)(z).numpy(), wanted), name


def test_running_sums_and_products_and_means():
    rng = np.random.default_rng(7)
    z = (rng.normal(size=(4, 5, 3)) + 1j * rng.normal(size=(4, 5, 3)))
    z = z.astype(np.complex64)
    x = xp.asarray(z)
    for axis in range(3):
        for name in ("sum", "prod"):
            made = getattr(xp, "cumulative_" + name)(x, axis=axis).numpy()
            wanted = getattr(np, "cum" + name)(z, axis)
            assert np.allclose(made, wanted, rtol=1e-5, atol=1e-6)
    for axis in (None, 0, 1, (0, 2), ()):
        for name in ("sum", "prod", "mean"):
            for keep in (False, True):
                made = getattr(xp, name)(x, axis=axis, keepdims=keep).numpy()
                wanted = getattr(np, name)(z, axis=axis, keepdims=keep)
                assert made.shape == wanted.shape, (name, axis, keep)
                assert np.allclose(made, wanted, rtol=1e-5, atol=1e-6), (name, axis)
    assert xp.prod(xp.zeros((0,), dtype=xp.complex64)).tolist() == 1


def test_complex_numbers_where_there_is_no_meaning():
    z = xp.asarray([1 + 2j])
    for call in (xp.floor, xp.sort, xp.max, xp.signbit, xp.argmax, xp.var):
        with pytest.raises(TypeError, match="complex64"):
            call(z)
    with pytest.raises(TypeError, match="imaginary"):
        xp.astype(z, xp.float32)
    with pytest.raises(TypeError, match="complex128"):
        xp.add(z, xp.asarray([1.0], dtype=xp.float64))
    assert xp.add(z, xp.asarray([1.0])).dtype == sl.complex64
