"""Gradients where a function has a kink, no value of its own, or beside NaN."""

import math

import pytest

import sluice as sl
import sluice.nn.functional as F


def slopes(f, *points):
    given = [sl.tensor(p, requires_grad=True) for p in points]
    f(*given).sum().backward()
    return [x.grad.tolist() for x in given]


def test_hypot_at_the_origin_has_a_gradient_of_0():
    assert slopes(sl.hypot, [0.0, 0.0], [0.0, 1.0]) == [[0.0, 0.0], [0.0, 1.0]]


def test_atan2_at_the_origin_has_a_gradient_of_0():
    found = slopes(sl.atan2, [0.0, 1.0], [0.0, 1.0])
    assert found == [[0.0, pytest.approx(0.5)], [0.0, pytest.approx(-0.5)]]


def test_atan2_of_large_numbers_has_no_overflow_on_the_way():
    assert slopes(sl.atan2, [1e30], [1e30])[0] == [pytest.approx(5e-31)]


def test_hardswish_at_its_kinks_has_the_outer_slopes():
    found = slopes(F.hardswish, [-3.0, 3.0, -4.0, 4.0, 0.0])
    assert found == [[0.0, 1.0, 0.0, 1.0, 0.5]]


@pytest.mark.parametrize(("values", "mode", "place"), [
    ([1.0, math.nan, 2.0, math.nan, 2.0], 2.0, 4),
    ([math.nan, math.nan, 1.0, 2.0], 1.0, 2),
    ([2.0, 1.0, math.nan, math.nan, 1.0], 1.0, 4),
])
def test_mode_counts_each_nan_by_itself(values, mode, place):
    made = sl.mode(sl.tensor(values))
    assert (made.values.item(), made.indices.item()) == (mode, place)


@pytest.mark.parametrize("number", [2**64, 2**70, -(2**70)])
def test_comparisons_with_more_than_64_bits_say_so(number):
    for x in (sl.tensor([1]), sl.tensor([1.0])):
        for compare in (x.__lt__, x.__eq__, x.__ge__):
            with pytest.raises(ValueError, match=f"{number}; wanted .* 64 bits"):
                compare(number)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("wrap", [lambda f: f, sl.function], ids=["now", "captured"])
def test_whole_powers_have_derivatives_of_any_order_at_zero(n, wrap):
    """The n-th is constant; what is behind it was 0 times infinity."""
    f = lambda x: sl.exp(x) * x**n  # noqa: E731
    for order in range(1, 7):
        f = sl.grad(f)
        exact = math.factorial(order) // math.factorial(max(order - n, 0))
        assert wrap(f)(sl.tensor(0.0)).item() == (exact if order >= n else 0)


def test_a_power_has_a_slope_by_both_in_turn():
    for b in (0.0, 1.0, 2.5):
        mixed = sl.grad(sl.grad(sl.pow), argnums=1)(sl.tensor(2.0), sl.tensor(b))
        exact = 2 ** (b - 1) * (1 + b * math.log(2))
        assert mixed.item() == pytest.approx(exact, rel=1e-6)
