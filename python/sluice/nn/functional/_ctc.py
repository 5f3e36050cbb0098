"""The loss of sequences whose labels are in order, at times not known (CTC)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core
from ..._array.axes import flag, whole
from ..._array.create import arange
from ..._array.device import beside
from ..._array.math import clip
from ..._array.pick import gather
from ..._array.shape import as_tensor, concat, expand_dims, stack
from ..._core import Tensor
from .._value_checks import want_all
from ._layers import pad
from ._losses import reduced

__all__ = ["ctc_loss"]

Op = Callable[..., Tensor]
_broadcast: Op = _core.op_function("BroadcastTo")
_where: Op = _core.op_function("Select")
_minimum: Op = _core.op_function("Minimum")
# The logarithm of 0, finite so that differences of it are 0.
_NEVER = -1e30


def _in_rows(targets: Tensor, lengths: Tensor) -> Tensor:
    """Labels one after the other as a row for each sample."""
    total = targets.shape[0]
    most = total if lengths.symbolic else int(lengths.max()) if total else 0
    begin = expand_dims(lengths.cumsum(0) - lengths, 1)
    places = _minimum(begin + expand_dims(arange(most), 0), as_tensor(total - 1))
    return targets[places] if most else targets.reshape(lengths.shape[0], 0)


def _with_blanks(labels: Tensor, blank: int) -> Tensor:
    """[N, S] as [N, 2 S + 1]: a blank before, between and behind labels."""
    blanks = labels * 0 + blank
    pairs = stack([blanks, labels], 2).reshape(labels.shape[0], -1)
    ends = _broadcast(beside(labels, as_tensor(blank)), (labels.shape[0], 1))
    return concat([pairs, ends.to(labels.dtype)], 1)


def _log_sum(parts: list[Tensor]) -> Tensor:
    return stack(parts).logsumexp(0)


def _losses(
    log_probs: Tensor, labels: Tensor, steps: Tensor, lengths: Tensor, blank: int
) -> Tensor:
    """-log of the probability of all ways to read each sample's labels."""
    around = _with_blanks(labels, blank)
    batch, wide = around.shape[0], around.shape[1]
    count = int(log_probs.shape[0])
    index = _broadcast(expand_dims(around, 0), (count, batch, wide))
    seen = gather(clip(log_probs, min=_NEVER), 2, index)
    never = beside(seen, as_tensor(_NEVER)).to(seen.dtype)
    place = beside(seen, arange(wide))
    # A path may skip a blank if the labels around it differ.
    before = pad(around, [2, 0], value=blank)[:, :wide]
    skips = (around != before) & (place >= 2)
    first = (place < 2) & (place <= 2 * expand_dims(lengths, 1))
    alpha = _where(first, seen[0], never)
    for t in range(1, count):
        one = pad(alpha, [1, 0], value=_NEVER)[:, :wide]
        two = _where(skips, pad(alpha, [2, 0], value=_NEVER)[:, :wide], never)
        moved = _log_sum([alpha, one, two]) + seen[t]
        alpha = _where(expand_dims(steps > t, 1), moved, alpha)
    last = expand_dims(2 * lengths, 1)
    end = gather(alpha, 1, last)
    none = expand_dims(lengths == 0, 1)
    other = _where(none, never, gather(alpha, 1, clip(last - 1, min=0)))
    loss = -_log_sum([end, other]).squeeze(1)
    # With no steps, the empty labelling is certain.
    empty = _where(lengths == 0, beside(loss, as_tensor(0.0)), -never)
    return _where(steps > 0, loss, empty.to(loss.dtype))


def _counts(given: Any, x: Tensor, batch: Any, name: str) -> Tensor:
    found = as_tensor(given)
    if found.dtype.is_floating_point or found.dtype in (_core.bool, _core.complex64):
        raise TypeError(
            f"ctc_loss(): {name} are {found.dtype.name}; wanted integers"
        )
    found = beside(x, found).to(_core.int64)
    if found.ndim == 0:
        found = expand_dims(found, 0)
    if found.ndim != 1 or found.shape[0] != batch:
        raise ValueError(
            f"ctc_loss(): {name} are {list(found.shape)}; wanted one for each of "
            f"{int(batch)} samples"
        )
    return found


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """-log of the probability that steps read as the labels, where a label may
    stay for several steps, and blanks may be between labels.

    log_probs: [steps, N, classes] after log_softmax, or [steps, classes]; targets:
    [N, labels], or all samples' one after the other. mean: each divided by its
    number of labels. zero_infinity: 0 for what cannot be read.
    """
    x, labels = as_tensor(log_probs), as_tensor(targets)
    if x.ndim not in (2, 3) or labels.ndim not in (1, 2):
        raise ValueError(
            f"ctc_loss(): log_probs have {x.ndim} axes, targets {labels.ndim}; wanted "
            "3 (or 2 of one sample), and 1 or 2"
        )
    single = x.ndim == 2
    x = expand_dims(x, 1) if single else x
    kind = x.dtype
    if not kind.is_floating_point:
        raise TypeError(f"ctc_loss(): log_probs are {kind.name}; wanted floats")
    blank, zeroed = whole(blank, "blank"), flag(zero_infinity, "zero_infinity")
    if not 0 <= blank < x.shape[2]:
        raise ValueError(f"ctc_loss(): blank is {blank}; wanted one of the classes")
    if kind in (_core.float16, _core.bfloat16):
        x = x.to(_core.float32)
    batch = x.shape[1]
    steps = _counts(input_lengths, x, batch, "input_lengths")
    lengths = _counts(target_lengths, x, batch, "target_lengths")
    labels = beside(x, labels).to(_core.int64)
    want_all(
        (steps >= 0) & (steps <= x.shape[0]),
        "ctc_loss(): an input length is not one of 0 to the number of steps",
    )
    want_all(lengths >= 0, "ctc_loss(): a target length is negative")
    if labels.ndim == 1:
        want_all(
            lengths.sum() == labels.shape[0],
            "ctc_loss(): target lengths do not add up to the number of labels",
        )
        labels = _in_rows(labels, lengths)
    want_all(
        lengths <= labels.shape[1], "ctc_loss(): a target length is beyond the labels"
    )
    there = beside(x, arange(labels.shape[1])) < expand_dims(lengths, 1)
    labels = _where(there, labels, beside(x, as_tensor(blank)))
    want_all(
        (labels >= 0) & (labels < x.shape[2]), "ctc_loss(): a label is no class"
    )
    loss = _losses(x, labels, steps, lengths, blank)
    lost = loss > -_NEVER / 10
    instead = 0.0 if zeroed else float("inf")
    loss = _where(lost, beside(loss, as_tensor(instead)).to(loss.dtype), loss)
    loss = loss.to(kind)
    if reduction == "mean":
        loss = loss / clip(lengths, min=1).to(kind)
    loss = loss.reshape(()) if single else loss
    return reduced(loss, reduction, "ctc_loss")
