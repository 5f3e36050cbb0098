"""Eigenvalues and eigenvectors of matrices that are not symmetric, and their
gradients; numpy's names for them."""

import importlib

import numpy
import pytest
import sluice as sl

np = importlib.import_module("sluice.numpy")
A = numpy.array([[1.0, 2.0, 0.5], [-3.0, 1.5, 0.2], [0.1, 0.4, -2.0]], numpy.float32)


def test_vectors_times_values_are_the_matrix_again():
    w, v = sl.linalg.eig(sl.tensor(A))
    assert w.dtype == v.dtype == sl.complex64
    made = (v @ sl.diag(w) @ sl.linalg.inv(v)).numpy()
    numpy.testing.assert_allclose(made, A, atol=1e-5)
    order = numpy.lexsort((w.numpy().imag, w.numpy().real))
    assert order.tolist() == [0, 1, 2]
    numpy.testing.assert_allclose(numpy.linalg.norm(v.numpy(), axis=0), 1, rtol=1e-6)
    largest = v.numpy()[numpy.abs(v.numpy()).argmax(0), range(3)]
    assert (largest.imag == 0).all() and (largest.real > 0).all()


def test_values_alone_and_batches():
    both = numpy.stack([A, A.T + numpy.eye(3, dtype=numpy.float32)])
    wanted = [numpy.sort_complex(numpy.linalg.eigvals(a)) for a in both]
    made = sl.linalg.eigvals(sl.tensor(both))
    numpy.testing.assert_allclose(made.numpy(), wanted, rtol=1e-5, atol=1e-5)
    lanes = sl.vmap(sl.linalg.eigvals)(sl.tensor(both))
    numpy.testing.assert_array_equal(lanes.numpy(), made.numpy())
    captured = sl.function(sl.linalg.eigvals)(sl.tensor(both))
    numpy.testing.assert_array_equal(captured.numpy(), made.numpy())


def test_empty_and_one():
    assert sl.linalg.eig(sl.zeros(0, 0)).eigenvectors.shape == (0, 0)
    made = sl.linalg.eig(sl.tensor([[-2.0]]))
    assert made.eigenvalues.tolist() == [-2] and made.eigenvectors.tolist() == [[1]]


@pytest.mark.parametrize(
    "loss",
    [
        lambda a: sl.square(sl.abs(sl.linalg.eigvals(a))).sum(),
        lambda a: sl.real(sl.linalg.eig(a)[0] ** 3).sum(),
        lambda a: (sl.abs(sl.linalg.eig(a)[1]) ** 4).sum(),
        lambda a: (sl.imag(sl.linalg.eig(a)[1]) ** 2).sum(),
    ],
)
def test_gradients(loss):
    a = sl.tensor(A, requires_grad=True)
    (g,) = sl.autograd.grad(loss(a), [a])
    h = 1e-2
    for i in range(3):
        for j in range(3):
            step = numpy.zeros((3, 3), numpy.float32)
            step[i, j] = h
            up, down = (loss(sl.tensor(A + s * step)).item() for s in (1, -1))
            assert g[i, j].item() == pytest.approx(
                (up - down) / (2 * h), rel=0.02, abs=0.02
            )


def test_what_is_refused_says_why():
    with pytest.raises(TypeError, match="complex128, which Sluice does not have"):
        sl.linalg.eig(sl.eye(2, dtype=sl.float64))
    with pytest.raises(TypeError, match="wanted real numbers"):
        sl.linalg.eigvals(sl.eye(2, dtype=sl.complex64))
    with pytest.raises(ValueError, match="wanted square matrices"):
        sl.linalg.eig(sl.ones(2, 3))
    with pytest.raises(AttributeError, match="lu_factor and lu_solve"):
        sl.linalg.ldl_factor(sl.eye(2))


def test_numpys_are_real_where_they_can_be():
    real = np.linalg.eig(np.array([[4.0, 1.0], [2.0, 3.0]]))
    assert real[0].tolist() == pytest.approx([2, 5]) and not real[0].is_complex()
    turn = np.linalg.eigvals(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    numpy.testing.assert_allclose(turn.numpy(), [-1j, 1j], atol=1e-6)
    assert np.roots([1, -3, 2, 0]).tolist() == pytest.approx([2, 1, 0])
    assert np.roots([0, 0, 4.0]).tolist() == []
    with pytest.raises(NotImplementedError, match="depend on values"):
        sl.function(np.linalg.eigvals)(sl.eye(2))
