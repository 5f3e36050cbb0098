"""Losses. reduction: mean, sum, or none (one number per element or row)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core
from ..._array.axes import flag
from ..._array.shape import as_tensor, may_be
from ..._core import Tensor

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cross_entropy",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "margin_ranking_loss",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
    "triplet_margin_loss",
]

_op: Callable[[str], Callable[..., Tensor]] = _core.op_function
_mse, _l1 = _op("MseLoss"), _op("L1Loss")
_smooth_l1, _huber = _op("SmoothL1Loss"), _op("HuberLoss")


def _reduction(size_average: Any, reduce: Any, reduction: str) -> str:
    """As one word, also from the two flags PyTorch has for it from before."""
    if size_average is None and reduce is None:
        return reduction
    # mse_loss(x, y, "sum") is no flag: it would be the mean.
    whole = reduce is None or flag(reduce, "reduce")
    mean = size_average is None or flag(size_average, "size_average")
    return "none" if not whole else "mean" if mean else "sum"


def reduced(loss: Tensor, reduction: str, what: str) -> Tensor:
    """All elements as one number, or as they are."""
    if reduction == "none":
        return loss
    if reduction not in ("mean", "sum"):
        raise ValueError(
            f"{what}(): reduction is {reduction!r}; wanted mean, sum or none"
        )
    return loss.mean() if reduction == "mean" else loss.sum()


def want_class_weights(weight: Any, input: Any, what: str) -> None:
    """Of another size some classes would have no weight, or another's."""
    if weight is None:
        return
    w, x = as_tensor(weight), as_tensor(input)
    classes = x.shape[1 if x.ndim > 1 else 0] if x.ndim > 0 else None
    if w.ndim != 1 or not (classes is None or may_be(w.shape[0], classes)):
        raise ValueError(
            f"{what}(): weight is {list(w.shape)}; wanted one number for each of "
            f"{classes} classes"
        )


def _want_element_weights(weight: Any, input: Any, name: str, what: str) -> None:
    """A larger one would make a larger loss: of elements that are not there."""
    if weight is None:
        return
    w, x = as_tensor(weight), as_tensor(input)
    sizes = zip(w.shape[::-1], x.shape[::-1])
    fits = w.ndim <= x.ndim and all(
        m is None or may_be(n, m) or may_be(n, 1) for n, m in sizes
    )
    if not fits:
        raise ValueError(
            f"{what}(): {name} is {list(w.shape)}, input {list(x.shape)}; wanted one "
            "that broadcasts to the input"
        )


def mse_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The square of the difference."""
    reduction = _reduction(size_average, reduce, reduction)
    return _mse(input, target, reduction)


def l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The absolute difference."""
    reduction = _reduction(size_average, reduce, reduction)
    return _l1(input, target, reduction)


def smooth_l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """The square of small differences (below beta), the absolute of others."""
    reduction = _reduction(size_average, reduce, reduction)
    if beta == 0:
        return _l1(input, target, reduction)
    return _smooth_l1(input, target, beta, reduction)


def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    """The square of small differences (below delta), delta times the others."""
    return _huber(input, target, delta, reduction)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Of the softmax of logits [N, C, ...], given classes [N, ...] or
    probabilities [N, C, ...]."""
    reduction = _reduction(size_average, reduce, reduction)
    want_class_weights(weight, input, "cross_entropy")
    if ignore_index >= 0 and as_tensor(target).dtype.is_floating_point:
        raise ValueError(
            f"cross_entropy(): ignore_index is {ignore_index} and target floats; "
            "wanted a target of classes"
        )
    return _core.nn_cross_entropy(
        input, target, weight, ignore_index, reduction, label_smoothing
    )


def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the logarithm of a probability, input [N, C, ...], at its class."""
    reduction = _reduction(size_average, reduce, reduction)
    want_class_weights(weight, input, "nll_loss")
    return _core.nn_nll_loss(input, target, weight, ignore_index, reduction)


def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None,
    reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Of probabilities; the target is 0 or 1, or a probability itself."""
    reduction = _reduction(size_average, reduce, reduction)
    _want_element_weights(weight, input, "weight", "binary_cross_entropy")
    return _core.nn_bce(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Tensor:
    """Of the sigmoid of the input; the target is 0 or 1, or a probability."""
    reduction = _reduction(size_average, reduce, reduction)
    what = "binary_cross_entropy_with_logits"
    _want_element_weights(weight, input, "weight", what)
    _want_element_weights(pos_weight, input, "pos_weight", what)
    return _core.nn_bce_with_logits(input, target, weight, pos_weight, reduction)


def kl_div(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """The divergence of target from the distribution whose logarithm is input.

    reduction may also be batchmean: the sum divided by the size of the batch.
    """
    reduction = _reduction(size_average, reduce, reduction)
    return _core.nn_kl_div(input, target, reduction, log_target)


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0,
    size_average: Any = None, reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, margin - target (input1 - input2)), for targets of 1 and -1."""
    reduction = _reduction(size_average, reduce, reduction)
    return _core.nn_margin_ranking_loss(input1, input2, target, margin, reduction)


def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0,
    size_average: Any = None, reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """1 - cos for targets of 1, max(0, cos - margin) for -1."""
    reduction = _reduction(size_average, reduce, reduction)
    return _core.nn_cosine_embedding_loss(input1, input2, target, margin, reduction)


def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, size_average: Any = None,
    reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The input for targets of 1, max(0, margin - input) for -1."""
    reduction = _reduction(size_average, reduce, reduction)
    return _core.nn_hinge_embedding_loss(input, target, margin, reduction)


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, |anchor - positive| - |anchor - negative| + margin), last axis."""
    reduction = _reduction(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(
            f"triplet_margin_loss(): margin is {margin}; wanted it positive"
        )
    return _core.nn_triplet_margin_loss(
        anchor, positive, negative, margin, p, eps, flag(swap, "swap"), reduction
    )
