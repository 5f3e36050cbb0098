"""A function made of ops beside numpy: at once, captured, batched, its gradient."""

import numpy as np
import pytest

import sluice as sl


def check(f, wanted, a):
    """f of the float64 array a is `wanted`, in all these ways."""
    x = sl.tensor(a)
    made = f(x).numpy()
    assert made.dtype == wanted.dtype and made.shape == wanted.shape
    assert np.allclose(made, wanted)
    assert np.allclose(sl.function(f)(x).numpy(), wanted)
    others = np.stack([a, a + 0.25])
    batched = np.stack([f(sl.tensor(one)).numpy() for one in others])
    assert np.allclose(sl.vmap(f)(sl.tensor(others)).numpy(), batched)

    def value(y):
        return sl.sum(sl.sin(f(y)))

    along = sl.tensor(np.random.default_rng(3).normal(size=a.shape))
    step = 1e-6
    slope = float(value(x + step * along) - value(x - step * along)) / (2 * step)
    assert float(sl.sum(sl.grad(value)(x) * along)) == pytest.approx(
        slope, rel=1e-4, abs=1e-6)  # fmt: skip
