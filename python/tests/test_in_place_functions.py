"""inplace=True and methods with an underscore: the argument has the result's elements.

Under gradients and captured it means the same; gradients are those of the function.
"""

import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import nn

FUNCTIONS = {
    "relu": lambda x, **k: F.relu(x, **k),
    "relu6": lambda x, **k: F.relu6(x, **k),
    "elu": lambda x, **k: F.elu(x, **k),
    "selu": lambda x, **k: F.selu(x, **k),
    "celu": lambda x, **k: F.celu(x, **k),
    "leaky_relu": lambda x, **k: F.leaky_relu(x, 0.1, **k),
    "silu": lambda x, **k: F.silu(x, **k),
    "mish": lambda x, **k: F.mish(x, **k),
    "hardsigmoid": lambda x, **k: F.hardsigmoid(x, **k),
    "hardswish": lambda x, **k: F.hardswish(x, **k),
    "hardtanh": lambda x, **k: F.hardtanh(x, **k),
    "threshold": lambda x, **k: F.threshold(x, 0.5, 2.0, **k),
    "dropout": lambda x, **k: F.dropout(x, 0.5, training=False, **k),
    "ReLU": lambda x, **k: nn.ReLU(**k)(x),
    "SiLU": lambda x, **k: nn.SiLU(**k)(x),
}
METHODS = ["abs", "sin", "cos", "exp", "log1p", "square", "sigmoid", "tanh", "relu",
           "erf", "reciprocal", "sqrt"]  # fmt: skip
WAYS = pytest.mark.parametrize(
    "way", [lambda f: f, sl.function], ids=["now", "captured"]
)
POINTS = [-2.0, -0.3, 0.2, 0.7, 1.5, 7.0]


def _agree(way, plain, written, points):
    """The residual form tells: x is read again after it was written."""

    def wanted(x):
        y = x * 1.0
        made = plain(y)
        return made + made * x

    def got(x):
        y = x * 1.0
        made = written(y)
        return y + made * x

    a = sl.tensor(points, requires_grad=True)
    b = sl.tensor(points, requires_grad=True)
    first, second = wanted(a), way(got)(b)
    assert sl.allclose(first, second, rtol=1e-6)
    (first * first).sum().backward()
    (second * second).sum().backward()
    assert sl.allclose(a.grad, b.grad, rtol=1e-5)
    with sl.no_grad():
        assert sl.allclose(way(got)(sl.tensor(points)), first.detach(), rtol=1e-6)


@WAYS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(way, name):
    call = FUNCTIONS[name]
    _agree(way, call, lambda y: call(y, inplace=True), POINTS)


@WAYS
@pytest.mark.parametrize("name", METHODS)
def test_methods(way, name):
    points = [0.2, 0.7, 1.5, 3.0]
    _agree(
        way,
        lambda y: getattr(y, name)(),
        lambda y: getattr(y, name + "_")(),
        points,
    )


@WAYS
def test_the_exponent_has_its_gradient(way):
    def power(x, p):
        y = x.clone()
        y.pow_(p)
        return y.sum()

    x = sl.tensor([1.0, 2.0, 3.0])
    p = sl.tensor([2.0, 0.5, 1.0], requires_grad=True)
    way(power)(x, p).backward()
    assert sl.allclose(p.grad, x ** p.detach() * x.log(), rtol=1e-6)


def test_a_leaf_is_not_overwritten():
    x = sl.tensor([-1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError):
        F.relu(x, inplace=True)
    assert x.tolist() == [-1.0, 2.0]
