"""Losses over many classes: with the last layer inside, and by clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import _core, _ops
from .._array.layers import log_softmax
from .._array.pick import take_along_dim
from .._array.shape import as_tensor, concat, expand_dims
from .._core import Tensor
from . import functional as F
from ._containers import ModuleList, Sequential
from ._linear import Linear
from ._loss_layers import _WeightedLoss
from ._module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss", "LinearCrossEntropyLoss"]


class LinearCrossEntropyLoss(_WeightedLoss):
    """CrossEntropyLoss of a linear layer's logits; `linear` is the layer."""

    def __init__(
        self, in_features: int, num_classes: int, *, out_features: tuple[int, ...] = (),
        bias: bool = False, device: Any = None, dtype: Any = None,
        reduction: str = "mean", weight: Any = None, ignore_index: int | None = None,
        label_smoothing: float = 0.0, options: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(weight, reduction=reduction)
        if options is not None:
            raise NotImplementedError(
                "LinearCrossEntropyLoss: options say how logits are cut into chunks; "
                "wanted None"
            )
        if not 0 <= label_smoothing <= 1:
            raise ValueError(f"label_smoothing is {label_smoothing}; wanted 0 to 1")
        self.in_features, self.num_classes = in_features, num_classes
        self.out_features = tuple(out_features)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        count = num_classes
        for n in self.out_features:
            count *= n
        self.linear = Linear(in_features, count, bias, device, dtype)

    def forward(self, input: Any, target: Any) -> Tensor:
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input, self.linear.weight.reshape(*shape, self.in_features), target,
            linear_bias=None if bias is None else bias.reshape(*shape),
            weight=self.weight, reduction=self.reduction,
            ignore_index=self.ignore_index, label_smoothing=self.label_smoothing,
        )  # fmt: skip


class _Result(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """A softmax over classes sorted by how frequent they are.

    The first cutoffs[0] have logits of their own; the others are clusters, smaller and
    smaller layers behind one logit each. forward(input, target) gives the logarithm
    of each target's chance, and minus its mean.
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int],
        div_value: float = 4.0, head_bias: bool = False, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        cutoffs = [int(c) for c in cutoffs]
        grows = all(a < b for a, b in zip([0, *cutoffs], cutoffs))
        if not cutoffs or not grows or cutoffs[-1] > n_classes - 1:
            raise ValueError(
                f"cutoffs is {cutoffs}; wanted numbers that grow, from 1 to "
                f"{n_classes - 1}"
            )
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(zip(self.cutoffs, self.cutoffs[1:])):
            inner = int(in_features // div_value ** (i + 1))
            self.tail.append(Sequential(
                Linear(in_features, inner, False, device, dtype),
                Linear(inner, high - low, False, device, dtype),
            ))  # fmt: skip

    def reset_parameters(self) -> None:
        """Draws all parameters again."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def log_prob(self, input: Any) -> Tensor:
        """The logarithms of the chances of all classes: [N, n_classes]."""
        x = as_tensor(input)
        head = log_softmax(self.head(x), -1)
        parts = [head[:, : self.shortlist_size]]
        for i, layer in enumerate(self.tail):
            at = self.shortlist_size + i
            parts.append(log_softmax(layer(x), -1) + head[:, at : at + 1])
        return concat(parts, axis=1)

    def predict(self, input: Any) -> Tensor:
        """The likeliest class of each row."""
        return self.log_prob(input).argmax(1)

    def forward(self, input_: Any, target_: Any) -> _Result:
        x, classes = as_tensor(input_), as_tensor(target_)
        single = x.ndim == 1
        if single:
            x, classes = expand_dims(x, 0), expand_dims(classes, 0)
        if not classes.symbolic and 0 not in classes.shape:
            low, high = int(_ops.min(classes)), int(_ops.max(classes))
            if low < 0 or high >= self.n_classes:
                raise IndexError(
                    f"target has classes from {low} to {high}; wanted 0 to "
                    f"{self.n_classes - 1}"
                )
        places = expand_dims(_ops.cast(classes, _core.int64), 1)
        made = take_along_dim(self.log_prob(x), places, 1)[:, 0]
        loss = -_ops.mean(made)
        return _Result(made[0] if single else made, loss)
