"""The array standard's namespace itself: its names, what it says of itself, moves."""

import inspect
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import sluice as sl
import sluice.array_api as xp

# The standard's functions, version 2024.12.
NAMES = """
abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan
atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or
bitwise_right_shift bitwise_xor broadcast_arrays broadcast_to can_cast ceil clip concat
conj copysign cos cosh count_nonzero cumulative_prod cumulative_sum diff divide empty
empty_like equal exp expand_dims expm1 eye finfo flip floor floor_divide from_dlpack
full full_like greater greater_equal hypot iinfo imag isdtype isfinite isinf isnan less
less_equal linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or
logical_xor matmul matrix_transpose max maximum mean meshgrid min minimum moveaxis
multiply negative nextafter nonzero not_equal ones ones_like permute_dims positive pow
prod real reciprocal remainder repeat reshape result_type roll round searchsorted sign
signbit sin sinh sort sqrt square squeeze stack std subtract sum take take_along_axis
tan tanh tensordot tile tril triu trunc unique_all unique_counts unique_inverse
unique_values unstack var vecdot where zeros zeros_like __array_namespace_info__
""".split()
LINALG = """
cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power
matrix_rank matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace
vecdot vector_norm
""".split()
FFT = """
fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq
rfftn
""".split()


def test_arrays_name_their_namespace():
    x = sl.tensor([1.0])
    assert x.__array_namespace__() is xp is sl.array_api
    assert x.__array_namespace__(api_version="2023.12") is xp
    with pytest.raises(ValueError, match="2024.12"):
        x.__array_namespace__(api_version="1999.12")
    assert xp.__array_api_version__ == "2024.12"


def test_every_name_is_there_and_says_what_it_is():
    for module, names in ((xp, NAMES), (xp.linalg, LINALG), (xp.fft, FFT)):
        for name in names:
            function = getattr(module, name)
            assert callable(function) and inspect.getdoc(function), name
            assert name in module.__all__, name
            inspect.signature(function)
    for name in "e inf nan newaxis pi bool complex64 float64 uint64".split():
        assert hasattr(xp, name)
    assert not hasattr(xp, "complex128")


def test_what_the_namespace_says_of_itself():
    info = xp.__array_namespace_info__()
    assert info.capabilities()["boolean indexing"] is True
    assert info.default_device() in info.devices()
    defaults = info.default_dtypes()
    assert defaults["real floating"] == xp.asarray(1.5).dtype
    assert defaults["integral"] == xp.asarray(1).dtype
    assert defaults["complex floating"] == xp.asarray(1j).dtype
    assert defaults["indexing"] == xp.argsort(xp.ones(3)).dtype
    assert set(info.dtypes()) == set(info.dtypes(kind=("bool", "numeric")))
    assert list(info.dtypes(kind="real floating")) == ["float32", "float64"]
    with pytest.raises(ValueError, match="kind"):
        info.dtypes(kind="quaternion")


def test_to_device_stays_or_says_what_is_wrong():
    x = xp.ones(3)
    assert x.to_device("cpu") is x and x.to_device(x.device) is x
    with pytest.raises(ValueError, match="stream"):
        x.to_device("cpu", stream=1)
    with pytest.raises(Exception, match="nowhere"):
        x.to_device("nowhere")


def test_copies_are_made_when_asked_for_and_only_then():
    x = xp.ones(3)
    assert xp.asarray(x) is x and xp.asarray(x, copy=False) is x
    own = xp.asarray(x, copy=True)
    own[0] = 5
    assert float(x[0]) == 1
    with pytest.raises(ValueError, match="copy is False"):
        xp.asarray(x, dtype=xp.float64, copy=False)
    assert xp.astype(x, xp.float32) is not x
    assert xp.astype(x, xp.float32, copy=False) is x
    shared = np.arange(3.0)
    assert xp.asarray(shared).numpy() is not shared
    xp.asarray(shared)[0] = 7
    assert shared[0] == 7
    for call in (xp.positive, xp.conj, xp.real, xp.flip, lambda v: xp.clip(v)):
        call(x)[0] = 9
        assert float(x[0]) == 1, call


def test_other_libraries_arrays_come_in_by_dlpack():
    x = xp.from_dlpack(np.arange(4))
    assert x.dtype == xp.int64 and x.tolist() == [0, 1, 2, 3]
    back = np.from_dlpack(x)
    assert back.tolist() == [0, 1, 2, 3]
    y = xp.from_dlpack(x, copy=True)
    y[0] = 9
    assert int(x[0]) == 0


def test_the_top_of_the_package_keeps_pytorchs_meaning():
    x = sl.tensor([[3.0, 1.0], [2.0, 4.0]])
    assert len(sl.sort(x)) == 2 and xp.sort(x).shape == (2, 2)
    assert len(sl.max(x, 1)) == 2 and xp.max(x, axis=1).tolist() == [3, 4]
    assert sl.meshgrid(sl.ones(2), sl.ones(3))[0].shape == (2, 3)
    assert xp.meshgrid(sl.ones(2), sl.ones(3))[0].shape == (3, 2)
    assert float(sl.var(x)) == pytest.approx(5 / 3) and float(xp.var(x)) == 1.25


def test_lists_are_not_arrays():
    for call in (xp.sin, xp.sum, xp.sort, xp.fft.fft, xp.linalg.det, xp.unique_all):
        with pytest.raises(TypeError, match="wanted an array"):
            call([1.0, 2.0])


def test_importing_the_package_does_not_load_the_namespace():
    code = "import sys, sluice; assert 'sluice.array_api' not in sys.modules"
    folder = str(pathlib.Path(sl.__file__).parent.parent)
    subprocess.run([sys.executable, "-c", code], check=True,
                   env={**os.environ, "PYTHONPATH": folder})
