"""Gradients and transforms beside PyTorch's, of the same function."""

import numpy as np
import pytest

import sluice as sl

torch = pytest.importorskip("torch")
func = pytest.importorskip("torch.func")

RNG = np.random.default_rng(0)
W1 = RNG.normal(size=(4, 5)).astype("f")
W2 = RNG.normal(size=(5, 3)).astype("f")
X = RNG.normal(size=(6, 4)).astype("f")


def model(lib, w1, w2, x):
    """The same lines for both libraries."""
    h = lib.tanh(lib.matmul(x, w1))
    return lib.softmax(lib.matmul(h, w2), dim=-1)


def loss(lib, w1, w2, x):
    y = model(lib, w1, w2, x)
    return (y * y).sum() + lib.exp(-y).mean()


def ours(*arrays):
    return [sl.tensor(a) for a in arrays]


def theirs(*arrays):
    return [torch.tensor(a) for a in arrays]


def same(a, b):
    sl.testing.assert_close(a, b.detach().numpy(), rtol=1e-4, atol=1e-5)


def test_backward():
    w1, w2, x = ours(W1, W2, X)
    t1, t2, tx = theirs(W1, W2, X)
    for t in (w1, w2, t1, t2):
        t.requires_grad_()
    loss(sl, w1, w2, x).backward()
    loss(torch, t1, t2, tx).backward()
    same(w1.grad, t1.grad)
    same(w2.grad, t2.grad)


def test_grad_and_value():
    value, grads = sl.value_and_grad(
        lambda a, b, x: loss(sl, a, b, x), argnums=(0, 1)
    )(*ours(W1, W2, X))
    wanted, value2 = func.grad_and_value(
        lambda a, b, x: loss(torch, a, b, x), argnums=(0, 1)
    )(*theirs(W1, W2, X))
    same(value, value2)
    for g, t in zip(grads, wanted):
        same(g, t)


def test_second_order():
    w1, w2, x = ours(W1, W2, X)
    t1, t2, tx = theirs(W1, W2, X)
    same(
        sl.hessian(lambda b: loss(sl, w1, b, x))(w2),
        func.hessian(lambda b: loss(torch, t1, b, tx))(t2),
    )
    v = RNG.normal(size=W2.shape).astype("f")
    product = sl.hvp(lambda b: loss(sl, w1, b, x), w2, sl.tensor(v))
    _, wanted = torch.autograd.functional.hvp(
        lambda b: loss(torch, t1, b, tx), t2, torch.tensor(v)
    )
    same(product, wanted)


def test_jacobians_and_jvp():
    w1, w2, x = ours(W1, W2, X)
    t1, t2, tx = theirs(W1, W2, X)
    wanted = func.jacrev(lambda a: model(torch, a, t2, tx))(t1)
    for jacobian in (sl.jacrev, sl.jacfwd):
        same(jacobian(lambda a: model(sl, a, w2, x))(w1), wanted)
    v = RNG.normal(size=W1.shape).astype("f")
    value, change = sl.jvp(lambda a: model(sl, a, w2, x), (w1,), (sl.tensor(v),))
    value2, change2 = func.jvp(
        lambda a: model(torch, a, t2, tx), (t1,), (torch.tensor(v),)
    )
    same(value, value2)
    same(change, change2)


def test_a_gradient_for_each_example():
    w1, w2, x = ours(W1, W2, X)
    t1, t2, tx = theirs(W1, W2, X)
    per = sl.vmap(sl.grad(lambda a, row: loss(sl, a, w2, row[None])), (None, 0))
    wanted = func.vmap(
        func.grad(lambda a, row: loss(torch, a, t2, row[None])), (None, 0)
    )
    same(per(w1, x), wanted(t1, tx))


class TorchScale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return x.sin() * k

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.cos() * ctx.k, None


class Scale(sl.autograd.Function):
    forward = staticmethod(TorchScale.forward)
    backward = staticmethod(TorchScale.backward)


def test_a_function_written_for_pytorch_runs_unchanged():
    x, t = sl.tensor(X), torch.tensor(X)
    for kind, leaf in ((Scale, x), (TorchScale, t)):
        leaf.requires_grad_()
        (kind.apply(leaf, 3.0) ** 2).sum().backward()
    same(x.grad, t.grad)
