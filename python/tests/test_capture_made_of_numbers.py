"""Tensors that are made of numbers a captured function computes are tensors, and what a
list of numbers gives back is a number; texts of them stay texts of each call."""

import pytest

import sluice as sl
import sluice.nn.functional as F


def shown(value):
    if isinstance(value, sl.Tensor):
        return str(value.dtype), value.tolist()
    return type(value).__name__, repr(value)


MADE = {
    "tensor": lambda x: sl.tensor(x.argmax().item()),
    "tensor of a type": lambda x: sl.tensor(x.sum().item(), dtype=sl.float64),
    "as_tensor": lambda x: sl.as_tensor(x.sum().item()),
    "asarray": lambda x: sl.asarray(x.sum().item()),
    "times": lambda x: sl.tensor(x.sum().item()) * 2,
    "minus": lambda x: -sl.tensor(x.sum().item()),
    "one_hot": lambda x: F.one_hot(sl.tensor(x.argmax().item()), 3).float(),
    "a list": lambda x: sl.tensor([x.argmax().item()] * 2),
    "stack": lambda x: sl.stack([sl.tensor(x.sum().item())] * 2),
    "arange": lambda x: sl.arange(x.argmax().item() + 1),
    "full": lambda x: sl.full((2,), x.sum().item()),
    "a test": lambda x: sl.tensor(x.sum().item() > 1),
    "is_tensor": lambda x: (sl.is_tensor(x.sum().item()), sl.is_tensor(x)),
    "item": lambda x: sl.tensor(x.sum().item()).item(),
}


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_of_a_number(name):
    captured = sl.function(MADE[name])
    for values in ([1.0, 5.0, 2.0], [3.0, 0.0, 1.0]):
        x = sl.tensor(values)
        assert shown(captured(x)) == shown(MADE[name](x))


@pytest.mark.parametrize("make", [
    sl.tensor, sl.arange, lambda k: sl.full((2,), k), lambda k: sl.tensor([k] * 3),
    lambda k: sl.stack([sl.tensor(k)] * 2), lambda k: F.one_hot(sl.tensor([k]), 8)])
def test_what_is_made_of_an_argument_that_changes(make):
    captured = sl.function(lambda k: make(k))
    for k in (1, 2, 3, 4, 5):
        assert shown(captured(k)) == shown(make(k))


def test_elements_of_a_list_that_grew():
    def f(x):
        sizes = []
        while x.sum() > 0.5:
            x = x * 0.5
            sizes.append(x.sum().item())
        rows = [r for r in x]
        return sizes[-1], sizes[-1] * 2, type(sizes[0]).__name__, type(rows[0]).__name__

    captured = sl.function(f)
    for values in ([1.0, 5.0], [3.0, 1.0]):
        assert repr(captured(sl.tensor(values))) == repr(f(sl.tensor(values)))


class Log:
    def __init__(self):
        self.text, self.table, self.lines = "", {"log": ""}, [""]


def test_texts_that_are_added_to(capsys):
    def step(log, x):
        message = "loss"
        message += f" {x.sum().item():.2f}"
        print(message)
        log.text += str(x.sum().item())
        log.table["log"] += f"{x.sum().item()};"
        log.lines[0] += message + "!"
        for v in x.tolist():
            message += f",{v}"
        return message

    outcomes = []
    for wrap in (lambda f: f, sl.function):
        log = Log()
        f = wrap(lambda x, log=log: step(log, x))
        seen = [f(sl.tensor(v)) for v in ([1.0, 1.0], [3.0, 0.5], [1.0, 1.0])]
        outcomes.append((seen, vars(log), capsys.readouterr().out))
    assert outcomes[0] == outcomes[1]


# Of a tensor from outside it was a constant: the elements at the first call.
def test_a_tensor_made_of_one_from_outside_has_the_elements_of_each_call():
    w = sl.tensor([1.0, 2.0])

    @sl.function
    def f(x):
        made = sl.tensor(w)
        made += 1
        return x * made, sl.tensor(w, dtype=sl.float64), sl.tensor(w[0]), w * 1

    for v in (1.0, 5.0, 3.0):
        w[0] = v
        x, wide, first, itself = f(sl.ones(2))
        assert x.tolist() == [v + 1, 3.0] and itself.tolist() == [v, 2.0]
        assert wide.dtype == sl.float64 and wide.tolist() == [v, 2.0]
        assert first.tolist() == v and not first.requires_grad
