"""Gradients of complex numbers: of z = a + ib it is dL/da + i dL/db, held here against
differences of both parts; at once, captured, twice, in graphs and under vmap."""

import numpy as np
import pytest
import sluice as sl

_rng = np.random.default_rng(3)
Z = (_rng.normal(size=(3, 4)) + 1j * _rng.normal(size=(3, 4))).astype(np.complex64)
W = (_rng.normal(size=(3, 4)) + 1j * _rng.normal(size=(3, 4))).astype(np.complex64)
X = _rng.normal(size=(3, 4)).astype(np.float32)

OPS = {
    "product": lambda z, w, x: z * w,
    "quotient": lambda z, w, x: z / w,
    "sum with a number": lambda z, w, x: z + 2j * w,
    "square": lambda z, w, x: sl.square(z),
    "with a real one": lambda z, w, x: z * x,
    "real over it": lambda z, w, x: x / z,
    "conj": lambda z, w, x: z.conj() * w,
    "abs": lambda z, w, x: sl.abs(z),
    "parts": lambda z, w, x: sl.real(z) * sl.imag(w),
    "angle": lambda z, w, x: sl.angle(z),
    "complex": lambda z, w, x: sl.complex(x, 2 * x) * z,
    "polar": lambda z, w, x: sl.polar(x * x, x) * w,
    "view_as_real": lambda z, w, x: sl.view_as_real(z),
    "sgn": lambda z, w, x: sl.sgn(z),
    "index": lambda z, w, x: z[1:, ::2] * w[0, 0],
    "where": lambda z, w, x: sl.where(x > 0, z, w),
    "cat": lambda z, w, x: sl.cat([z, w]),
    "sum": lambda z, w, x: z.sum(0),
    "mean": lambda z, w, x: z.mean(1),
    "cumsum": lambda z, w, x: sl.cumsum(z, 1),
    "prod": lambda z, w, x: sl.prod(z, 1),
    "matmul": lambda z, w, x: z @ w.T,
    "einsum": lambda z, w, x: sl.einsum("ij,kj->ik", z, w),
    "outer": lambda z, w, x: sl.outer(z[0], w[0]),
    "power": lambda z, w, x: z**2,
    "complex power": lambda z, w, x: z**w,
    "inv": lambda z, w, x: sl.linalg.inv(z[:, :3]),
    "det": lambda z, w, x: sl.linalg.det(z[:, :3]),
    "solve": lambda z, w, x: sl.linalg.solve(z[:, :3], w[:, :2]),
    "fft": lambda z, w, x: sl.fft.fft(z),
    "ifft": lambda z, w, x: sl.fft.ifft(z * w),
    "fft2": lambda z, w, x: sl.fft.fft2(z, norm="ortho"),
    "rfft": lambda z, w, x: sl.fft.rfft(x),
    "irfft": lambda z, w, x: sl.fft.irfft(z),
    "hfft": lambda z, w, x: sl.fft.hfft(z),
    "stft": lambda z, w, x: sl.stft(
        x.reshape(-1), 4, 2, window=sl.ones(4), return_complex=True),
    "istft": lambda z, w, x: sl.istft(
        sl.stft(x.reshape(-1), 4, 1, window=sl.ones(4), return_complex=True),
        4, 1, window=sl.ones(4)),
    "index_add": lambda z, w, x: sl.zeros(3, 4, dtype=sl.complex64).index_add(
        0, sl.tensor([0, 0, 2]), z),
}  # fmt: skip
for _name in """exp log sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh
expm1 log1p log2 log10 reciprocal sigmoid rsqrt""".split():
    OPS[_name] = lambda z, w, x, f=getattr(sl, _name): f(z)
    # The parts' formulas have cases of their own on the real axis.
    OPS[_name + " on the axis"] = lambda z, w, x, f=getattr(sl, _name): f(
        0.3 * x + 0j
    )


def _loss(f):
    def loss(z, w, x):
        y = f(z, w, x)
        y = sl.view_as_real(y) if y.is_complex() else y
        weights = sl.cos(sl.arange(y.numel()).to(sl.float32)).reshape(y.shape)
        return (y * weights).sum() + (y * y * weights).sum()

    return loss


def _along(given, direction, h):
    """The arguments moved, in the type they have."""
    return [sl.tensor((a + h * d).astype(a.dtype)) for a, d in zip(given, direction)]


def _inner(grads, direction):
    total = 0.0
    for g, d in zip(grads, direction):
        if g is not None:
            total += float(np.real(np.sum(np.conj(g.detach().numpy()) * d)))
    return total


def _direction(seed):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4)),
            rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4)),
            rng.normal(size=(3, 4))]  # fmt: skip


@pytest.mark.parametrize("name", OPS)
def test_gradient_is_that_of_differences(name):
    loss, given = _loss(OPS[name]), [Z, W, X]
    leaves = [sl.tensor(a, requires_grad=True) for a in given]
    grads = sl.autograd.grad(loss(*leaves), leaves, allow_unused=True)
    direction, h = _direction(1), 2e-3
    up, down = (loss(*_along(given, direction, s)).item() for s in (h, -h))
    slope = (up - down) / (2 * h)
    size = 1 + abs(slope) + max(
        float(np.abs(g.numpy()).max()) for g in grads if g is not None)  # fmt: skip
    assert _inner(grads, direction) == pytest.approx(slope, abs=0.02 * size)


@pytest.mark.parametrize("name", OPS)
def test_captured_is_the_same(name):
    loss = _loss(OPS[name])

    def grads(f):
        leaves = [sl.tensor(a, requires_grad=True) for a in (Z, W, X)]
        made = sl.autograd.grad(f(*leaves), leaves, allow_unused=True)
        return [g if g is None else g.numpy() for g in made]

    for now, later in zip(grads(loss), grads(sl.function(loss))):
        assert (now is None) == (later is None)
        if now is not None:
            np.testing.assert_allclose(later, now, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["product", "quotient", "abs", "exp", "fft", "power",
                                  "complex power", "sin", "matmul"])  # fmt: skip
def test_second_gradients(name):
    loss = _loss(OPS[name])

    def slope(*args):
        made = sl.autograd.grad(loss(*args), args, create_graph=True, allow_unused=True)
        total = 0.0
        for g in made:
            if g is not None:
                total = total + sl.square(sl.abs(g)).sum()
        return total

    leaves = [sl.tensor(a, requires_grad=True) for a in (Z, W, X)]
    grads = sl.autograd.grad(slope(*leaves), leaves, allow_unused=True)
    direction, h = _direction(2), 1e-3

    def at(step):
        args = [t.requires_grad_() for t in _along([Z, W, X], direction, step)]
        return slope(*args).item()

    bend = (at(h) - at(-h)) / (2 * h)
    assert _inner(grads, direction) == pytest.approx(bend, rel=0.03, abs=0.5)


def test_steps_down_a_complex_slope():
    z = sl.tensor([1 + 1j, -2j], requires_grad=True)
    target = sl.tensor([0.5 - 0.5j, 1.0])
    for _ in range(60):
        z.grad = None
        sl.square(sl.abs(z - target)).sum().backward()
        with sl.no_grad():
            z -= 0.1 * z.grad
    np.testing.assert_allclose(z.detach().numpy(), target.numpy(), atol=1e-4)


def test_a_complex_loss_is_refused():
    z = sl.tensor([1 + 1j], requires_grad=True)
    with pytest.raises((RuntimeError, ValueError), match="complex; wanted a real"):
        (z * z).sum().backward()
    (z * z).sum().backward(sl.tensor(1 + 0j))
    np.testing.assert_allclose(z.grad.numpy(), [2 - 2j])


def test_products_in_segments_and_scatters():
    z = sl.tensor([1 + 1j, 2 - 1j, 0.5j], requires_grad=True)
    made = sl.segment_prod(z, sl.tensor([0, 0, 1]))
    (g,) = sl.autograd.grad(sl.real(made * sl.tensor([1 - 2j, 1.0])).sum(), [z])
    # dL/dz of Re(c z0 z1) is conj(c z1) for z0.
    np.testing.assert_allclose(
        g.numpy(), np.conj([(1 - 2j) * (2 - 1j), (1 - 2j) * (1 + 1j), 1]), rtol=1e-6
    )


def test_under_vmap():
    z = sl.tensor(Z)
    made = sl.vmap(sl.grad(lambda r: sl.abs(sl.exp(r)).sum()))(z)
    one = sl.stack([sl.grad(lambda r: sl.abs(sl.exp(r)).sum())(r) for r in z])
    np.testing.assert_allclose(made.numpy(), one.numpy(), rtol=1e-6)


def test_in_checkpoints_and_custom_gradients():
    def f(z):
        return sl.abs(z * z).sum()

    z = sl.tensor(Z, requires_grad=True)
    (plain,) = sl.autograd.grad(f(z), [z])
    (kept,) = sl.autograd.grad(sl.checkpoint(f)(z), [z])
    np.testing.assert_array_equal(kept.numpy(), plain.numpy())
    turned = sl.custom_vjp(lambda z: z * 1j)
    turned.defvjp(lambda z: (z * 1j, None), lambda kept, g: (g * -1j,))
    (own,) = sl.autograd.grad(sl.real(turned(z)).sum(), [z])
    np.testing.assert_allclose(own.numpy(), np.full((3, 4), -1j))
