"""The package autograd: grad, backward, Function, gradcheck."""

import gc
import weakref

import numpy as np
import pytest

import sluice as sl
from sluice import autograd


def tensor(values, grad=False, dtype=np.float32):
    made = sl.add(np.asarray(values, dtype), np.asarray(0, dtype))
    return made.requires_grad_(grad)


def same(t, values):
    if not isinstance(values, sl.Tensor):
        values = np.asarray(values, np.float32)
    sl.testing.assert_close(t, values, rtol=1e-5, atol=1e-6)


def test_grad_gives_a_tuple_and_leaves_grad_alone():
    x, y = tensor([1, 2], True), tensor([3, 4], True)
    gx, gy = autograd.grad(sl.sum(x * y), [x, y])
    same(gx, [3, 4])
    same(gy, [1, 2])
    assert x.grad is None
    (gx,) = autograd.grad(x * y, x, grad_outputs=tensor([1, 10]))
    same(gx, [3, 40])


def test_grad_of_grad():
    x = tensor(2.0, True)
    (first,) = autograd.grad(x * x * x, x, create_graph=True)
    (second,) = autograd.grad(first, x)
    same(second, 12)


def test_unused_inputs():
    x, y = tensor(1.0, True), tensor(1.0, True)
    with pytest.raises(ValueError, match=r"xs\[1\] has no gradient"):
        autograd.grad(x * 2, [x, y])
    assert autograd.grad(x * 2, [x, y], allow_unused=True)[1] is None
    same(autograd.grad(x * 2, [x, y], materialize_grads=True)[1], 0)


def test_wrong_arguments():
    x = tensor([1, 2], True)
    with pytest.raises(TypeError):
        autograd.grad(3, x)
    with pytest.raises(ValueError):
        autograd.grad(x * 2, [])
    with pytest.raises(ValueError, match="wanted a scalar"):
        autograd.grad(x * 2, x)
    with pytest.raises(ValueError, match="2 gradients for 1"):
        autograd.grad(x * 2, x, [x, x])


def test_backward_of_several():
    x = tensor(2.0, True)
    y = x * x
    autograd.backward([y, y * 3], [None, tensor(2.0)])
    same(x.grad, 4 + 24)


class Scale(autograd.Function):
    """x * k, with a gradient ten times too large, to be told from others."""

    @staticmethod
    def forward(ctx, x, k, name="none"):
        assert not sl.is_grad_enabled()
        ctx.save_for_backward(x, None)
        ctx.k = k
        return x * k

    @staticmethod
    def backward(ctx, g):
        x, nothing = ctx.saved_tensors
        assert nothing is None and ctx.needs_input_grad[:2] == (True, False)
        return (g * ctx.k * 10, None, None)[: len(ctx.needs_input_grad)]


def test_function():
    x = tensor([1, 2], True)
    y = Scale.apply(x, 3, "name")
    assert y.requires_grad
    same(y, [3, 6])
    sl.sum(y).backward()
    same(x.grad, [30, 30])
    assert not Scale.apply(tensor(1.0), 3).requires_grad


class Cube(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * x * 3


class Exp(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = sl.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


class Tanh(autograd.Function):
    """Saves what is neither argument nor result."""

    @staticmethod
    def forward(ctx, x):
        y = sl.tanh(x)
        ctx.save_for_backward(1 - y * y)
        return y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


@pytest.mark.parametrize("kind", [Cube, Exp])
def test_function_is_differentiated_twice(kind):
    x = tensor([0.5, 1.5], True, np.float64)
    assert autograd.gradcheck(kind.apply, (x,))
    assert autograd.gradgradcheck(kind.apply, (x,))


@pytest.mark.parametrize(
    "kind, slope", [(Cube, 0.75), (Exp, np.exp(0.5)), (Tanh, 1 - np.tanh(0.5) ** 2)]
)
def test_function_under_transforms(kind, slope):
    same(sl.grad(kind.apply)(tensor(0.5)), slope)
    same(sl.vmap(sl.grad(kind.apply))(tensor([0.5, 0.5])), [slope, slope])

    def looped(x):
        def body(i, v):
            return i + 1, kind.apply(v)

        return sl.while_loop(lambda i, v: i < 2, body, (tensor(0), x))[1]

    def written_out(x):
        return kind.apply(kind.apply(x))

    lanes = tensor([0.5, 0.25])
    same(sl.vmap(sl.grad(looped))(lanes), sl.vmap(sl.grad(written_out))(lanes))


class Split(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        index = sl.cast(x, sl.int64)
        rounded = sl.round(x)
        ctx.mark_non_differentiable(rounded)
        return x * 2, rounded, index

    @staticmethod
    def backward(ctx, g, g_rounded, g_index):
        return g * 2


def test_several_results_and_those_without_a_gradient():
    x = tensor([1.2, 2.7], True)
    double, rounded, index = Split.apply(x)
    assert double.requires_grad
    assert not rounded.requires_grad and not index.requires_grad
    sl.sum(double).backward()
    same(x.grad, [2, 2])


class Halves(autograd.Function):
    """Notes what flows into each result."""

    seen = []

    @staticmethod
    def forward(ctx, x, materialize):
        ctx.set_materialize_grads(materialize)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, a, b):
        Halves.seen.append(b is None)
        return a * 2, None


@pytest.mark.parametrize("materialize", [True, False])
def test_what_nothing_flows_into(materialize):
    Halves.seen.clear()
    x = tensor(1.0, True)
    Halves.apply(x, materialize)[0].backward()
    same(x.grad, 2)
    slope = sl.grad(lambda v: Halves.apply(v, materialize)[0])
    same(sl.vmap(slope)(tensor([1.0])), [2])
    assert set(Halves.seen) == {not materialize}


class WithSetup(autograd.Function):
    @staticmethod
    def forward(x, k):
        return x * k

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.k = inputs[1]

    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None


def test_setup_context():
    x = tensor(2.0, True)
    WithSetup.apply(x, 5).backward()
    same(x.grad, 5)


class Broken(autograd.Function):
    @staticmethod
    def forward(ctx, x, how):
        ctx.how = how
        return "text" if how == "forward" else x * 2

    @staticmethod
    def backward(ctx, g):
        if ctx.how == "raises":
            raise ZeroDivisionError("mine")
        if ctx.how == "number":
            return g, g
        return {"count": (g, g, g), "shape": (sl.reshape(g, [1, 1]), None)}[ctx.how]


@pytest.mark.parametrize(
    "how, error, text",
    [
        ("forward", TypeError, "returned a str"),
        ("raises", ZeroDivisionError, "mine"),
        ("count", RuntimeError, "3 gradients; wanted 2"),
        ("number", RuntimeError, "argument 1, which is no tensor"),
        ("shape", ValueError, "for input 0"),
    ],
)
def test_what_is_wrong_with_a_function_is_said(how, error, text):
    x = tensor(2.0, True)
    with pytest.raises(error, match=text):
        Broken.apply(x, how).backward()
    x = tensor(2.0, True)
    (x * x).backward()
    same(x.grad, 4)


def test_a_function_without_tensors_is_refused():
    with pytest.raises(TypeError, match="no argument is a tensor"):
        Cube.apply(3)
    with pytest.raises(NotImplementedError):
        autograd.Function.apply(tensor(1.0))
    with pytest.raises(TypeError, match="wanted tensors"):
        autograd.FunctionCtx().save_for_backward(3)


def test_nothing_is_kept_when_the_result_is_gone():
    class Kept:
        pass

    class Holds(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.kept = kept = Kept()
            alive.append(weakref.ref(kept))
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    alive = []
    x = tensor(2.0, True)
    y = Holds.apply(x)
    y.backward()
    assert alive[0]() is not None
    del y
    gc.collect()
    assert alive[0]() is None


def test_gradcheck_finds_wrong_gradients():
    x = tensor([0.5, 1.5], True, np.float64)
    assert autograd.gradcheck(lambda a, k: sl.sin(a) * k, (x, 2))
    with pytest.raises(RuntimeError, match="element 0 of input 0"):
        autograd.gradcheck(lambda a: Scale.apply(a, 2), (x,))
    assert not sl.testing.gradcheck(
        lambda a: Scale.apply(a, 2), (x,), raise_exception=False
    )
    with pytest.raises(ValueError, match="wanted f64"):
        autograd.gradcheck(sl.sin, (tensor([1.0], True),))
    with pytest.raises(ValueError, match="no input"):
        autograd.gradcheck(sl.sin, (3,))
    with pytest.raises(TypeError):
        autograd.gradcheck(3, (x,))


def test_assert_close_says_where():
    with pytest.raises(AssertionError, match=r"1 of 4 .* \[1,0\], is 3 and 5"):
        sl.testing.assert_close(tensor([[1, 2], [3, 4]]), [[1, 2], [5, 4]])
    with pytest.raises(AssertionError, match="shapes differ"):
        sl.testing.assert_close(tensor([1, 2]), tensor([[1, 2]]))
    with pytest.raises(AssertionError, match="'a'"):
        sl.testing.assert_close({"a": tensor(1.0)}, {"a": tensor(2.0)})
    with pytest.raises(AssertionError):
        sl.testing.assert_equal(tensor(1.0), 1.0000001)
    nan = tensor(float("nan"))
    with pytest.raises(AssertionError):
        sl.testing.assert_close(nan, nan)
    sl.testing.assert_equal(nan, nan)


def test_saved_tensors_that_were_written_are_an_error():
    # The gradient was made of what had been written, in silence.
    class Square(sl.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            return x * x

        @staticmethod
        def backward(ctx, g):
            x, _ = ctx.saved_tensors
            return 2 * x * g

    w = sl.tensor([1.0, 2.0]).requires_grad_()
    y = Square.apply(w).sum()
    with sl.no_grad():
        w.sub_(1.0)
    with pytest.raises(RuntimeError, match="saved_tensors: tensor 0.*overwritten"):
        y.backward()
    Square.apply(w).sum().backward()
    assert w.grad.tolist() == [0.0, 2.0]
