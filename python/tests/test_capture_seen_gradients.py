"""Code that sees whether a gradient comes by: hooks, and backward functions.

The gradient of a branch is zeros where another way was taken; imperatively there is
none, and such code is not called, or told so.
"""

import pytest

import sluice as sl
from sluice import nn
from sluice.utils.checkpoint import checkpoint

INPUTS = [[1.0, 2.0], [-1.0, 0.5], [2.0, -0.5], [-3.0, 1.0]]


class Two(sl.autograd.Function):
    """Tells which of its results gradients flow into."""

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, a, b):
        if a is None:
            return b * 100
        return a * 1000 if b is None else a * 2 + b * 3


class Unit(sl.autograd.Function):
    """Not a number where it is called with zeros."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g / (g * g).sum().sqrt()


class First(sl.autograd.Function):
    """Its second argument has no gradient, nor has the tensor around."""

    around = sl.tensor([1.0, 1.0])

    @staticmethod
    def forward(ctx, x, y):
        return x * 2 + First.around

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


def one_of_two(x, w, v):
    a, b = Two.apply(w * x)
    if x.sum() > 0:
        return a.sum()
    return b.sum()


def one_of_two_in_a_branch(x, w, v):
    y = (w * x).sum()
    if x[0] > -2:
        a, b = Two.apply(w * x)
        y = a.sum() if x.sum() > 0 else b.sum()
    return y


def one_of_two_results_of_a_branch(x, w, v):
    a, b = w * x, w * 1
    if x[0] > -2:
        a, b = Two.apply(w * x)
    return a.sum() if x.sum() > 0 else b.sum()


def carried_and_left(x, w, v):
    h, last, n = w * 1, w * 1, x.sum() * 0
    while n < 3:
        h, last = Two.apply(h * x)
        n = n + 1
    return (last + h).sum()


def not_called(x, w, v):
    h = Unit.apply(w * x)
    if x.sum() > 0:
        return h.sum()
    return (w * 3).sum()


def of_the_last_iteration(x, w, v):
    last, n = w, x.sum() * 0
    while n < 3:
        last = Unit.apply(w * x * (n + 1))
        n = n + 1
    return last.sum()


def of_each_iteration(x, w, v):
    h, total, n = w * 1, x.sum() * 0, x.sum() * 0
    while n < 3:
        h = Unit.apply(h * x)
        total = total + h.sum()
        n = n + 1
    return total


def around_a_function(x, w, v):
    if x.sum() > 0:
        return First.apply(w * x, w).sum()
    return (w * First.around).sum()


def a_hook(x, w, v):
    h = w * x
    h.register_hook(lambda g: g + 1)
    if x.sum() > 0:
        return (h * 2).sum()
    return (w * 3).sum()


def a_hook_of_a_leaf(x, w, v):
    z = x.detach().clone().requires_grad_()
    z.register_hook(lambda g: g + 1)
    y = (w * z).sum() if x.sum() > 0 else (w * 3).sum()
    (y * 1).backward(retain_graph=True)
    return y if z.grad is None else y + (w * z.grad).sum()


def a_hook_taken_away(x, w, v):
    h = w * x
    handle = h.register_hook(lambda g: g * 10)
    if x.sum() > 0:
        handle.remove()
    return (h**2).sum()


def detached_in_place(x, w, v):
    h = v * x
    if x.sum() > 0:
        h.detach_()
    return (h * w).sum()


def checkpointed(x, w, v):
    def part(x):
        if x.sum() > 0:
            return w * x
        return v * x

    return (checkpoint(part, x, use_reentrant=False) ** 2).sum()


def checkpointed_and_unused(x, w, v):
    return checkpoint(lambda x: (x * w, x * v), x, use_reentrant=False)[0].sum()


def a_leaf_made_inside(x, w, v):
    z = x.detach().clone().requires_grad_()
    y = (w * z + v).sum()
    if x.sum() > 0:
        y = (w**2).sum()
    return y


CODE = [
    one_of_two,
    one_of_two_in_a_branch,
    one_of_two_results_of_a_branch,
    carried_and_left,
    not_called,
    of_the_last_iteration,
    of_each_iteration,
    around_a_function,
    a_hook,
    a_hook_of_a_leaf,
    a_hook_taken_away,
    detached_in_place,
    checkpointed,
    checkpointed_and_unused,
    a_leaf_made_inside,
]


def told(t):
    return None if t is None else [round(float(v), 3) for v in t.reshape(-1)]


@pytest.mark.parametrize("inside", [True, False], ids=["inside", "after"])
@pytest.mark.parametrize("code", CODE)
def test_gradients_are_those_of_the_way_taken(code, inside):
    def run(wrap):
        w, v = sl.tensor([1.0, 2.0]), sl.tensor([3.0, 4.0])
        First.around = sl.tensor([1.0, 1.0], requires_grad=True)
        leaves = [t.requires_grad_() for t in (w, v)] + [First.around]

        @wrap
        def step(x):
            y = code(x, w, v)
            if inside:
                y.backward()
            return y

        for x in INPUTS:
            for leaf in leaves:
                leaf.grad = None
            y = step(sl.tensor(x))
            if not inside:
                y.backward()
            yield told(y), [told(leaf.grad) for leaf in leaves]

    assert list(run(sl.function)) == list(run(lambda f: f))


def asked_for(x, w, v, h):
    return sl.autograd.grad(x, h, allow_unused=True)[0]


def asked_of_inputs(y, w, v, h):
    y.backward(inputs=[w, v])
    return w.grad


def kept(y, w, v, h):
    h.retain_grad()
    y.backward()
    return h.grad


@pytest.mark.parametrize("ask", [asked_for, asked_of_inputs, kept])
def test_what_is_asked_for_is_there_on_the_way_taken(ask):
    def run(wrap):
        w, v = sl.tensor([1.0, 2.0]), sl.tensor([3.0, 4.0])
        leaves = [t.requires_grad_() for t in (w, v)]

        @wrap
        def step(x):
            h = w * x
            y = (h * 2).sum() + v.sum() if x.sum() > 0 else (v * 3).sum()
            g = ask(y, w, v, h)
            return x if g is None else g * 7

        for x in INPUTS:
            for leaf in leaves:
                leaf.grad = None
            yield told(step(sl.tensor(x))), [told(leaf.grad) for leaf in leaves]

    assert list(run(sl.function)) == list(run(lambda f: f))


def test_a_hook_of_a_leaf_around_is_called_where_a_gradient_reaches_it():
    def run(wrap):
        w = sl.tensor([1.0, 2.0]).requires_grad_()
        v = sl.tensor([3.0, 4.0]).requires_grad_()
        w.register_hook(lambda g: g + 1)

        @wrap
        def step(x):
            y = (w * x).sum() if x.sum() > 0 else (v * 3).sum()
            y.backward()

        for x in INPUTS:
            step(sl.tensor(x))
            yield told(w.grad), told(v.grad)

    assert list(run(sl.function)) == list(run(lambda f: f))


def test_what_cannot_be_decided_is_refused():
    w = sl.tensor([1.0, 2.0]).requires_grad_()

    def step(x):
        a, b = Two.apply(w * x)
        return sl.cond(x.sum() > 0, lambda: a.sum(), lambda: b.sum())

    with pytest.raises(NotImplementedError, match="whether a backward of the user's"):
        sl.function(step)(sl.tensor([1.0, 2.0]))


class Still(sl.autograd.Function):
    """Its second argument has no gradient."""

    @staticmethod
    def forward(ctx, x, y):
        return x * 2 + y

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


def test_none_in_one_branch():
    w = sl.tensor([1.0, 2.0]).requires_grad_()
    v = sl.tensor([3.0, 4.0]).requires_grad_()

    def code(x):
        if x.sum() > 0:
            return Still.apply(w * x, v).sum()
        return (w * v).sum()

    def run(wrap):
        step = wrap(lambda x: code(x).backward())
        for x in INPUTS:
            w.grad = v.grad = None
            step(sl.tensor(x))
            yield told(w.grad), told(v.grad)

    assert list(run(sl.function)) == list(run(lambda f: f))
    y = sl.function(code)(sl.tensor([1.0, 2.0]))
    with pytest.raises(NotImplementedError, match="gives no gradient that leads to"):
        y.backward()


def test_what_hooks_of_modules_do_is_done_by_every_call():
    def run(wrap):
        sl.manual_seed(0)
        net, seen = nn.Linear(2, 2), []

        def after(module, grads, results):
            seen.append(results[0].sum().item())

        net.register_full_backward_hook(after)
        net.register_full_backward_pre_hook(lambda module, results: seen.append(1))

        @wrap
        def step(x):
            (net(x) ** 2).sum().backward()

        for x in INPUTS:
            step(sl.tensor(x))
        return [round(v, 3) for v in seen]

    assert run(sl.function) == run(lambda f: f)
