"""Losses by margins and likelihoods.

reduction: mean, sum, or none (one number per element or sample).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core
from ..._array.axes import flag, flags
from ..._array.shape import as_tensor, expand_dims
from ..._core import Tensor
from ._layers import pairwise_distance
from ._losses import _reduction, want_class_weights

__all__ = [
    "gaussian_nll_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "poisson_nll_loss",
    "soft_margin_loss",
    "triplet_margin_with_distance_loss",
]


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
    return _core.nn_soft_margin_loss(x, y, reduction)


def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, size_average: Any = None,
    reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The mean over classes (last axis) of the cross-entropy of each by itself."""
    reduction = _reduction(size_average, reduce, reduction)
    return _core.nn_multilabel_soft_margin_loss(input, target, weight, reduction)


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
    want_class_weights(weight, x, "multi_margin_loss")
    return _core.nn_multi_margin_loss(x, y, p, margin, weight, reduction)


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
    return _core.nn_multilabel_margin_loss(x, y, reduction)


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
    return _core.nn_poisson_nll_loss(input, target, log_input, full, eps, reduction)


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
    return _core.nn_gaussian_nll_loss(x, y, v, flag(full, "full"), eps, reduction)


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
    near = apart(anchor, positive)
    return _core.nn_margin_of_distances_loss(near, far, margin, reduction)
