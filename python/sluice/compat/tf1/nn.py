"""Parts of networks by TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _ops
from ..._core import Tensor
from ._arrays import cast, convert_to_tensor, gather, identity, named
from ._graphs import recorded

# The functions made from the table below are added to it.
__all__ = [
    "bias_add",
    "dropout",
    "embedding_lookup",
    "l2_loss",
    "log_softmax",
    "moments",
    "sigmoid_cross_entropy_with_logits",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "sparse_softmax_cross_entropy_with_logits",
    "top_k",
    "xw_plus_b",
]

_op = vars(_ops)


def _activation(op: str) -> Callable[..., Tensor]:
    @recorded
    def call(features: Any, name: str | None = None) -> Tensor:
        return named(op, convert_to_tensor(features), name=name)

    call.__name__ = op
    call.__doc__ = _op[op].__doc__
    return call


for _name in "relu relu6 elu selu sigmoid tanh softplus softsign".split():
    globals()[_name] = _activation(_name)
    __all__.append(_name)


@recorded
def softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """Numbers that sum to one along an axis."""
    return named("softmax", convert_to_tensor(logits), axis=axis, name=name)


@recorded
def log_softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """Their logarithms."""
    return named("log_softmax", convert_to_tensor(logits), axis=axis, name=name)


@recorded
def bias_add(value: Any, bias: Any, name: str | None = None) -> Tensor:
    """The bias added along the last axis."""
    return named("add", convert_to_tensor(value), convert_to_tensor(bias), name=name)


@recorded
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """x times weights, plus biases."""
    product = _op["matmul"](convert_to_tensor(x), convert_to_tensor(weights))
    return named("add", product, convert_to_tensor(biases), name=name)


@recorded
def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half the sum of squares."""
    return identity(_op["sum"](_op["square"](convert_to_tensor(t))) / 2, name)


@recorded
def dropout(
    x: Any,
    keep_prob: float | None = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: float | None = None,
) -> Tensor:
    """Elements set to zero at random; the rest grow to make up for it."""
    if noise_shape is not None:
        raise NotImplementedError("dropout: noise_shape is not there")
    if rate is None:
        rate = 0.0 if keep_prob is None else 1.0 - keep_prob
    x = convert_to_tensor(x)
    made = _op["dropout"](x, rate=rate, seed=seed or 0)
    return identity(made[0] if isinstance(made, tuple) else made, name)


@recorded
def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
) -> Tensor:
    """The cross entropy of each row; labels are distributions."""
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    rows = _op["log_softmax"](logits, axis=dim) * labels
    return identity(-rows.sum(axis=dim), name)


softmax_cross_entropy_with_logits_v2 = softmax_cross_entropy_with_logits


@recorded
def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Tensor:
    """The cross entropy of each row; labels are classes."""
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    hot = _op["one_hot"](labels, depth=logits.shape[-1], dtype=logits.dtype)
    rows = _op["log_softmax"](logits, axis=-1) * hot
    return identity(-rows.sum(axis=-1), name)


@recorded
def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Tensor:
    """The cross entropy of each element."""
    x, z = convert_to_tensor(logits), convert_to_tensor(labels)
    return identity(_op["softplus"](x) - x * z, name)


@recorded
def moments(x: Any, axes: Any, name: str | None = None, keep_dims: bool = False) -> Any:
    """The mean and the variance over these axes."""
    x = convert_to_tensor(x)
    mean = _op["mean"](x, axes=list(axes), keep_dims=True)
    away = _op["squared_difference"](x, mean)
    variance = _op["mean"](away, axes=list(axes), keep_dims=keep_dims)
    if not keep_dims:
        mean = _op["squeeze"](mean, axes=list(axes))
    return mean, variance


def embedding_lookup(
    params: Any, ids: Any, name: str | None = None, **_: Any
) -> Tensor:
    """The rows of params at ids."""
    rows: Tensor = gather(params, ids, name)
    return rows


@recorded
def top_k(input: Any, k: int = 1, sorted: bool = True, name: str | None = None) -> Any:
    """The k largest along the last axis, and where they are, as int32."""
    from ..._core import int32

    values, where = named(
        "top_k", convert_to_tensor(input), k=k, sorted=sorted, name=name
    )
    return values, cast(where, int32)
