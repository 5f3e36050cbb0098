"""Losses by margins and likelihoods, made of other functions.

reduction: mean, sum, or none (one number per element or sample).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ... import _core
from ..._array.axes import flag, flags
from ..._array.math import clip
from ..._array.pick import gather
from ..._array.shape import as_tensor, expand_dims
from ..._core import Tensor
from ._activations import logsigmoid, relu, softplus
from ._layers import one_hot, pairwise_distance
from ._losses import _reduction, reduced, want_class_weights

__all__ = [
    "gaussian_nll_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "poisson_nll_loss",
    "soft_margin_loss",
    "triplet_margin_with_distance_loss",
]

_where = _core.op_function("Select")


def _want_same_shape(a: Tensor, b: Tensor, what: str) -> None:
    if a.shape != b.shape:
        raise ValueError(
            f"{what}(): input is {list(a.shape)}, target {list(b.shape)}; wanted "
            "one shape"
        )


def soft_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """log(1 + exp(-target input)), for targets of 1 and -1."""
    reduction = _reduction(size_average, reduce, reduction)
    x, y = as_tensor(input), as_tensor(target)
    _want_same_shape(x, y, "soft_margin_loss")
    return reduced(softplus(-y * x), reduction, "soft_margin_loss")


def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, size_average: Any = None,
    reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The mean over classes (last axis) of the cross-entropy of each by itself."""
    reduction = _reduction(size_average, reduce, reduction)
    x, y = as_tensor(input), as_tensor(target)
    each = -(y * logsigmoid(x) + (1 - y) * logsigmoid(-x))
    if weight is not None:
        each = each * weight
    return reduced(each.mean(-1), reduction, "multilabel_soft_margin_loss")


def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None,
    size_average: Any = None, reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """By how much other classes come within a margin of the right one, to the p."""
    reduction = _reduction(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError(f"multi_margin_loss(): p is {p}; wanted 1 or 2")
    if margin != margin:
        raise ValueError("multi_margin_loss(): margin is nan; wanted a number")
    x, y = as_tensor(input), as_tensor(target)
    if x.ndim not in (1, 2) or y.ndim > x.ndim:
        raise ValueError(
            f"multi_margin_loss(): input is {list(x.shape)}; wanted [batch, classes] "
            "or [classes]"
        )
    if x.ndim == 1:
        x, y = expand_dims(x, 0), y.reshape(1)
    right = gather(x, 1, expand_dims(y, 1))
    want_class_weights(weight, x, "multi_margin_loss")
    over = relu(margin - right + x) ** p
    if weight is not None:
        over = over * expand_dims(as_tensor(weight)[y], 1)
    others = 1 - one_hot(y, x.shape[1]).to(x.dtype)
    each = (over * others).mean(1)
    if reduction == "none" and as_tensor(target).ndim == 0:
        each = each.reshape(())
    return reduced(each, reduction, "multi_margin_loss")


def multilabel_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """By how much classes that are not named come within 1 of those that are.

    target: rows of class numbers, up to the first -1.
    """
    reduction = _reduction(size_average, reduce, reduction)
    x, y = as_tensor(input), as_tensor(target)
    _want_same_shape(x, y, "multilabel_margin_loss")
    single = x.ndim == 1
    if single:
        x, y = expand_dims(x, 0), expand_dims(y, 0)
    named = (y < 0).to(_core.int64).cumsum(1) == 0
    places = _where(named, y, as_tensor(0))
    is_target = one_hot(places, x.shape[1]) * expand_dims(named.to(_core.int64), 2)
    others = 1 - clip(is_target.sum(1), max=1).to(x.dtype)
    right = expand_dims(gather(x, 1, places), 2)
    over = relu(1 - (right - expand_dims(x, 1)))
    over = over * expand_dims(others, 1) * expand_dims(named.to(x.dtype), 2)
    each = over.sum((1, 2)) / x.shape[1]
    if reduction == "none" and single:
        each = each.reshape(())
    return reduced(each, reduction, "multilabel_margin_loss")


def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, full: bool = False,
    size_average: Any = None, eps: float = 1e-8, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log-likelihood of counts; full: with log(target!)."""
    reduction = _reduction(size_average, reduce, reduction)
    flags(log_input=log_input, full=full)
    if not isinstance(eps, (int, float, Tensor)):
        raise TypeError(
            f"poisson_nll_loss(): eps is a {type(eps).__name__}; wanted a number"
        )
    x, y = as_tensor(input), as_tensor(target)
    each = x.exp() - y * x if log_input else x - y * (x + eps).log()
    if full:
        # Stirling's formula, for counts above 1.
        large = y > 1
        safe = _where(large, y, as_tensor(2).to(y.dtype))
        more = safe * safe.log() - safe + 0.5 * (2 * math.pi * safe).log()
        each = each + _where(large, more, as_tensor(0).to(more.dtype))
    return reduced(each, reduction, "poisson_nll_loss")


def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log-likelihood of normal numbers of a mean and a variance.

    Variances below eps count as eps, with the gradient they would have had.
    """
    x, y, v = as_tensor(input), as_tensor(target), as_tensor(var)
    if v.ndim == x.ndim - 1 and v.ndim > 0 and v.shape == x.shape[:-1]:
        v = expand_dims(v, -1)
    elif v.ndim not in (0, x.ndim):
        raise ValueError(
            f"gaussian_nll_loss(): var is {list(v.shape)}, input {list(x.shape)}; "
            "wanted one number per element, per row, or one"
        )
    if not v.symbolic and bool((v < 0).any()):
        raise ValueError("gaussian_nll_loss(): var has a negative number")
    if v.symbolic:
        _core.op_function("Assert")(
            v >= 0, message="gaussian_nll_loss(): var has a negative number"
        )
    v = v + (clip(v, min=eps) - v).detach()
    each = 0.5 * (v.log() + (x - y) ** 2 / v)
    if flag(full, "full"):
        each = each + 0.5 * math.log(2 * math.pi)
    return reduced(each, reduction, "gaussian_nll_loss")


def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *,
    distance_function: Callable[..., Any] | None = None, margin: float = 1.0,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, distance to the positive - distance to the negative + margin).

    distance_function: by default pairwise_distance. swap: the negative's distance is
    the smaller of those to the anchor and to the positive.
    """
    what = "triplet_margin_with_distance_loss"
    if margin <= 0:
        raise ValueError(f"{what}(): margin is {margin}; wanted it positive")
    apart = pairwise_distance if distance_function is None else distance_function
    far = apart(anchor, negative)
    if flag(swap, "swap"):
        far = _core.op_function("Minimum")(far, apart(positive, negative))
    return reduced(relu(apart(anchor, positive) - far + margin), reduction, what)
