"""Convolutions of integers, over one to three axes, imperative and captured."""

import numpy as np
import pytest

import sluice as sl

NAMES = ("int8", "int16", "int32", "int64", "uint8")


def cases(axes, rng):
    """Images, filters and options of eight convolutions."""
    for _ in range(8):
        groups = int(rng.integers(1, 3))
        sizes = rng.integers(7, 11, axes).tolist()
        kernel = rng.integers(1, 4, axes).tolist()
        x = rng.integers(-100, 100, (2, 2 * groups, *sizes))
        y = rng.integers(-100, 100, (2, 3 * groups, *sizes))
        w = rng.integers(-100, 100, (3 * groups, 2, *kernel))
        options = {
            name: rng.integers(least, 4, axes).tolist()
            for name, least in (("stride", 1), ("dilation", 1), ("padding", 0))
        }
        yield x, y, w, {**options, "groups": groups}


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_integers_convolve_exactly_and_wrap(name, axes):
    rng = np.random.default_rng(axes)
    for x, y, w, options in cases(axes, rng):
        for call, images, channels in (
            ("conv", x, w.shape[0]),
            ("conv_transpose", y, w.shape[1] * options["groups"]),
        ):
            f = getattr(sl, f"{call}{axes}d")
            arrays = images, w, rng.integers(-100, 100, channels)
            # Floats are exact here; the type wraps what it does not hold.
            wanted = f(*(sl.tensor(v.astype("float64")) for v in arrays), **options)
            wanted = wanted.numpy().astype("int64").astype(name)
            given = [sl.tensor(v.astype(name)) for v in arrays]
            for run in (f, sl.function(f)):
                made = run(*given, **options).numpy()
                assert made.dtype == name
                assert (made == wanted).all()
            # Of one image, and without a bias.
            one = f(given[0][0], given[1], **options) + given[2].reshape(
                -1, *[1] * axes
            )
            assert (one.numpy() == wanted[0]).all()


def test_int64_is_exact_where_doubles_round():
    x, w = sl.tensor([[[2**60 + 1, 3, 2**62]]]), sl.tensor([[[1, 5]]])
    assert sl.conv1d(x, w).tolist() == [[[2**60 + 16, 3 + 5 * 2**62 - 2**64]]]


def test_what_does_not_fit_is_refused():
    x, w = sl.ones(1, 4, 5, dtype=sl.int64), sl.ones(2, 4, 3, dtype=sl.int64)
    with pytest.raises(ValueError, match="channels differ"):
        sl.conv1d(x, w[:, :3])
    with pytest.raises(ValueError, match=r"bias is f32\[2\]; wanted i64\[2\]"):
        sl.conv1d(x, w, sl.ones(2))
    with pytest.raises(ValueError, match="input is i64.*; wanted i32"):
        sl.conv1d(x, w.int())
    with pytest.raises(ValueError, match=r"\[Conv1D\] x is complex64; wanted one of"):
        sl.conv1d(x.to(sl.complex64), w.to(sl.complex64))


def test_a_bias_of_one_number_was_spread_over_channels():
    for bias in (sl.ones(1), sl.ones(4, 1), sl.ones(5), sl.tensor(1.0)):
        with pytest.raises(ValueError, match=r"conv: bias is .* wanted f32\[4\]"):
            sl.conv1d(sl.ones(1, 2, 5), sl.ones(4, 2, 3), bias)
        with pytest.raises(ValueError, match=r"conv: bias is .* wanted f32\[4\]"):
            sl.conv_transpose1d(sl.ones(1, 2, 5), sl.ones(2, 2, 3), bias, groups=2)
