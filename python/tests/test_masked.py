"""sluice.masked beside numpy's masked arrays; captured, batched, with gradients."""

import numpy as np
import pytest

import sluice as sl
from composed_check import check

A = np.random.default_rng(8).normal(size=(3, 5))
MASK = np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1], [1, 0, 1, 0, 1]], bool)
M = sl.tensor(MASK)
HIDDEN = np.ma.array(A, mask=~MASK)


def _softmax(x):
    big = np.where(MASK, np.exp(x), 0)
    return big / big.sum(1, keepdims=True)


VALUES = {
    "sum": (lambda x: sl.masked.sum(x, 1, mask=M), HIDDEN.sum(1).data),
    "prod": (lambda x: sl.masked.prod(x, 1, mask=M), HIDDEN.prod(1).data),
    "mean": (lambda x: sl.masked.mean(x, 0, mask=M), HIDDEN.mean(0).data),
    "amax": (lambda x: sl.masked.amax(x, 1, mask=M), HIDDEN.max(1).data),
    "amin": (lambda x: sl.masked.amin(x, 1, mask=M), HIDDEN.min(1).data),
    "var": (lambda x: sl.masked.var(x, 1, mask=M), HIDDEN.var(1, ddof=1).data),
    "std": (lambda x: sl.masked.std(x, 1, unbiased=False, mask=M), HIDDEN.std(1).data),
    "median": (lambda x: sl.masked.median(x[:, :3], 1, mask=M[:, :3]),
               np.array([np.sort(a[m])[(m.sum() - 1) // 2]
                         for a, m in zip(A[:, :3], MASK[:, :3])])),
    "norm": (lambda x: sl.masked.norm(x, 3, 1, mask=M),
             ((np.abs(A) ** 3 * MASK).sum(1)) ** (1 / 3)),
    "softmax": (lambda x: sl.masked.softmax(x, 1, mask=M), _softmax(A)),
    "softmin": (lambda x: sl.masked.softmin(x, 1, mask=M), _softmax(-A)),
    "logsumexp": (lambda x: sl.masked.logsumexp(x, 1, mask=M),
                  np.log((np.exp(A) * MASK).sum(1))),
    "cumsum": (lambda x: sl.masked.cumsum(x, 1, mask=M), (A * MASK).cumsum(1)),
    "cumprod": (lambda x: sl.masked.cumprod(x, 1, mask=M),
                np.where(MASK, A, 1).cumprod(1)),
    "normalize": (lambda x: sl.masked.normalize(x, 2, 1, mask=M),
                  A * MASK / np.sqrt((A**2 * MASK).sum(1, keepdims=True))),
    "logaddexp": (lambda x: sl.masked.logaddexp(x, x[0], input_mask=M),
                  np.where(MASK, np.logaddexp(A, A[0]), A[0])),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_values_captured_batched_and_gradients(name):
    check(*VALUES[name], A)


def test_places_and_nothing_at_all():
    x = sl.tensor(A)
    assert sl.masked.argmax(x, 1, mask=M).tolist() == HIDDEN.argmax(1).tolist()
    assert sl.masked.argmin(x, 1, mask=M).tolist() == HIDDEN.argmin(1).tolist()
    none = sl.zeros(5, dtype=sl.bool)
    assert sl.masked.sum(x[0], mask=none).item() == 0
    assert sl.masked.prod(x[0], mask=none).item() == 1
    assert sl.masked.amax(x[0], mask=none).item() == -np.inf
    assert np.isnan(sl.masked.mean(x[0], mask=none).item())
    with pytest.raises(TypeError, match="mask is float64; wanted bools"):
        sl.masked.sum(x, mask=x)


def test_mask_with_more_axes_than_the_tensor_is_refused():
    # It stretched the tensor.
    with pytest.raises(ValueError, match=r"mask is \[2, 3\], x \[3\]; wanted a mask"):
        sl.masked.sum(sl.ones(3), mask=sl.ones((2, 3)).bool())
    with pytest.raises(ValueError, match="that broadcasts to x"):
        sl.masked.mean(sl.ones((2, 1)), mask=sl.ones((2, 3)).bool())
