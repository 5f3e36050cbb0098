"""Calls whose results nobody uses fail in captured code as they do at once."""

import pytest

import sluice as sl


def unused_quotient(a, b):
    a // b
    return a + 1


def unused_row(a, b):
    a[b]
    return a + 1


def unused_in_a_branch(a, b):
    if a.sum() > 0:
        a // b
    return a + 1


def unused_in_a_loop(a, b):
    total = a.sum() * 0
    for k in range(3):
        if total >= 0:
            a // (b - k)
            total = total + 1
    while total < 5:
        a // (b - 4)
        total = total + 1
    return total


def carried_and_unused(a, b):
    last = a
    n = a.sum() * 0
    while n < 3:
        last = a // (b + n)
        n = n + 1
    return n


def a_loop_nobody_needs(a, b):
    n = a.sum() * 0
    while n < 3:
        n = n + 1
        a // b
    return a


def written_and_unused(a, b):
    c = a.clone()
    c //= b
    return a


def unused_of_an_unused(a, b):
    c = a // b
    c * 2 + 1
    return a


@pytest.mark.parametrize(
    "code",
    [
        unused_quotient,
        unused_row,
        unused_in_a_branch,
        unused_in_a_loop,
        carried_and_unused,
        a_loop_nobody_needs,
        written_and_unused,
        unused_of_an_unused,
    ],
)
def test_what_nobody_uses_fails(code):
    captured = sl.function(code)
    a = sl.tensor([4, 2])
    failed = 0
    for b in [[1, 1], [9, 9], [1, 0], [3, 7], [4, 4], [0, 0], [2, 1], [8, 8]]:
        b = sl.tensor(b)
        try:
            wanted = code(a, b)
        except (ValueError, IndexError) as error:
            failed += 1
            with pytest.raises(type(error)) as got:
                captured(a, b)
            assert str(got.value) == str(error)
        else:
            assert captured(a, b).tolist() == wanted.tolist()
    assert 0 < failed < 8


def test_sizes_that_do_not_fit_in_what_nobody_uses():
    @sl.function
    def twice(a, b):
        a + b
        return a * 2

    assert twice(sl.ones(3), sl.ones(3)).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match=r"\[Add\] shapes do not broadcast"):
        twice(sl.ones(4), sl.ones(3))
    assert len(twice.traces()) == 1


def test_what_cannot_fail_is_not_computed():
    @sl.function
    def twice(a):
        a.exp().sum()
        return a * 2

    text = twice.explain(sl.ones(3))
    assert "Mul" in text
    assert "Exp" not in text and "Sum" not in text


def test_what_a_gradient_was_taken_through_is_computed_once():
    """The value of f is not asked for, and its gradient fails where f does."""

    @sl.function
    def gradient(w, x):
        return sl.grad(lambda w: (x @ w).sum())(w)

    assert gradient(sl.ones(3), sl.ones(2, 3)).tolist() == [2, 2, 2]
    with pytest.raises(ValueError):
        gradient(sl.ones(4), sl.ones(2, 3))


def unused_around_a_gradient(x, b):
    y = x
    n = x.sum().detach() * 0
    while n < 3:
        x.long() // b
        x[b]
        y = y * x
        n = n + 1
    if b.sum() > 0:
        b // (b - 5)
    return y.sum()


def raised(code, *args):
    try:
        made = code(*args)
    except (ValueError, IndexError) as error:
        return type(error), str(error).splitlines()[0]
    return [v.tolist() for v in sl.tree.leaves(made)]


DERIVATIVES = {
    "grad": sl.grad,
    "hessian": sl.hessian,
    "grad of grad": lambda f: sl.grad(lambda x, b: (sl.grad(f)(x, b) ** 2).sum()),
    "jvp": lambda f: lambda x, b: sl.jvp(lambda x: f(x, b), (x,), (x,)),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_what_nobody_uses_fails_in_derivatives(name):
    derivative = DERIVATIVES[name](unused_around_a_gradient)
    captured = sl.function(derivative)
    x = sl.tensor([2.0, 3.0])
    seen = set()
    for b in [[1, 1], [1, 0], [7, 1], [1, 5]]:
        b = sl.tensor(b)
        wanted = raised(derivative, x, b)
        assert raised(captured, x, b) == wanted
        seen.add(str(wanted))
    assert len(seen) == 4


def test_what_nobody_uses_fails_in_lanes():
    def lane(m):
        6 // m
        n = m * 0
        while n < m:
            10 // (m - n)
            n = n + 1
        return n

    for over in (sl.vmap(lane), sl.function(sl.vmap(lane))):
        # Lanes that have ended divide by nothing.
        assert over(sl.tensor([1, 3, 5])).tolist() == [1, 3, 5]
        with pytest.raises(ValueError, match="integer division by zero"):
            over(sl.tensor([1, 0, 5]))
