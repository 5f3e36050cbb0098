"""Fourier transforms of sluice.array_api beside numpy's."""

import numpy as np
import pytest

import sluice.array_api as xp

# Small, powers, products of many factors, primes below and above what is one product.
SIZES = [1, 2, 3, 5, 8, 12, 17, 64, 65, 97, 101, 128, 210, 211, 256, 1009, 1024, 2022]
NORMS = ("backward", "ortho", "forward")


def signal(shape, real=False, seed=0):
    rng = np.random.default_rng(seed)
    made = rng.normal(size=shape)
    if not real:
        made = made + 1j * rng.normal(size=shape)
    return made.astype("float32" if real else "complex64")


def close(made, wanted, *said):
    made = made.numpy()
    assert made.shape == wanted.shape, said
    assert made.dtype == ("complex64" if wanted.dtype.kind == "c" else "float32"), said
    scale = max(float(np.abs(wanted).max()), 1e-30) if wanted.size else 1
    worst = float(np.abs(made - wanted).max()) if wanted.size else 0.0
    assert worst <= 1e-6 * scale, said


@pytest.mark.parametrize("n", SIZES)
def test_one_axis(n):
    z, r = signal((3, n)), signal((3, n), real=True)
    for norm in NORMS:
        for name in ("fft", "ifft"):
            made = getattr(xp.fft, name)(xp.asarray(z), norm=norm)
            close(made, getattr(np.fft, name)(z.astype(complex), norm=norm), name, norm)
        for name in ("rfft", "ihfft"):
            made = getattr(xp.fft, name)(xp.asarray(r), norm=norm)
            close(made, getattr(np.fft, name)(r.astype(float), norm=norm), name, norm)
        for name in ("irfft", "hfft"):
            made = getattr(xp.fft, name)(xp.asarray(z), n=n, norm=norm)
            wanted = getattr(np.fft, name)(z.astype(complex), n=n, norm=norm)
            close(made, wanted, name, norm)


def test_other_axes_and_counts():
    z, r = signal((4, 6, 5)), signal((4, 6, 5), real=True)
    for axis in (0, 1, -1):
        for n in (None, 3, 9):
            for name, x in (("fft", z), ("ifft", z), ("rfft", r), ("irfft", z),
                            ("hfft", z), ("ihfft", r)):  # fmt: skip
                made = getattr(xp.fft, name)(xp.asarray(x), n=n, axis=axis)
                wide = x.astype("complex128" if x.dtype.kind == "c" else "float64")
                close(made, getattr(np.fft, name)(wide, n=n, axis=axis), name, n, axis)


def test_several_axes():
    z, r = signal((4, 6, 5)), signal((4, 6, 5), real=True)
    for axes, s in ((None, None), ((0, 2), None), ((2, 0), (7, 3)), ((1,), (4,))):
        for name, x in (("fftn", z), ("ifftn", z), ("rfftn", r), ("irfftn", z)):
            for norm in NORMS:
                made = getattr(xp.fft, name)(xp.asarray(x), s=s, axes=axes, norm=norm)
                wide = x.astype("complex128" if x.dtype.kind == "c" else "float64")
                wanted = getattr(np.fft, name)(wide, s=s, axes=axes, norm=norm)
                close(made, wanted, name, axes, s, norm)


def test_there_and_back():
    z, r = signal((2, 30)), signal((2, 31), real=True)
    close(xp.fft.ifft(xp.fft.fft(xp.asarray(z))), z)
    close(xp.fft.irfft(xp.fft.rfft(xp.asarray(r)), n=31), r)
    close(xp.fft.hfft(xp.fft.ihfft(xp.asarray(r)), n=31), r)


def test_frequencies_and_shifts():
    for n in (1, 4, 7):
        close(xp.fft.fftfreq(n, d=0.5), np.fft.fftfreq(n, 0.5).astype("float32"))
        close(xp.fft.rfftfreq(n, d=0.5), np.fft.rfftfreq(n, 0.5).astype("float32"))
    assert xp.fft.fftfreq(4, dtype=xp.float64).dtype == xp.float64
    x = np.arange(35).reshape(5, 7)
    for axes in (None, 0, (0, 1), -1):
        for name in ("fftshift", "ifftshift"):
            made = getattr(xp.fft, name)(xp.asarray(x), axes=axes)
            wanted = getattr(np.fft, name)(x, axes)
            assert made.tolist() == wanted.tolist(), (name, axes)


def test_what_has_no_type_or_meaning_is_refused():
    wide = xp.ones(4, dtype=xp.float64)
    for call, error, match in (
        (lambda: xp.fft.fft(wide), TypeError, "complex128"),
        (lambda: xp.fft.rfft(wide), TypeError, "complex128"),
        (lambda: xp.fft.rfft(xp.ones(4, dtype=xp.complex64)), TypeError, "complex64"),
        (lambda: xp.fft.fft(xp.ones(4), norm="half"), ValueError, "half"),
        (lambda: xp.fft.fft(xp.ones(4), n=0), ValueError, "0 points"),
        (lambda: xp.fft.fft(xp.ones(4), axis=1), IndexError, "axis 1"),
        (lambda: xp.fft.fftn(xp.ones(4), s=(4,)), ValueError, "axes"),
    ):
        with pytest.raises(error, match=match):
            call()
