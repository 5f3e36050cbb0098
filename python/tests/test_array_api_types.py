"""Types that meet in sluice.array_api: the standard's table, whatever the shapes."""

import itertools

import numpy as np
import pytest

import sluice as sl
import sluice.array_api as xp

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")


def pairs():
    """Pairs of types of one kind that meet in some type."""
    for a, b in itertools.product(SIGNED + UNSIGNED, repeat=2):
        if not ("uint64" in (a, b) and {a, b} & set(SIGNED)):
            yield a, b
    yield from itertools.product(FLOATS, repeat=2)


@pytest.mark.parametrize("a, b", list(pairs()))
def test_types_meet_as_numpys_whatever_the_shapes(a, b):
    wanted = np.promote_types(a, b).name
    for shapes in ((2,), (2,)), ((), (2,)), ((2,), ()), ((), ()):
        x, y = (xp.ones(s, dtype=getattr(xp, t)) for s, t in zip(shapes, (a, b)))
        for f in (xp.add, xp.multiply, xp.floor_divide, xp.maximum, xp.remainder):
            assert f(x, y).dtype.name == wanted, (f.__name__, shapes)
        assert xp.result_type(x, y).name == wanted
        assert xp.where(xp.asarray(True), x, y).dtype.name == wanted
    assert xp.concat([xp.ones(2, dtype=x.dtype), xp.ones(2, dtype=y.dtype)]).dtype == (
        xp.result_type(x, y))  # fmt: skip
    assert xp.can_cast(x.dtype, y.dtype) == (wanted == b)


def test_what_no_type_holds_is_refused():
    u = xp.ones(2, dtype=xp.uint64)
    with pytest.raises(TypeError, match="uint64 and int8"):
        xp.add(u, xp.ones(2, dtype=xp.int8))
    assert not xp.can_cast(xp.uint64, xp.int64)
    z = xp.ones(2, dtype=xp.complex64)
    with pytest.raises(TypeError, match="complex128"):
        xp.multiply(z, xp.ones(2, dtype=xp.float64))
    with pytest.raises(TypeError, match="complex128"):
        xp.add(xp.ones(2, dtype=xp.float64), 1j)


def test_numbers_take_the_type_of_the_array():
    for name in SIGNED + UNSIGNED + FLOATS + ("complex64",):
        x = xp.ones((), dtype=getattr(xp, name))
        assert xp.add(x, 1).dtype == x.dtype and xp.add(1, x).dtype == x.dtype
    assert xp.add(xp.ones(2), 1j).dtype == xp.complex64
    assert xp.logical_and(xp.asarray([True]), False).tolist() == [False]
    for bad in (1.5, 1j):
        with pytest.raises(TypeError, match="int32"):
            xp.add(xp.ones(2, dtype=xp.int32), bad)
    with pytest.raises(ValueError, match="300"):
        xp.add(xp.ones(2, dtype=xp.uint8), 300)
    with pytest.raises(TypeError, match="wanted an array"):
        xp.add(1, 2)


@pytest.mark.parametrize("name", SIGNED + UNSIGNED)
def test_sums_are_in_64_bits_of_the_same_sign(name):
    x = xp.asarray([100, 100, 27], dtype=getattr(xp, name))
    wanted = "int64" if name in SIGNED else "uint64"
    for f in (xp.sum, xp.prod, xp.cumulative_sum, xp.cumulative_prod):
        assert f(x).dtype.name == wanted, f.__name__
        assert f(x, dtype=xp.float64).dtype == xp.float64
    assert int(xp.sum(x)) == 227
    assert xp.linalg.trace(xp.ones((2, 2), dtype=x.dtype)).dtype.name == wanted


def test_floats_keep_their_type_when_reduced():
    for name in FLOATS:
        x = xp.ones((2, 2), dtype=getattr(xp, name))
        for f in (xp.sum, xp.prod, xp.mean, xp.var, xp.std, xp.max):
            assert f(x).dtype == x.dtype, f.__name__


def test_result_type_of_types_arrays_and_numbers():
    x = xp.ones((), dtype=xp.int16)
    assert xp.result_type(x, xp.uint8, 3) == xp.int16
    assert xp.result_type(xp.float32, 3, 2.5, True) == xp.float32
    assert xp.result_type(xp.float32, 1j) == xp.complex64
    with pytest.raises(ValueError, match="at least one"):
        xp.result_type(1, 2.5)


def test_the_namespaces_promotion_is_not_that_of_operators():
    """As in PyTorch, an operator lets arrays without axes give way."""
    small, single = xp.ones(2, dtype=xp.int8), xp.ones((), dtype=xp.int64)
    assert (small + single).dtype == sl.int8
    assert xp.add(small, single).dtype == sl.int64
