"""Functions that call themselves while they are captured."""

import pytest

import sluice as sl


@sl.function
def triangle(n):
    if n <= 0:
        return n * 0
    return triangle(n - 1) + n


@sl.function
def fibonacci(n):
    if n < 2:
        return n
    else:
        return fibonacci(n - 1) + fibonacci(n - 2)


@sl.function
def factorial(n):
    # The way that calls itself comes first: nothing is known of it yet.
    if n > 1:
        y = factorial(n - 1) * n
    else:
        y = n
    return y


@sl.function
def pair(n, total):
    if n == 0:
        return total, n
    a, b = pair(n - 1, total + n)
    return a, b


@sl.function
def power(x, n):
    if n <= 0:
        return x * 0 + 1
    return power(x, n - 1) * x


@pytest.mark.parametrize(("f", "n", "wanted"), [
    (triangle, 3, 6), (triangle, 10, 55), (fibonacci, 10, 55), (factorial, 5, 120),
])
def test_recursion_that_a_tensor_ends(f, n, wanted):
    assert f(sl.tensor(n)).item() == wanted


def test_recursion_with_several_results():
    assert [t.item() for t in pair(sl.tensor(5), sl.tensor(0))] == [15, 0]


def test_gradients_of_recursion():
    x = sl.tensor(3.0, requires_grad=True)
    y = power(x, sl.tensor(3))
    y.backward()
    assert y.item() == 27.0 and x.grad.item() == 27.0


def test_recursion_without_end_is_refused():
    @sl.function
    def forever(n):
        return forever(n - 1)

    with pytest.raises(ValueError, match="calls itself on every path"):
        forever(sl.tensor(3))


def plain(n):
    if n <= 0:
        return n * 0
    return plain(n - 1) + n


def test_plain_functions_that_recurse_are_recorded_for_the_way_values_take():
    captured = sl.function(plain)
    for n in (3, 0, 5, 3):
        assert captured(sl.tensor(n)).item() == plain(sl.tensor(n)).item()


def test_plain_functions_that_recurse_are_no_one_graph():
    with pytest.raises(RecursionError) as told:
        sl.function(plain, one_graph=True)(sl.tensor(3))
    notes = "".join(getattr(told.value, "__notes__", []))
    assert "make the function that calls itself a sluice.function" in notes


def test_recursion_that_python_ends():
    @sl.function
    def sums(x, n):
        return x * 0 if n == 0 else sums(x, n - 1) + n

    assert sums(sl.tensor(1.0), 4).item() == 10.0
