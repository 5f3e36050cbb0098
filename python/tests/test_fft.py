"""sl.fft: PyTorch's names and arguments, beside numpy."""

import numpy as np
import pytest

import sluice as sl

RNG = np.random.default_rng(2)
REAL = RNG.normal(size=(3, 4, 6)).astype("float32")
COMPLEX = (REAL + 1j * RNG.normal(size=(3, 4, 6))).astype("complex64")
ONE = "fft ifft rfft irfft hfft ihfft".split()


def close(made, wanted):
    assert made.shape == wanted.shape
    assert made.dtype == (sl.complex64 if wanted.dtype.kind == "c" else sl.float32)
    assert np.allclose(made.numpy(), wanted, rtol=1e-5, atol=1e-5)


def given(name):
    return REAL if name.startswith(("r", "ih")) else COMPLEX


@pytest.mark.parametrize("name", ONE)
def test_one_axis(name):
    x = given(name)
    for norm in (None, "backward", "ortho", "forward"):
        for n, dim in ((None, -1), (5, 1), (9, 0)):
            made = getattr(sl.fft, name)(sl.tensor(x), n, dim, norm)
            close(made, getattr(np.fft, name)(x, n, dim, norm))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_several_axes(name):
    x = given(name)
    made = getattr(sl.fft, name + "2")(sl.tensor(x), norm="ortho")
    close(made, getattr(np.fft, name + "2")(x, norm="ortho"))
    several = getattr(sl.fft, name + "n")
    close(several(sl.tensor(x)), getattr(np.fft, name + "n")(x))
    # Sizes without axes are those of the last ones; -1: as it is.
    wanted = getattr(np.fft, name + "n")(x, (5, 8), (1, 2))
    close(several(sl.tensor(x), (5, 8)), wanted)
    if name != "irfft":
        wanted = getattr(np.fft, name + "n")(x, (4, 8), (1, 2))
        close(several(sl.tensor(x), (-1, 8)), wanted)


def test_hermitian_transforms_of_several_axes():
    made = sl.fft.hfftn(sl.tensor(COMPLEX), dim=(0, 2))
    close(made, np.fft.hfft(np.fft.fft(COMPLEX, axis=0), axis=2))
    close(sl.fft.ihfft2(sl.tensor(REAL)),
          np.fft.ifft(np.fft.ihfft(REAL, axis=2), axis=1))  # fmt: skip


def test_shifts_frequencies_and_integers():
    whole = np.arange(12).reshape(3, 4)
    close(sl.fft.fft(sl.tensor(whole)), np.fft.fft(whole))
    assert sl.fft.fftshift(sl.tensor(whole), 1).tolist() == (
        np.fft.fftshift(whole, 1).tolist())  # fmt: skip
    assert sl.fft.ifftshift(sl.tensor(whole)).tolist() == (
        np.fft.ifftshift(whole).tolist())  # fmt: skip
    close(sl.fft.fftfreq(5, 0.5), np.fft.fftfreq(5, 0.5))
    close(sl.fft.rfftfreq(6), np.fft.rfftfreq(6))


def test_captured_and_batched():
    def f(x):
        return sl.abs(sl.fft.rfft(x))

    wanted = np.abs(np.fft.rfft(REAL))
    assert np.allclose(sl.function(f)(sl.tensor(REAL)).numpy(), wanted, atol=1e-4)
    assert np.allclose(sl.vmap(f)(sl.tensor(REAL)).numpy(), wanted, atol=1e-4)


def test_gradients_go_through():
    x = sl.tensor([1.0, -2.0, 0.5, 3.0], requires_grad=True)
    # Parseval: the squares of a transform's sizes are n times those of x.
    sl.square(sl.abs(sl.fft.fft(x))).sum().backward()
    assert np.allclose(x.grad.numpy(), 8 * x.detach().numpy(), atol=1e-4)
    with pytest.raises(TypeError, match="complex128"):
        sl.fft.fft(sl.ones(4, dtype=sl.float64))


def test_real_transform_over_no_axes_is_refused():
    # It gave complex numbers back.
    with pytest.raises(ValueError, match="no axes; wanted one or more"):
        sl.fft.irfftn(sl.ones(2), dim=())
