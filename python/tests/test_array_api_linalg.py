"""Linear algebra of sluice.array_api beside numpy's."""

import numpy as np
import pytest

import sluice.array_api as xp

NUMBERS = (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64"
).split()
FLOATS = ["float32", "float64", "complex64"]


def matrix(t, shape, seed=0):
    rng = np.random.default_rng(seed)
    if t in FLOATS:
        made = rng.normal(size=shape)
        if t == "complex64":
            made = made + 1j * rng.normal(size=shape)
        return made.astype(t)
    return rng.integers(0 if t[0] == "u" else -90, 100, shape).astype(t)


def close(made, wanted, t, *said):
    made = made.numpy() if hasattr(made, "numpy") else made
    tolerance = 1e-9 if t == "float64" else 2e-4
    assert made.shape == np.shape(wanted), said
    assert np.allclose(made, wanted, rtol=tolerance, atol=tolerance), (*said, t)


@pytest.mark.parametrize("t", NUMBERS)
def test_products_of_every_type(t):
    a, b = matrix(t, (2, 3, 4)), matrix(t, (4, 5), 1)
    x, y = xp.asarray(a), xp.asarray(b)
    for made, wanted in (
        (xp.matmul(x, y), a @ b),
        (xp.matmul(x, y[:, 0]), a @ b[:, 0]),
        (xp.tensordot(x, y, axes=1), np.tensordot(a, b, 1)),
        (xp.tensordot(x, x, axes=((0, 2), (0, 2))),
         np.tensordot(a, a, ((0, 2), (0, 2)))),
        (xp.vecdot(x, x), np.sum(a.conj() * a, -1, dtype=t)),
        (xp.vecdot(x, x[:, :1, :], axis=-1), np.sum(a.conj() * a[:, :1], -1, dtype=t)),
        (xp.linalg.outer(y[0], y[1]), np.outer(b[0], b[1])),
        (xp.linalg.cross(x[:, :, 0], x[:, :, 1]), np.cross(a[:, :, 0], a[:, :, 1])),
        (xp.matrix_transpose(x), a.swapaxes(-1, -2)),
        (xp.linalg.trace(y, offset=1), np.trace(b, 1)),
    ):  # fmt: skip
        assert made.dtype.name == np.asarray(wanted).dtype.name
        close(made, wanted, t)


@pytest.mark.parametrize("t", FLOATS)
def test_inverses_solutions_and_determinants(t):
    a, b = matrix(t, (3, 4, 4)), matrix(t, (4, 2), 1)
    x, y = xp.asarray(a), xp.asarray(b)
    close(xp.linalg.inv(x), np.linalg.inv(a), t)
    close(xp.linalg.solve(x, y), np.linalg.solve(a, np.broadcast_to(b, (3, 4, 2))), t)
    wanted = np.stack([np.linalg.solve(m, b[:, 0]) for m in a])
    close(xp.linalg.solve(x, y[:, 0]), wanted, t)
    close(xp.linalg.det(x), np.linalg.det(a), t)
    sign, logs = xp.linalg.slogdet(x)
    wanted = np.linalg.slogdet(a)
    close(sign, wanted.sign, t)
    close(logs, wanted.logabsdet, t)
    for n in (-2, 0, 1, 2, 5):
        close(xp.linalg.matrix_power(x, n), np.linalg.matrix_power(a, n), "float32", n)


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (2, 3, 3), (1, 1), (3, 0)])
def test_qr(t, shape):
    a = matrix(t, shape)
    for mode in ("reduced", "complete"):
        q, r = xp.linalg.qr(xp.asarray(a), mode=mode)
        wanted = np.linalg.qr(a, mode)
        assert q.shape == wanted.Q.shape and r.shape == wanted.R.shape
        q, r = q.numpy(), r.numpy()
        close(q @ r, a, t)
        eye = np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], *[q.shape[-1]] * 2))
        close(np.conj(q).swapaxes(-1, -2) @ q, eye, t)
        assert np.array_equal(np.triu(r), r)


def test_qr_of_columns_without_rank():
    a = np.array([[1j, 0, 2j], [0, 0, 0], [1, 0, 2]], np.complex64)
    q, r = xp.linalg.qr(xp.asarray(a))
    close(q.numpy() @ r.numpy(), a, "complex64")
    close(xp.linalg.det(xp.asarray(a)), 0, "complex64")


@pytest.mark.parametrize("t", FLOATS)
def test_singular_values_ranks_and_pseudoinverses(t):
    for shape in ((5, 3), (3, 5), (2, 4, 4)):
        a = matrix(t, shape)
        a[..., -1] = a[..., 0]  # two columns alike
        x = xp.asarray(a)
        wanted = np.linalg.svd(a, compute_uv=False)
        assert xp.linalg.svdvals(x).dtype.name == wanted.dtype.name
        close(xp.linalg.svdvals(x), wanted, t)
        ranks = np.linalg.matrix_rank(a, rtol=1e-4)
        assert np.array_equal(xp.linalg.matrix_rank(x, rtol=1e-4).numpy(), ranks)
        close(xp.linalg.pinv(x, rtol=1e-4), np.linalg.pinv(a, rtol=1e-4), t)
        each = xp.full(shape[:-2], 1e-4, dtype=xp.float64)
        assert np.array_equal(xp.linalg.matrix_rank(x, rtol=each).numpy(), ranks)
        close(xp.linalg.pinv(x, rtol=each), np.linalg.pinv(a, rtol=1e-4), t)


@pytest.mark.parametrize("t", FLOATS)
def test_norms(t):
    a = matrix(t, (2, 3, 4))
    x = xp.asarray(a)
    for ord in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        for keep in (False, True):
            made = xp.linalg.matrix_norm(x, ord=ord, keepdims=keep)
            wanted = np.linalg.matrix_norm(a, ord=ord, keepdims=keep)
            assert made.dtype.name == wanted.dtype.name
            close(made, wanted, t, ord, keep)
    for ord in (0, 1, 2, 3.5, -1, np.inf, -np.inf):
        for axis in (None, 0, -1, (0, 2)):
            made = xp.linalg.vector_norm(x, ord=ord, axis=axis)
            close(made, np.linalg.vector_norm(a, ord=ord, axis=axis), t, ord, axis)


def adjoint(x):
    return np.conj(x).swapaxes(-1, -2)


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_hermitian_matrices(t, n):
    a = matrix(t, (2, n, n))
    s = a @ adjoint(a) + np.eye(n, dtype=t)
    x = xp.asarray(s)
    close(xp.linalg.cholesky(x), np.linalg.cholesky(s), t)
    close(xp.linalg.cholesky(x, upper=True), np.linalg.cholesky(s, upper=True), t)
    values, vectors = xp.linalg.eigh(x)
    wanted = np.linalg.eigvalsh(s)
    assert values.dtype.name == wanted.dtype.name and vectors.dtype.name == t
    close(values, wanted, t)
    close(xp.linalg.eigvalsh(x), wanted, t)
    v = vectors.numpy()
    close(s @ v, v * values.numpy()[:, None, :], t)
    close(adjoint(v) @ v, np.broadcast_to(np.eye(n), s.shape), t)


def test_equal_eigenvalues_and_the_triangle_that_is_read():
    rng = np.random.default_rng(3)
    q = np.linalg.qr(rng.normal(size=(5, 5)) + 1j * rng.normal(size=(5, 5))).Q
    s = (q * [1, 1, 1, 2, 2] @ adjoint(q)).astype("complex64")
    s[0, 4] = 99  # of the upper triangle
    values, vectors = xp.linalg.eigh(xp.asarray(s))
    close(values, np.array([1, 1, 1, 2, 2]), "complex64")
    v, full = vectors.numpy(), np.tril(s) + adjoint(np.tril(s, -1))
    close(full @ v, v * values.numpy(), "complex64")
    close(adjoint(v) @ v, np.eye(5), "complex64")
    with pytest.raises(Exception, match="positive definite"):
        xp.linalg.cholesky(xp.asarray(-np.eye(2, dtype="complex64")))


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (2, 6, 4), (1, 1), (1, 3)])
def test_svd(t, shape):
    a = matrix(t, shape)
    if min(shape) > 2:
        a[..., 1] = 0  # without full rank
    for full in (False, True):
        u, s, vh = xp.linalg.svd(xp.asarray(a), full_matrices=full)
        wanted = np.linalg.svd(a, full)
        assert u.shape == wanted.U.shape and vh.shape == wanted.Vh.shape
        assert u.dtype.name == t and s.dtype.name == wanted.S.dtype.name
        close(s, wanted.S, t)
        u, s, vh = u.numpy(), s.numpy(), vh.numpy()
        few = s.shape[-1]
        close(u[..., :few] * s[..., None, :] @ vh[..., :few, :], a, t)
        for square in (adjoint(u) @ u, vh @ adjoint(vh)):
            close(square, np.broadcast_to(np.eye(square.shape[-1]), square.shape), t)


def test_large_and_small_complex_matrices():
    for scale in (1e25, 1e-25):
        a = (matrix("complex64", (4, 3)) * np.float32(scale)).astype("complex64")
        u, s, vh = xp.linalg.svd(xp.asarray(a), full_matrices=False)
        close(s.numpy() / scale, np.linalg.svd(a / scale, compute_uv=False), "float32")
        q, r = xp.linalg.qr(xp.asarray(a))
        close(q.numpy() @ r.numpy() / scale, a / scale, "float32")


def test_arguments_that_mean_nothing_are_refused():
    x = xp.ones((2, 3))
    for call, error, match in (
        (lambda: xp.linalg.det(x), ValueError, "square"),
        (lambda: xp.linalg.inv(x[0]), ValueError, "axes"),
        (lambda: xp.linalg.qr(x, mode="full"), ValueError, "full"),
        (lambda: xp.linalg.matrix_norm(x, ord=3), ValueError, "3"),
        (lambda: xp.linalg.cross(x, x, axis=0), ValueError, "size 2"),
        (lambda: xp.linalg.outer(x, x), ValueError, "vector"),
        (lambda: xp.vecdot(x, x[:, :2]), ValueError, "one size"),
        (lambda: xp.linalg.svd(xp.ones((2, 2), dtype=xp.int32)), TypeError, "int32"),
        (lambda: xp.matmul(xp.asarray(1.0), x), ValueError, "no axes"),
    ):
        with pytest.raises(error, match=match):
            call()
