"""Circles through the tape are garbage as any other: hooks, contexts of functions
and what checkpoints run again go with the tensors they belong to, and not before."""

import gc
import threading
import weakref

import pytest

import sluice as sl
from sluice import nn


class Owner:
    """An object that keeps tensors, and that their functions keep."""

    def hook(self, g):
        return g * 2


def leaf():
    return sl.ones(2, requires_grad=True)


def gone(reference):
    gc.collect()
    return reference() is None


class Keeps(sl.autograd.Function):
    @staticmethod
    def forward(ctx, x, owner):
        ctx.owner = owner
        ctx.save_for_backward(x)
        return x * 3

    @staticmethod
    def backward(ctx, g):
        assert isinstance(ctx.owner, Owner)
        return g * 3, None


def vjp_of(owner):
    @sl.custom_vjp
    def f(x):
        return x * 3

    f.defvjp(lambda x: (x * 3, owner), lambda owner, g: (g * 3,))
    return f


def leaf_hook(o):
    o.x = leaf()
    o.x.register_hook(o.hook)
    return o.x.sum(), 2


def leaf_hook_closure(o):
    o.x = leaf()
    o.x.register_hook(lambda g: o.hook(g))
    return o.x.sum(), 2


def leaf_hook_handle(o):
    o.x = leaf()
    o.handle = o.x.register_hook(o.hook)
    return o.x.sum(), 2


def hook_of_a_result(o):
    o.x = leaf()
    o.y = o.x * 1
    o.handle = o.y.register_hook(o.hook)
    return o.y.sum(), 2


def hook_behind_calls(o):
    o.x = leaf()
    y = o.x * 1
    y.register_hook(o.hook)
    o.y = (y + 1).sum()
    return o.y, 2


def function_context(o):
    o.x = leaf()
    o.y = Keeps.apply(o.x, o)
    return o.y.sum(), 3


def function_behind_calls(o):
    o.x = leaf()
    o.y = (Keeps.apply(o.x, o) + 1).sum()
    return o.y, 3


def custom_vjp(o):
    o.x = leaf()
    o.y = vjp_of(o)(o.x)
    return o.y.sum(), 3


def checkpoint(o):
    o.x = leaf()
    o.y = sl.checkpoint(lambda x: (x * (3 if o else 0) + 1).sin().sum(), o.x)
    return o.y, None


def module_hooks(o):
    o.x = leaf()
    o.net = nn.Linear(2, 2)
    o.net.register_full_backward_hook(lambda net, dx, dy: (o.hook(dx[0]),))
    o.y = o.net(o.x).sum()
    return o.y, None


CIRCLES = [
    leaf_hook,
    leaf_hook_closure,
    leaf_hook_handle,
    hook_of_a_result,
    hook_behind_calls,
    function_context,
    function_behind_calls,
    custom_vjp,
    checkpoint,
    module_hooks,
]


@pytest.mark.parametrize("circle", CIRCLES)
def test_a_circle_goes(circle):
    owner = Owner()
    circle(owner)
    seen = weakref.ref(owner)
    del owner
    assert gone(seen)


@pytest.mark.parametrize("circle", CIRCLES)
def test_a_circle_goes_after_backward(circle):
    owner = Owner()
    circle(owner)[0].backward()
    seen = weakref.ref(owner)
    del owner
    assert gone(seen)


@pytest.mark.parametrize("circle", CIRCLES)
def test_what_the_owner_still_needs_is_there_after_a_collection(circle):
    owner = Owner()
    loss, factor = circle(owner)
    for _ in range(3):
        gc.collect()
    loss.backward()
    want = owner.x.grad.numpy()
    assert factor is None or want.tolist() == [factor, factor]
    again = Owner()
    circle(again)[0].backward()
    if circle is not module_hooks:  # whose weights are drawn
        assert again.x.grad.numpy().tolist() == want.tolist()


@pytest.mark.parametrize("circle", CIRCLES)
def test_what_a_result_alone_needs_is_there_after_a_collection(circle):
    owner = Owner()
    loss, factor = circle(owner)
    x, owner.y = owner.x, None
    del owner
    for _ in range(3):
        gc.collect()
    loss.backward()
    assert x.grad is not None
    assert factor is None or x.grad.numpy().tolist() == [factor, factor]


def test_a_tensor_somebody_else_has_keeps_its_hook():
    calls = []

    def loss():
        x = leaf()
        x.register_hook(lambda g: calls.append(x.shape))
        return x.sum()

    y = loss()
    gc.collect()
    y.backward()
    assert calls == [(2,)]


def test_two_results_of_one_call_keep_its_context():
    class Two(sl.autograd.Function):
        @staticmethod
        def forward(ctx, x, owner):
            ctx.owner = owner
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            return g * ctx.owner.factor, None

    owner = Owner()
    owner.factor = 5
    x = leaf()
    owner.y, z = Two.apply(x, owner)
    seen = weakref.ref(owner)
    del owner
    gc.collect()
    z.sum().backward()
    assert x.grad.numpy().tolist() == [0, 0]
    del z
    assert gone(seen)


def test_a_handle_that_is_kept_takes_the_hook_away():
    x = leaf()
    handle = x.register_hook(lambda g: x * 10)
    gc.collect()
    handle.remove()
    handle.remove()
    x.sum().backward()
    assert x.grad.numpy().tolist() == [1, 1]


def test_functions_live_while_other_threads_compute_and_collect():
    # The values are in the hands of C++ while the collector runs.
    x = sl.ones(64, 64, requires_grad=True)
    x.register_hook(lambda g: g * (2 if x is not None else 0))
    stop = threading.Event()

    def collect():
        while not stop.is_set():
            gc.collect()

    thread = threading.Thread(target=collect)
    thread.start()
    try:
        for _ in range(50):
            x.grad = None
            y = Keeps.apply(x @ x, Owner())
            y.register_hook(lambda g: g * (1 if y is not None else 0))
            y.sum().backward()
            assert float(x.grad.numpy()[0, 0]) == 2 * 3 * 128
    finally:
        stop.set()
        thread.join()


def test_a_checkpoint_that_was_run_again_lets_go_of_its_function():
    owner = Owner()
    owner.f = lambda x: (x * 2).sin().sum()
    owner.f.owner = owner
    y = sl.checkpoint(owner.f, leaf())
    seen = weakref.ref(owner)
    del owner
    gc.collect()
    assert seen() is not None
    y.backward()
    assert gone(seen)
