"""sluice.array_api in captured functions, under vmap, with gradients, on devices."""

import numpy as np
import pytest

import sluice as sl
import sluice.array_api as xp

# By name: of a square matrix of floats.
FUNCTIONS = {
    "add": lambda x: xp.add(x, 2),
    "subtract": lambda x: xp.subtract(1.5, x),
    "floor_divide": lambda x: xp.floor_divide(x, 2.0),
    "remainder": lambda x: xp.remainder(x, 2.0),
    "sign": xp.sign,
    "clip": lambda x: xp.clip(x, -0.5, 1.0),
    "isnan": xp.isnan,
    "sort": lambda x: xp.sort(x, axis=0),
    "argsort": xp.argsort,
    "argmax": lambda x: xp.argmax(x, keepdims=True),
    "max": lambda x: xp.max(x, axis=1),
    "var": lambda x: xp.var(x, axis=(0, 1)),
    "std": lambda x: xp.std(x, keepdims=True),
    "cumulative_sum": lambda x: xp.cumulative_sum(x, axis=1, include_initial=True),
    "cumulative_prod": lambda x: xp.cumulative_prod(x, axis=0),
    "diff": lambda x: xp.diff(x, axis=0, prepend=x),
    "all": xp.all,
    "count_nonzero": lambda x: xp.count_nonzero(x, axis=0),
    "take": lambda x: xp.take(x, xp.argsort(x[0]), axis=0),
    "take_along_axis": lambda x: xp.take_along_axis(x, xp.argsort(x, axis=0), axis=0),
    "where": lambda x: xp.where(xp.greater(x, 0), x, 0.0),
    "roll": lambda x: xp.roll(x, 1, axis=(0,)),
    "flip": xp.flip,
    "concat": lambda x: xp.concat([x, x], axis=None),
    "tile": lambda x: xp.tile(x, (2, 1)),
    "repeat": lambda x: xp.repeat(x, 2, axis=0),
    "squeeze": lambda x: xp.squeeze(xp.expand_dims(x, 0), 0),
    "reshape": lambda x: xp.reshape(x, (-1,), copy=True),
    "meshgrid": lambda x: xp.meshgrid(x[0], x[1])[0],
    "matmul": lambda x: xp.matmul(x, x),
    "tensordot": lambda x: xp.tensordot(x, x, axes=1),
    "vecdot": lambda x: xp.vecdot(x, x),
    "cross": lambda x: xp.linalg.cross(x[:, :3], x[:, 1:]),
    "det": xp.linalg.det,
    "inv": xp.linalg.inv,
    "solve": lambda x: xp.linalg.solve(x, x[:, 0]),
    "pinv": xp.linalg.pinv,
    "matrix_norm": lambda x: xp.linalg.matrix_norm(x, ord="nuc"),
    "matrix_rank": xp.linalg.matrix_rank,
    "matrix_power": lambda x: xp.linalg.matrix_power(x, 3),
    "qr": lambda x: xp.linalg.qr(x).R,
    "rfft": lambda x: xp.abs(xp.fft.rfft(x)),
    "fft of a prime": lambda x: xp.real(xp.fft.fft(x, n=67)),
    "complex exp": lambda x: xp.real(xp.exp(xp.multiply(x, 1j))),
    "complex det": lambda x: xp.abs(xp.linalg.det(xp.multiply(x, 1j))),
    "complex prod": lambda x: xp.abs(xp.prod(xp.multiply(x, 1j))),
    "astype": lambda x: xp.astype(x, xp.float64),
    "zeros_like": xp.zeros_like,
}
# Rounded, counted, or complex on the way.
NO_GRADIENT = set(
    "floor_divide sign isnan argsort argmax all count_nonzero matrix_rank zeros_like"
    .split()
)  # fmt: skip
NO_GRADIENT |= {n for n in FUNCTIONS if "complex" in n or "fft" in n}
MATRICES = np.random.default_rng(0).normal(size=(3, 4, 4)).astype("float32")


def close(made, wanted):
    made = made.numpy()
    assert made.dtype == wanted.dtype and made.shape == wanted.shape
    assert np.allclose(made, wanted, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_captured_and_batched(name):
    f = FUNCTIONS[name]
    # Captured first: nothing of a graph may stay for the calls after it.
    captured = sl.function(f)
    made = captured(sl.tensor(MATRICES[0]))
    wanted = np.stack([f(sl.tensor(m)).numpy() for m in MATRICES])
    close(made, wanted[0])
    if name != "cross":
        for n in (3, 2):  # other sizes
            close(captured(sl.tensor(MATRICES[0, :n, :n])),
                  f(sl.tensor(MATRICES[0, :n, :n])).numpy())  # fmt: skip
    close(sl.vmap(f)(sl.tensor(MATRICES)), wanted)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - NO_GRADIENT))
def test_gradients(name):
    f = FUNCTIONS[name]
    x = sl.tensor(MATRICES[0], dtype=sl.float64)
    along = sl.tensor(MATRICES[1], dtype=sl.float64)

    def value(t):
        made = xp.astype(f(t), xp.float64)
        return sl.sum(sl.sin(made))

    made = float(sl.sum(sl.grad(value)(x) * along))
    step = 1e-6
    wanted = float(value(x + step * along) - value(x - step * along)) / (2 * step)
    assert made == pytest.approx(wanted, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"fft of a prime"}))
def test_results_are_where_the_array_is(name):
    sl.devices.add_simulated(1)
    made = FUNCTIONS[name](sl.tensor(MATRICES[0]).to_device("sim:0"))
    assert made.device == "sim:0"
