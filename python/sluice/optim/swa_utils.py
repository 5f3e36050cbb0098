"""Means of a model's parameters over training, by PyTorch's names.

    averaged = swa_utils.AveragedModel(net)
    schedule = swa_utils.SWALR(optimizer, swa_lr=0.05)
    for epoch in range(100):
        train(net, optimizer)
        if epoch > 75:
            averaged.update_parameters(net)
            schedule.step()
    swa_utils.update_bn(loader, averaged)
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import _core, nn
from .._autograd import no_grad
from .._core import Tensor
from .._recorded import called, on_some_ways
from ..nn._batch_norm import _BatchNorm
from ._swa_rate import SWALR

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

_where = _core.op_function("Select")

Average = Callable[[Tensor, Tensor, Any], Tensor]
MultiAverage = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"decay is {decay}; wanted a number in [0, 1]")


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """``decay`` of the mean and the rest of the new value, for ``avg_fn``."""
    _check_decay(decay)

    def average(mean: Tensor, value: Tensor, num_averaged: Any) -> Tensor:
        return decay * mean + (1 - decay) * value

    return average


def get_swa_avg_fn() -> Average:
    """The mean of all values alike, for ``avg_fn``."""

    def average(mean: Tensor, value: Tensor, num_averaged: Any) -> Tensor:
        step: Tensor = (value - mean) / (num_averaged + 1)
        return mean + step

    return average


def _each(average: Average) -> MultiAverage:
    def update(means: Sequence[Tensor], values: Sequence[Tensor], n: Any) -> None:
        for mean, value in zip(means, values, strict=True):
            mean.copy_(average(mean, value, n))

    return update


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAverage:
    """``decay`` of the means and the rest of the new values, for
    ``multi_avg_fn``; it writes to the means."""
    return _each(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> MultiAverage:
    """The means of all values alike, for ``multi_avg_fn``; it writes to them."""
    return _each(get_swa_avg_fn())


class AveragedModel(nn.Module):
    """A copy of ``model`` with means of its parameters: of all that
    ``update_parameters`` was called with, or as ``avg_fn`` or ``multi_avg_fn`` say.

    ``use_buffers``: means of buffers, too; else they are those of the model last
    given. The first call copies. ``device`` is where the copy is.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: nn.Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: MultiAverage | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise ValueError("AveragedModel: avg_fn and multi_avg_fn; wanted one")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        count = _core.tensor(0, dtype=_core.int64)
        where = {} if device is None else {"device": device}
        self.register_buffer("n_averaged", count.to(**where))
        self.avg_fn, self.multi_avg_fn = avg_fn, multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def _tensors(self, module: nn.Module) -> list[Tensor]:
        parts: Iterable[Tensor] = module.parameters()
        if self.use_buffers:
            parts = itertools.chain(parts, module.buffers())
        return [t.detach() for t in parts]

    def update_parameters(self, model: nn.Module) -> None:
        """Takes the parameters of ``model`` into the means."""
        means, values = self._tensors(self.module), self._tensors(model)
        if len(means) != len(values):
            raise ValueError(
                f"AveragedModel: the model has {len(values)} tensors; wanted "
                f"{len(means)}, as the one that was copied"
            )
        values = [v.to(m.device) for m, v in zip(means, values, strict=True)]
        count = self.n_averaged.clone()
        first = _is_first(count)
        if first is None:
            # In captured code the count is unknown: both paths are recorded.
            with on_some_ways("the function of an AveragedModel"):
                self._average(means, values, count)
            for mean, value in zip(means, values, strict=True):
                mean.copy_(_where(count == 0, value.to(mean.dtype), mean))
        elif first:
            for mean, value in zip(means, values, strict=True):
                mean.copy_(value)
        else:
            self._average(means, values, count)
        if not self.use_buffers:
            for own, other in zip(self.module.buffers(), model.buffers(), strict=True):
                own.detach().copy_(other.detach())
        self.n_averaged.add_(1)

    def _average(
        self, means: list[Tensor], values: list[Tensor], count: Tensor
    ) -> None:
        update = called(self, self.multi_avg_fn)
        if update is None:
            update = _each(called(self, self.avg_fn) or get_swa_avg_fn())
        update(means, values, count)


def _is_first(count: Tensor) -> bool | None:
    """Whether nothing is averaged yet; None in a recording for both cases."""
    if _core.recorder() is None:
        return int(count) == 0
    known: bool | None = _core.decide(count == 0)
    return known


def _inputs(batch: Any, device: Any) -> Any:
    """The inputs of a batch of inputs and labels."""
    if isinstance(batch, (list, tuple)):
        batch = batch[0]
    return batch if device is None else batch.to(device)


def update_bn(loader: Iterable[Any], model: nn.Module, device: Any = None) -> None:
    """Means and variances of the batch norms of ``model`` over all of ``loader``.

    A batch is the input, or a list or tuple that begins with it. ``model`` is in
    the mode it was in afterwards.
    """
    norms = [m for m in model.modules() if isinstance(m, _BatchNorm)]
    if not norms:
        return
    momenta = [norm.momentum for norm in norms]
    training = model.training
    model.train()
    try:
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None  # the plain mean over batches
        with no_grad():
            for batch in loader:
                model(_inputs(batch, device))
    finally:
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum
        model.train(training)
