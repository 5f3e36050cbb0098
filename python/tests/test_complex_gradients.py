"""Gradients do not flow through complex numbers: what would lose one says so."""

import pytest
import sluice as sl

LOST = {
    "complex": lambda x: sl.abs(sl.make_complex(x, x)).sum() + x.sum(),
    "a cast": lambda x: sl.real(x.to(sl.complex64)).sum() + x.sum(),
    "a product": lambda x: sl.real(x * sl.tensor([1j, 2.0])).sum() + x.sum(),
    "a sum with a number": lambda x: sl.imag(x + 1j).sum() + x.sum(),
}
WAYS = pytest.mark.parametrize(
    "way", [lambda f: f, sl.function], ids=["now", "captured"]
)


@WAYS
@pytest.mark.parametrize("name", LOST)
def test_refused(way, name):
    x = sl.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="complex"):
        way(LOST[name])(x)
    with pytest.raises(RuntimeError, match="complex"):
        sl.grad(way(LOST[name]))(sl.tensor([1.0, 2.0]))


@WAYS
@pytest.mark.parametrize("name", LOST)
def test_without_gradients_they_are_numbers(way, name):
    x = sl.tensor([1.0, 2.0])
    wanted = LOST[name](x).item()
    with sl.no_grad():
        assert way(LOST[name])(sl.tensor([1.0, 2.0], requires_grad=True)) == wanted
    assert way(lambda y: LOST[name](y.detach()))(x) == wanted


@WAYS
def test_shapes_and_types_are_no_gradients(way):
    x = sl.tensor([1.0, 2.0], requires_grad=True)
    made = way(lambda x: sl.zeros_like(x, dtype=sl.complex64))(x)
    assert made.dtype == sl.complex64
    assert made.tolist() == [0, 0]
