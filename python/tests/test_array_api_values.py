"""Functions of sluice.array_api beside numpy's, of every type they take."""

import itertools

import numpy as np
import pytest

import sluice.array_api as xp

INTS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS = ["float32", "float64"]
REAL = INTS + FLOATS
ALL = ["bool", *REAL, "complex64"]
UNARY = {
    # name: numpy's, types
    **{name: (name, FLOATS) for name in
       "cos cosh exp expm1 log log10 log1p log2 sin sinh sqrt tan tanh".split()},
    "signbit": ("signbit", FLOATS),
    **{name: ("arc" + name[1:], FLOATS) for name in
       "acos acosh asin asinh atan atanh".split()},
    **{name: (name, REAL) for name in
       "abs ceil floor isfinite isinf isnan negative positive round sign square trunc"
       .split()},
    "reciprocal": ("reciprocal", FLOATS),
    "bitwise_invert": ("invert", ["bool", *INTS]),
    "logical_not": ("logical_not", ["bool"]),
}  # fmt: skip
BINARY = {
    **{name: (name, REAL) for name in
       "add subtract multiply floor_divide remainder maximum minimum equal not_equal "
       "greater greater_equal less less_equal".split()},
    "divide": ("divide", FLOATS),
    "pow": ("power", FLOATS),
    "atan2": ("arctan2", FLOATS),
    **{name: (name, FLOATS) for name in
       "copysign hypot logaddexp nextafter".split()},
    **{name: (name, ["bool", *INTS]) for name in
       "bitwise_and bitwise_or bitwise_xor".split()},
    "bitwise_left_shift": ("left_shift", INTS),
    "bitwise_right_shift": ("right_shift", INTS),
    **{name: (name, ["bool"]) for name in "logical_and logical_or logical_xor".split()},
}  # fmt: skip


def rows(table):
    return [(name, numpy, t) for name, (numpy, types) in table.items() for t in types]


def numbers(name, shape, seed, low=-9, high=10):
    rng = np.random.default_rng(seed)
    if name == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if name.startswith("uint"):
        low = 0
    if name in FLOATS:
        return (rng.normal(size=shape) * 2).round(2).astype(name)
    if name == "complex64":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(name)
    return rng.integers(low, high, shape).astype(name)


def check(made, wanted, *said):
    made = made.numpy()
    assert made.shape == np.shape(wanted), said
    wanted = np.asarray(wanted)
    assert made.dtype == wanted.dtype, said
    exact = wanted.dtype.kind not in "fc"
    tolerance = 1e-5 if wanted.dtype.itemsize < 8 or wanted.dtype.kind == "c" else 1e-12
    same = np.array_equal(made, wanted) if exact else np.allclose(
        made, wanted, rtol=tolerance, atol=tolerance, equal_nan=True)  # fmt: skip
    assert same, (*said, made, wanted)


@pytest.mark.parametrize("name, numpy, t", rows(UNARY))
def test_unary(name, numpy, t):
    x = numbers(t, (4, 7), len(name))
    if t in FLOATS:
        x[0, :5] = [np.inf, -np.inf, np.nan, 0.0, -0.0]
    with np.errstate(all="ignore"):
        wanted = getattr(np, numpy)(x)
    check(getattr(xp, name)(xp.asarray(x)), wanted, name, t)
    check(getattr(xp, name)(xp.asarray(x[0, 0])), wanted[0, 0], name, t)


@pytest.mark.parametrize("name, numpy, t", rows(BINARY))
def test_binary(name, numpy, t):
    x, y = numbers(t, (5, 1, 6), 1), numbers(t, (4, 6), 2, low=1, high=7)
    if t in FLOATS and name not in ("floor_divide", "remainder"):
        x[0, 0, :4] = [np.inf, -np.inf, np.nan, -0.0]
        y[0, :3] = [np.inf, np.nan, -np.inf]
    elif t != "bool":
        y[y == 0] = 1
    with np.errstate(all="ignore"):
        wanted = getattr(np, numpy)(x, y)
    check(getattr(xp, name)(xp.asarray(x), xp.asarray(y)), wanted, name, t)


def test_floor_divide_and_remainder_of_infinities_and_zeros():
    """As the standard lists them; numpy and PyTorch have NaN for the first two."""
    x = xp.asarray([xp.inf, -xp.inf, -0.0, -0.0, 7.0, -7.0])
    y = xp.asarray([2.0, 2.0, 3.0, -3.0, 2.0, 2.0])
    made = xp.floor_divide(x, y)
    assert made.tolist() == [xp.inf, -xp.inf, 0, 0, 3, -4]
    assert xp.signbit(made).tolist() == [False, True, True, False, False, True]
    made = xp.remainder(xp.asarray([-0.0, 0.0, 6.0, -6.0]), xp.asarray([3.0, -3.0] * 2))
    assert made.tolist() == [0, 0, 0, 0]
    assert xp.signbit(made).tolist() == [False, True, False, True]


REDUCED = {
    **{name: ["float32", "float64"] for name in ("mean", "var", "std")},
    **{name: REAL for name in ("max", "min")},
    **{name: REAL + ["complex64"] for name in ("sum", "prod")},
    **{name: ALL for name in ("all", "any", "count_nonzero")},
}


@pytest.mark.parametrize("name, t", [(n, t) for n, ts in REDUCED.items() for t in ts])
def test_reductions(name, t):
    x = numbers(t, (2, 3, 4), 3)
    for axis, keep in itertools.product([None, 0, -1, (0, 2), ()], [False, True]):
        made = getattr(xp, name)(xp.asarray(x), axis=axis, keepdims=keep)
        wanted = getattr(np, name)(x, axis=axis, keepdims=keep)
        check(made, wanted, name, t, axis, keep)


@pytest.mark.parametrize("t", REAL)
def test_sorting_and_searching(t):
    x = numbers(t, (3, 8), 4, -3, 4)
    a = xp.asarray(x)
    for axis in (0, 1, -1):
        check(xp.sort(a, axis=axis), np.sort(x, axis), t)
        check(xp.argsort(a, axis=axis), np.argsort(x, axis, kind="stable"), t)
        down = xp.argsort(a, axis=axis, descending=True).numpy()
        picked = np.take_along_axis(x, down, axis)
        assert np.array_equal(picked, np.flip(np.sort(x, axis), axis)), t
        for name in ("argmax", "argmin"):
            for keep in (False, True):
                made = getattr(xp, name)(a, axis=axis, keepdims=keep)
                check(made, getattr(np, name)(x, axis, keepdims=keep), name, t)
    line = np.sort(x.reshape(-1))
    order = np.argsort(x.reshape(-1), kind="stable")
    for side in ("left", "right"):
        wanted = np.searchsorted(line, x, side)
        check(xp.searchsorted(xp.asarray(line), a, side=side), wanted, side, t)
        made = xp.searchsorted(
            xp.reshape(a, (-1,)), a, side=side, sorter=xp.asarray(order)
        )
        check(made, wanted, side, t)
    for made, wanted in zip(xp.nonzero(a), np.nonzero(x)):
        check(made, wanted, t)


@pytest.mark.parametrize("t", ALL)
def test_the_different_elements(t):
    x = numbers(t, (4, 5), 6, -2, 3)
    if t == "complex64":
        x = x.round(0)
    made = xp.unique_all(xp.asarray(x))
    values, first, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True
    )
    check(made.values, values, t)
    check(made.indices, first, t)
    check(made.inverse_indices, inverse.reshape(x.shape), t)
    check(made.counts, counts, t)
    check(xp.unique_values(xp.asarray(x)), values)
    assert xp.unique_counts(xp.asarray(x)).counts.tolist() == counts.tolist()
    assert xp.unique_inverse(xp.asarray(x)).inverse_indices.shape == x.shape


def test_every_nan_is_an_element_of_its_own():
    made = xp.unique_all(xp.asarray([xp.nan, 1.0, xp.nan, 1.0, -0.0, 0.0]))
    assert made.values.tolist()[:2] == [0, 1] and made.counts.tolist() == [2, 2, 1, 1]
    assert xp.unique_values(xp.zeros((0,))).shape == (0,)


@pytest.mark.parametrize("t", ALL)
def test_shapes_and_places(t):
    x = numbers(t, (2, 3, 4), 8)
    a = xp.asarray(x)
    check(xp.roll(a, 5), np.roll(x, 5))
    check(xp.roll(a, (1, -2), axis=(0, 2)), np.roll(x, (1, -2), (0, 2)))
    check(xp.roll(a, (1, 1), axis=(2, 2)), np.roll(x, (1, 1), (2, 2)))
    check(xp.flip(a), np.flip(x))
    check(xp.flip(a, axis=(0, -1)), np.flip(x, (0, -1)))
    check(xp.repeat(a, 2), np.repeat(x, 2))
    check(xp.repeat(a, xp.asarray([0, 2, 1]), axis=1), np.repeat(x, [0, 2, 1], 1))
    check(xp.repeat(a, xp.asarray([3]), axis=2), np.repeat(x, [3], 2))
    check(xp.tile(a, (2, 1, 1, 2)), np.tile(x, (2, 1, 1, 2)))
    check(xp.moveaxis(a, (0, 1), (2, 0)), np.moveaxis(x, (0, 1), (2, 0)))
    check(xp.permute_dims(a, (2, 0, 1)), x.transpose(2, 0, 1))
    check(xp.concat([a, a], axis=1), np.concatenate([x, x], 1))
    check(xp.concat([a, a], axis=None), np.concatenate([x, x], None))
    check(xp.stack([a, a], axis=-1), np.stack([x, x], -1))
    check(xp.take(a, xp.asarray([2, -1]), axis=1), np.take(x, [2, -1], 1))
    places = np.array([[[1, -2]]])
    check(xp.take_along_axis(a, xp.asarray(places), axis=-1),
          np.take_along_axis(x, places, -1))  # fmt: skip
    check(xp.tril(a, k=1), np.tril(x, 1))
    check(xp.triu(a, k=-1), np.triu(x, -1))
    check(xp.linalg.diagonal(a, offset=1), np.diagonal(x, 1, 1, 2))
    for made, wanted in zip(xp.unstack(a, axis=1), np.moveaxis(x, 1, 0)):
        check(made, wanted)
    for made, wanted in zip(xp.broadcast_arrays(a, a[:1]), (x, x[:1].repeat(2, 0))):
        check(made, wanted)
    if t != "bool":
        check(xp.diff(a, n=2, axis=1), np.diff(x, 2, 1))
        check(xp.diff(a, prepend=a, append=a[..., :1]),
              np.diff(x, prepend=x, append=x[..., :1]))  # fmt: skip
        for initial in (False, True):
            made = xp.cumulative_sum(a, axis=1, include_initial=initial)
            wanted = np.cumulative_sum(x, axis=1, include_initial=initial)
            check(made, wanted, t)


@pytest.mark.parametrize("t", REAL)
def test_clip(t):
    x = numbers(t, (3, 4), 9)
    low, high = numbers(t, (4,), 10), numbers(t, (3, 1), 11)
    check(xp.clip(xp.asarray(x), 1, 4), np.clip(x, 1, 4).astype(t))
    made = xp.clip(xp.asarray(x), xp.asarray(low), xp.asarray(high))
    check(made, np.clip(x, low, high))
    check(xp.clip(xp.asarray(x), max=3), np.minimum(x, np.asarray(3, t)))


def test_clip_never_wraps_a_bound():
    x = xp.asarray([-100, 100], dtype=xp.int8)
    made = xp.clip(x, xp.asarray(-300, dtype=xp.int16), xp.asarray(50, dtype=xp.int32))
    assert made.dtype == xp.int8 and made.tolist() == [-100, 50]
    assert xp.clip(x, xp.asarray(300, dtype=xp.int16)).tolist() == [127, 127]
    with pytest.raises(TypeError, match="one kind"):
        xp.clip(x, xp.asarray(0.5))
    with pytest.raises(ValueError, match="300"):
        xp.clip(x, 300)


def test_creation():
    check(xp.arange(5), np.arange(5))
    check(xp.arange(2, 9, 3, dtype=xp.uint8), np.arange(2, 9, 3, dtype="uint8"))
    check(xp.arange(5.0, 1.0, -1.5), np.arange(5.0, 1.0, -1.5, dtype="float32"))
    assert xp.arange(5, 1).shape == (0,) and xp.arange(5, 1).dtype == xp.int64
    check(xp.linspace(0, 1, 5), np.linspace(0, 1, 5, dtype="float32"))
    check(xp.linspace(0, 1, 4, endpoint=False),
          np.linspace(0, 1, 4, endpoint=False, dtype="float32"))  # fmt: skip
    check(xp.eye(3, 4, k=-1, dtype=xp.int16), np.eye(3, 4, -1, dtype="int16"))
    check(xp.full(3, True), np.full(3, True))
    check(xp.full((2, 2), 7), np.full((2, 2), 7))
    check(xp.full_like(xp.ones(2, dtype=xp.int8), 3), np.full(2, 3, "int8"))
    x, y = np.arange(3), np.arange(4)
    for indexing in ("xy", "ij"):
        grids = xp.meshgrid(xp.asarray(x), xp.asarray(y), indexing=indexing)
        assert isinstance(grids, list)
        for made, wanted in zip(grids, np.meshgrid(x, y, indexing=indexing)):
            check(made, wanted)


def test_arguments_that_mean_nothing_are_refused():
    x = xp.ones((2, 3))
    for call, error, match in (
        (lambda: xp.squeeze(x, 0), ValueError, "size 2"),
        (lambda: xp.sum(x, axis=2), IndexError, "axis 2"),
        (lambda: xp.sum(x, axis=(0, 0)), ValueError, "twice"),
        (lambda: xp.take(x, xp.asarray([0])), ValueError, "wanted axis"),
        (lambda: xp.cumulative_sum(x), ValueError, "wanted axis"),
        (lambda: xp.nonzero(xp.asarray(1)), ValueError, "no axes"),
        (lambda: xp.meshgrid(x, indexing="yx"), ValueError, "yx"),
        (lambda: xp.searchsorted(x, x), ValueError, "vector"),
        (lambda: xp.sort(x, axis=5), IndexError, "axis 5"),
        (lambda: xp.arange(1, 5, 0), ValueError, "step"),
        (lambda: xp.concat([]), ValueError, "empty"),
        (lambda: xp.bitwise_and(x, x), TypeError, "float32"),
        (lambda: xp.sin(xp.ones(2, dtype=xp.int32)), TypeError, "int32"),
        (lambda: xp.mean(xp.ones(2, dtype=xp.int32)), TypeError, "int32"),
        (lambda: xp.where(x, x, x), TypeError, "bools"),
    ):
        with pytest.raises(error, match=match):
            call()
