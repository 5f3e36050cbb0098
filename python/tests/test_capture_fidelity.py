"""A captured function does what the same code does imperatively.

Each program is run at once and captured, three calls each, on the same inputs;
results, gradients, requires_grad and what happened to its arguments must agree.

Why one file: the programs are the data of a single test, a few lines each, and a new
case is one more entry.
"""

from __future__ import annotations

from typing import Any

import pytest

import sluice as sl
from sluice import nn

PROGRAMS: list[Any] = []


def program(f: Any) -> Any:
    PROGRAMS.append(f)
    return f


def leaf(*values: float) -> Any:
    return sl.tensor(list(values)).requires_grad_()


def seen(value: Any) -> Any:
    """Something that compares: elements, and whether gradients flow."""
    if isinstance(value, sl.Tensor):
        grad = value.grad if value.is_leaf else None
        return (
            value.detach().numpy().tolist(),
            value.requires_grad,
            None if grad is None else grad.numpy().tolist(),
        )
    if isinstance(value, (list, tuple)):
        return [seen(v) for v in value]
    if isinstance(value, dict):
        return {k: seen(v) for k, v in value.items()}
    return None if callable(value) else value


def history(make: Any, capture: bool) -> list[Any]:
    """What three calls do: make() gives the state and the function."""
    state, step = make()
    f = sl.function(step) if capture else step
    told = []
    for i in range(3):
        try:
            result = f(*[v for v in state.get("args", ())])
            told.append(seen(result))
            if isinstance(result, sl.Tensor) and result.requires_grad:
                result.sum().backward()
        except Exception as error:
            told.append(type(error).__name__)
        told.append(seen(state))
        change = state.get("change")
        if change:
            change(i)
    return told




# ---- Grad modes ----


@program
def no_grad_stops_the_gradient() -> Any:
    w = leaf(2.0)

    def step():
        with sl.no_grad():
            t = w * 3
        return (w * t).sum()

    return {"w": w}, step


@program
def no_grad_as_a_decorator() -> Any:
    w = leaf(2.0)

    @sl.no_grad()
    def target(x):
        return x * 3

    return {"w": w}, lambda: (w * target(w)).sum()


@program
def inference_mode() -> Any:
    w = leaf(2.0)

    def step():
        with sl.inference_mode():
            t = w * 3
        return t

    return {"w": w}, step


@program
def set_grad_enabled() -> Any:
    w = leaf(2.0)

    def step():
        with sl.set_grad_enabled(False):
            t = w * 3
        with sl.set_grad_enabled(True):
            u = w * 4
        return (t * u).sum()

    return {"w": w}, step


@program
def detach_cuts() -> Any:
    w = leaf(2.0, 3.0)
    return {"w": w}, lambda: (w * (w * 2).detach()).sum()


@program
def no_grad_outside() -> Any:
    w = leaf(2.0, 3.0)

    def step():
        return w * 2

    def outer():
        with sl.no_grad():
            return step()

    return {"w": w}, outer


@program
def backward_inside() -> Any:
    w = leaf(2.0, 3.0)

    def step():
        loss = (w * w).sum()
        loss.backward()
        return loss.detach()

    return {"w": w}, step


@program
def loss_after_backward_keeps_requires_grad() -> Any:
    w = leaf(2.0, 3.0)

    def step():
        loss = (w * w).sum()
        loss.backward()
        return loss

    return {"w": w}, step


@program
def gradients_cleared_and_scaled() -> Any:
    w = leaf(2.0, 3.0)

    def step():
        w.grad = None
        (w * w).sum().backward()
        w.grad.mul_(0.5)
        w.grad += 1
        with sl.no_grad():
            w.sub_(w.grad * 0.1)
        return (w * 2).sum().detach()

    return {"w": w}, step


@program
def leaf_written_under_no_grad_is_the_leaf_still() -> Any:
    w = leaf(2.0, 3.0)

    def step():
        with sl.no_grad():
            w.mul_(2)
        return (w * w).sum()

    return {"w": w}, step


@program
def gradient_penalty() -> Any:
    w = leaf(2.0, 3.0)

    def step():
        y = (w * w * w).sum()
        (g,) = sl.autograd.grad(y, w, create_graph=True)
        return (g * g).sum()

    return {"w": w}, step


@program
def gradient_as_a_constant() -> Any:
    w = leaf(2.0, 3.0)

    def step():
        y = (w * w * w).sum()
        (g,) = sl.autograd.grad(y, w)
        return (g * w).sum()

    return {"w": w}, step


@program
def hooks_change_gradients() -> Any:
    w = leaf(2.0, 3.0)

    def step():
        h = w * 3
        h.register_hook(lambda g: g * 10)
        (h * h).sum().backward()
        return h.detach()

    return {"w": w}, step


@program
def retain_grad_inside() -> Any:
    w = leaf(2.0, 3.0)

    def step():
        h = w * 3
        h.retain_grad()
        (h * h).sum().backward()
        return h.grad

    return {"w": w}, step


@program
def argument_that_requires_gradients() -> Any:
    x = leaf(2.0, 3.0)
    return {"args": (x,)}, lambda a: (a * a).sum()


@program
def argument_gets_its_grad_inside() -> Any:
    x = leaf(2.0, 3.0)

    def step(a):
        (a * a).sum().backward()
        return a.grad * 1

    return {"args": (x,)}, step


@program
def requires_grad_set_inside() -> Any:
    x = sl.tensor([2.0, 3.0])

    def step(a):
        b = (a * 1).detach().requires_grad_()
        (b * b).sum().backward()
        return b.grad

    return {"args": (x,)}, step


@program
def requires_grad_changed_between_calls() -> Any:
    w = leaf(2.0, 3.0)

    def change(i):
        w.requires_grad_(i % 2 == 1)

    return {"w": w, "change": change}, lambda: (w * w).sum()


@program
def backward_twice_is_an_error() -> Any:
    w = leaf(2.0)

    def step():
        loss = (w * w).sum()
        loss.backward()
        loss.backward()
        return loss

    return {}, step


@program
def overwritten_before_backward_is_an_error() -> Any:
    w = leaf(2.0)

    def step():
        h = w * 1
        y = (h * h).sum()
        h.mul_(2)
        y.backward()
        return y.detach()

    return {"w": w}, step


@program
def writing_a_leaf_is_an_error() -> Any:
    w = leaf(2.0)

    def step():
        w.mul_(2)
        return w

    return {"w": w}, step


@program
def vector_backward_is_an_error() -> Any:
    x = leaf(2.0, 3.0)

    def step(a):
        (a * a).backward()
        return a * 1

    return {"args": (x,)}, step


# ---- Views and writes ----


@program
def write_through_a_slice() -> Any:
    x = sl.tensor([1.0, 2.0, 3.0])

    def step(a):
        y = a * 1
        z = y[0:1]
        z += 5
        return y

    return {"args": (x,)}, step


@program
def argument_written_in_place() -> Any:
    x = sl.tensor([1.0, 2.0, 3.0])

    def step(a):
        a += 1
        return a * 2

    return {"args": (x,)}, step


@program
def argument_written_through_views() -> Any:
    x = sl.tensor([[1.0, 2.0], [3.0, 4.0]])

    def step(a):
        a[0] = 7
        a.T[1, 1] = 9
        a.view(-1)[1] += 1
        a.reshape(4)[2] *= 3
        return a.sum()

    return {"args": (x,)}, step


@program
def the_same_tensor_twice() -> Any:
    x = sl.tensor([1.0, 2.0])

    def step(a, b):
        a += 1
        return b * 2

    return {"args": (x, x)}, step


@program
def an_alias_is_no_copy() -> Any:
    x = sl.tensor([1.0, 2.0])

    def step(a):
        y = a * 1
        b = y
        b += 1
        return y, b

    return {"args": (x,)}, step


@program
def element_of_a_list_written() -> Any:
    x = sl.tensor([1.0, 2.0])

    def step(a):
        y = a * 1
        items = [y, y * 2]
        items[0] += 1
        items[0].mul_(2)
        return y, items[1]

    return {"args": (x,)}, step


@program
def a_helper_that_writes() -> Any:
    x = sl.tensor([1.0, 2.0])

    def bump(t):
        t += 1

    def step(a):
        y = a * 1
        bump(y)
        bump(y[0])
        return y

    return {"args": (x,)}, step


@program
def detach_shares_memory() -> Any:
    x = sl.tensor([1.0, 2.0])

    def step(a):
        y = a * 1
        y.detach().add_(1)
        return y

    return {"args": (x,)}, step


@program
def masks_and_indices() -> Any:
    x = sl.tensor([1.0, -2.0, 3.0, -4.0])

    def step(a):
        y = a * 1
        y[y < 0] = 0
        y[[0, 2]] = sl.tensor([7.0, 8.0])
        y[sl.tensor([1, 3])] += 5
        return y

    return {"args": (x,)}, step


@program
def captured_tensor_written_through_a_view_of_it() -> Any:
    buffer = sl.zeros(4)
    part = buffer[1:3]

    def step():
        part.add_(1)
        buffer[0] = buffer.sum()
        return part * 1

    return {"buffer": buffer, "part": part}, step


@program
def named_in_place_functions() -> Any:
    x = sl.tensor([1.0, -2.0, 3.0])

    def step(a):
        y = a * 1
        y.relu_()
        y.add_(1).mul_(2).sub_(0.5).div_(2)
        z = y.clone()
        z.zero_()
        z.fill_(3)
        z.copy_(y)
        return y, z

    return {"args": (x,)}, step


@program
def gradient_through_writes_to_views() -> Any:
    w = leaf(1.0, 2.0, 3.0)

    def step():
        y = w * 2
        y[1:] *= w[1:]
        z = y[0]
        z.mul_(3)
        return (y * y).sum()

    return {"w": w}, step


@program
def gradient_of_what_was_written() -> Any:
    w = leaf(1.0, 2.0, 3.0)

    def step():
        y = sl.zeros(3)
        y[1] = w[1] * 2
        y[2] = w.sum()
        return (y * y).sum()

    return {"w": w}, step


@program
def view_made_before_the_write() -> Any:
    w = leaf(1.0, 2.0, 3.0)

    def step():
        y = w * 1
        v = y[0:2]
        y.mul_(w)
        return (v * v).sum()

    return {"w": w}, step


@program
def a_result_that_is_a_view_of_an_argument() -> Any:
    x = sl.tensor([1.0, 2.0, 3.0])
    state: dict[str, Any] = {"args": (x,)}

    def step(a):
        return a[1:]

    return state, step


@program
def write_in_a_branch() -> Any:
    x = sl.tensor([1.0, 2.0])

    def step(a):
        y = a * 1
        z = y
        if a.sum() > 0:
            y += 10
        else:
            y -= 10
        return y, z

    return {"args": (x,)}, step


@program
def write_in_a_loop() -> Any:
    x = sl.tensor([1.0, 2.0])

    def step(a):
        y = a * 1
        z = y[0:1]
        while y.sum() < 50:
            y *= 2
        return y, z

    return {"args": (x,)}, step


@program
def no_grad_in_a_branch() -> Any:
    w = leaf(2.0)

    def step():
        if w.sum() > 0:
            with sl.no_grad():
                t = w * 3
        else:
            t = w * 5
        return (w * t).sum()

    return {"w": w}, step


@program
def no_grad_in_a_loop() -> Any:
    w = leaf(2.0)

    def step():
        t = w * 1
        for _ in sl.arange(3):
            with sl.no_grad():
                t = t * w
        return (w * t).sum()

    return {"w": w}, step


@program
def trained_in_a_loop() -> Any:
    w = leaf(2.0, 3.0)

    def step():
        for _ in range(3):
            w.grad = None
            (w * w).sum().backward()
            with sl.no_grad():
                w.sub_(w.grad * 0.1)
        return w.detach() * 1

    return {"w": w}, step


# ---- Modules ----


@program
def batch_norm_forward_then_backward_outside() -> Any:
    sl.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
    x = sl.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
    state = {"args": (x,), "net": list(net.parameters()), "b": list(net.buffers())}
    return state, lambda a: net(a).sum()


@program
def attention_with_weights() -> Any:
    sl.manual_seed(0)
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    x = sl.randn(2, 3, 8)
    return {"args": (x,)}, lambda a: attention(a, a, a)[0].sum()


@program
def two_optimizers() -> Any:
    a, b = leaf(1.0, 2.0), leaf(3.0)
    first = sl.optim.SGD([a], lr=0.1, momentum=0.9)
    second = sl.optim.Adam([b], lr=0.1)

    def step():
        first.zero_grad()
        second.zero_grad()
        loss = (a * a).sum() * b.sum()
        loss.backward()
        first.step()
        second.step()
        return loss

    return {"a": a, "b": b}, step


def _check(make: Any) -> None:
    assert history(make, capture=True) == history(make, capture=False)


test_is_what_it_is_imperatively = pytest.mark.parametrize(
    "make", PROGRAMS, ids=lambda f: f.__name__
)(_check)
