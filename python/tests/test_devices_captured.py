"""What meets on several devices means the same in a captured function as imperatively:
the same results in the same places, and refused where those are.

`x + zeros(3)` with x on another device was refused imperatively and ran when captured.
"""

import numpy as np
import pytest

import sluice as sl
from sluice.nn import functional as F


@pytest.fixture(scope="module", autouse=True)
def there_are_some():
    sl.devices.add_simulated(2)


def in_scope(device):
    def f(x):
        with sl.device(device):
            return x + sl.zeros(3)

    return f


def written(write):
    def f(x):
        y = sl.zeros(3)
        write(y, x)
        return y

    return f


def overwritten(write):
    def f(x):
        y = x.clone()
        write(y)
        return y

    return f


def added(y, x):
    y += x


def summed(x):
    total = sl.tensor(0.0)
    total += x.sum()
    return total


def loop(start):
    def f(x):
        def body(i, h):
            return i + 1, h + x

        return sl.while_loop(lambda i, h: i < 2, body, (0, start(x)))[1]

    return f


def gradient(x):
    x = x.detach().requires_grad_()
    (x * x).sum().backward()
    return x.grad


AROUND, NUMBER = sl.ones(3), sl.tensor(2.0)
PROGRAMS = {
    # Tensors of the host: refused beside x on a device.
    "zeros": lambda x: x + sl.zeros(3),
    "zeros first": lambda x: sl.zeros(3) + x,
    "tensor": lambda x: x * sl.tensor([1.0, 2.0, 3.0]),
    "constant": lambda x: x * sl.constant([1.0, 2.0, 3.0]),
    "made of zeros": lambda x: (sl.zeros(3).tanh() + 1).reshape(3) + x,
    "arange": lambda x: x + sl.arange(3.0),
    "linspace": lambda x: x + sl.linspace(0, 1, 3),
    "rand": lambda x: x + sl.rand(3),
    "eye": lambda x: x @ sl.eye(3),
    "around": lambda x: x + AROUND,
    "like one of the host": lambda x: x + sl.zeros_like(AROUND),
    "where": lambda x: sl.where(x > 0, x, sl.zeros(3)),
    "cat": lambda x: sl.cat([x, sl.zeros(3)]),
    "einsum": lambda x: sl.einsum("i,i->", x, sl.ones(3)),
    "loss": lambda x: F.mse_loss(x, sl.zeros(3)),
    "labels": lambda x: F.cross_entropy(x.reshape(1, 3), sl.tensor([1])),
    "embedding": lambda x: F.embedding(sl.tensor([0, 1]), x.reshape(3, 1)),
    "gather": lambda x: x.gather(0, sl.tensor([0, 1])),
    "a device's number": lambda x: x.sum() + sl.zeros(3),
    "in a branch": lambda x: sl.cond(x.sum() > 0, lambda: x + sl.zeros(3), lambda: x),
    "in a loop": loop(lambda x: sl.zeros(3)),
    "in another function": lambda x: sl.function(lambda a, b: a + b)(x, sl.zeros(3)),
    "scope of the host": in_scope("cpu"),
    "scope of x": in_scope("sim:0"),
    "scope of another": in_scope("sim:1"),
    "in place": written(added),
    "in place of a number": summed,
    "in place, there": overwritten(lambda y: y.add_(sl.zeros(3))),
    # Numbers and lists go anywhere.
    "number": lambda x: x * 2 + 1,
    "number of a tensor": lambda x: x * sl.tensor(2.0) + sl.zeros(()),
    "number around": lambda x: x * NUMBER,
    "number in a loop": loop(lambda x: x * sl.tensor(1.0)),
    "sum of the host": lambda x: sl.ones(3).sum() + x,
    "list": lambda x: x + [1.0, 2.0, 3.0],
    "numpy": lambda x: x + np.ones(3, np.float32),
    "size": lambda x: x * x.shape[0],
    # What is made like x, or put beside it.
    "to": lambda x: x + sl.zeros(3).to("sim:0").to(x.device),
    "device": lambda x: x + sl.zeros(3, device=x.device),
    "like": lambda x: x + sl.ones_like(x) + sl.zeros_like(x),
    "new": lambda x: x + x.new_zeros(3) + x.new_ones(3) + x.new_tensor([1.0, 2, 3]),
    "drawn like": lambda x: sl.rand_like(x) + x,
    "loop of likes": loop(sl.zeros_like),
    "dropout": lambda x: F.dropout(x, 0.5),
    "layer norm": lambda x: F.layer_norm(x, (3,)),
    "places": lambda x: x[sl.tensor([0, 2])] + x[[0, 2]],
    "mask": lambda x: x[sl.tensor([True, False, True])],
    "selected": lambda x: sl.index_select(x, 0, sl.tensor([0, 2])),
    "gradient": gradient,
    # Copies cross devices.
    "copied": written(lambda y, x: y.copy_(x)),
    "part copied": written(lambda y, x: y.__setitem__(slice(1, None), x[1:])),
    "element copied": written(lambda y, x: y.__setitem__(0, x[0])),
    "copied there": overwritten(lambda y: y.copy_(sl.ones(3))),
    "part copied there": overwritten(lambda y: y.__setitem__(0, sl.tensor(1.0))),
    "list copied there": overwritten(lambda y: y.__setitem__(slice(2), [5.0, 6.0])),
    "drawn there": overwritten(lambda y: y.uniform_()),
}


def outcome(program, x):
    sl.manual_seed(1)
    try:
        y = program(x)
    except ValueError as error:
        return "refused", str(error).partition("]")[0]
    return y.device, y.tolist()


@pytest.mark.parametrize("device", ("cpu", "sim:0"))
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_captured(name, device):
    x = sl.tensor([1.0, 2.0, 3.0]).to(device)
    now = outcome(PROGRAMS[name], x)
    assert outcome(sl.function(PROGRAMS[name]), x) == now
    place = list(PROGRAMS).index(name)
    hosts = place < list(PROGRAMS).index("number")
    elsewhere = name in ("scope of x", "scope of another") and device == "cpu"
    right = (hosts and device != "cpu" and name != "scope of x") or elsewhere
    assert (now[0] == "refused") == right, now


def test_the_error_names_the_line():
    def step(x):
        return x + sl.zeros(3)

    x = sl.ones(3, device="sim:0")
    line = step.__code__.co_firstlineno + 1
    for f in (step, sl.function(step)):
        with pytest.raises(ValueError, match="sim:0.*cpu:0") as told:
            f(x)
        assert f"test_devices_captured.py:{line}" in str(told.value)
