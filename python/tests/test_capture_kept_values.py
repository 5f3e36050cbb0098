"""Writes between a captured call and its gradient: refused as imperatively.

A captured function computes again from what it was fed; what was written since
would give other gradients silently.
"""

import pytest

import sluice as sl


def leaf(*values):
    return sl.tensor(list(values), requires_grad=True)


def plain(f):
    return f


def backward(y):
    """What it raises, or nothing."""
    try:
        y.sum().backward()
    except RuntimeError as error:
        return str(error).split(" at ")[0]
    return None


def parameter_needed(wrap):
    w, x = leaf(2.0, 3.0), leaf(1.0, 5.0)
    y = wrap(lambda x: x * w)(x)
    with sl.no_grad():
        w.mul_(10)
    return backward(y)


def parameter_not_needed(wrap):
    w, x = leaf(2.0, 3.0), leaf(1.0, 5.0)
    y = wrap(lambda x: x + w)(x)
    with sl.no_grad():
        w.mul_(10)
    return backward(y), x.grad.tolist()


def argument_needed(wrap):
    w, x = leaf(2.0, 3.0), sl.tensor([1.0, 5.0])
    y = wrap(lambda x: x * w)(x)
    x += 1
    return backward(y)


def written_by_the_code(wrap):
    w, box = leaf(2.0, 3.0), {"t": sl.tensor([1.0, 5.0])}

    def step(x):
        y = w * box["t"]
        box["t"] *= 0.5
        return y + x

    return backward(wrap(step)(sl.tensor([1.0, 1.0])))


def result_needed(wrap):
    w = leaf(0.2, 0.3)
    y = wrap(lambda x: sl.tanh(x * w))(sl.tensor([1.0, 1.0]))
    z = y * 1
    with sl.no_grad():
        y.mul_(10)
    return backward(z)


def buffer_written_by_two_calls(wrap):
    w, mean = leaf(2.0, 3.0), sl.tensor([0.0, 0.0])

    def step(x):
        with sl.no_grad():
            mean.mul_(0.5).add_(x)
        return w * x

    f = wrap(step)
    y = f(sl.tensor([1.0, 1.0])) + f(sl.tensor([2.0, 2.0]))
    return backward(y), w.grad.tolist(), mean.tolist()


def view_of_an_argument(wrap):
    w, x = leaf(2.0, 3.0), sl.tensor([1.0, 5.0])
    part = x[0:1]

    def step(x):
        y = w * (x * 2)
        x += 1
        return y

    y = wrap(step)(x)
    return backward(y), w.grad.tolist(), x.tolist(), part.tolist()


@pytest.mark.parametrize("program", [
    parameter_needed, parameter_not_needed, argument_needed, written_by_the_code,
    result_needed, buffer_written_by_two_calls, view_of_an_argument,
], ids=lambda f: f.__name__)  # fmt: skip
def test_as_imperatively(program):
    assert program(sl.function) == program(plain)


def test_what_only_computing_again_needs_is_refused():
    """The gradient was that of the new elements."""
    w = leaf(2.0, 3.0)
    y = sl.function(lambda x: sl.tanh(x * w))(sl.tensor([1.0, 5.0]))
    with sl.no_grad():
        w.mul_(10)
    with pytest.raises(NotImplementedError, match="overwritten in place"):
        y.sum().backward()


def test_a_number_of_the_callers_numpy_array_is_kept():
    import numpy as np

    def run(wrap):
        w, seen = leaf(2.0, 3.0), np.array([1.0, 5.0], np.float32)
        y = wrap(lambda x: x * w)(sl.from_numpy(seen))
        seen *= 2
        y.sum().backward()
        return w.grad.tolist()

    assert run(sl.function) == run(plain)


# state:314114
def test_what_may_be_a_kept_value_is_overwritten():
    def run(wrap):
        found = []
        for value in (1.0, -1.0):
            w = sl.tensor([3.0]).requires_grad_()

            @wrap
            def step(x, w=w):
                t = x * 1
                y = w * t
                if x.sum() > 0:
                    t = t + 1
                t.add_(1)
                return y.sum()

            try:
                step(sl.tensor([value])).backward()
                found.append(w.grad.tolist())
            except RuntimeError as error:
                found.append("overwritten" in str(error))
        return found

    assert run(lambda f: f) == [[1.0], True]
    assert run(sl.function) == run(lambda f: f)
