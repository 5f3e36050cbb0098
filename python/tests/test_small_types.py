"""Results of small integers, halves and complex numbers that had another type, or
were cut off on the way."""

import math

import sluice as sl


def test_indices_are_int64_whatever_they_are_made_of():
    for dtype in (sl.uint8, sl.int8, sl.int16, sl.int32, sl.int64):
        rows, columns = sl.unravel_index(sl.tensor([5, 3], dtype=dtype), (2, 3))
        assert rows.dtype == columns.dtype == sl.int64
        assert rows.tolist() == [1, 1] and columns.tolist() == [2, 0]


def test_running_masked_sums_keep_the_type():
    mask = sl.tensor([True, False, True])
    for dtype in (sl.uint8, sl.int8, sl.int32, sl.float16):
        x = sl.tensor([1, 2, 3], dtype=dtype)
        for made, wanted in (
            (sl.masked.cumsum(x, 0, mask=mask), [1, 1, 4]),
            (sl.masked.cumprod(x, 0, mask=mask), [1, 1, 3]),
        ):
            assert made.dtype == dtype and made.tolist() == wanted
    assert sl.masked.cumsum(mask, 0).dtype == sl.int64


def test_powers_of_complex_type_are_not_cut_off():
    made = sl.logspace(0, 1.2, 2, dtype=sl.complex64)
    sl.testing.assert_close(sl.real(made), sl.tensor([1.0, 10**1.2]))


def test_istft_of_all_bins_reads_the_first_half():
    """Those of a real signal say the rest; PyTorch looks at no other either."""
    signal = sl.tensor([math.sin(0.7 * i) for i in range(32)])
    window = sl.hann_window(8)
    bins = sl.stft(signal, 8, window=window, onesided=False, return_complex=True)
    made = sl.istft(bins, 8, window=window, length=32)
    sl.testing.assert_close(made, signal, rtol=1e-4, atol=1e-5)
    half = sl.real(bins[:5]).shape[0]
    changed = sl.concat([bins[:half], bins[half:] * 3], axis=0)
    again = sl.istft(changed, 8, window=window, length=32)
    sl.testing.assert_close(again, signal, rtol=1e-4, atol=1e-5)
