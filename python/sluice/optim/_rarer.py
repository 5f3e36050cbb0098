"""Optimizers that are used less often, with PyTorch's arguments and defaults.

``foreach`` and ``capturable`` change nothing here, as in ``_optimizers``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from .. import _core
from ._optimizer import Optimizer
from ._optimizers import BETAS

__all__ = ["ASGD", "Adamax", "NAdam", "RAdam", "Rprop"]


class NAdam(Optimizer):
    """Adam that looks ahead, as Nesterov's momentum does.

    The share of the mean grows from step to step up to the first of ``betas``,
    the faster the larger ``momentum_decay`` is. ``decoupled_weight_decay``:
    parameters shrink by ``lr * weight_decay`` beside the step.
    """

    _class = _core.NAdam
    _parts = BETAS

    def __init__(
        self,
        params: Any = None,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, self._given(locals()))


class RAdam(Optimizer):
    """Adam that steps along the mean of gradients alone until there are enough
    squares of them to divide by."""

    _class = _core.RAdam
    _parts = BETAS

    def __init__(
        self,
        params: Any = None,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, self._given(locals()))


class Adamax(Optimizer):
    """Adam with the largest gradient, which fades, in place of the root of the
    mean square."""

    _class = _core.Adamax
    _parts = BETAS

    def __init__(
        self,
        params: Any = None,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, self._given(locals()))


class Rprop(Optimizer):
    """Steps by the signs of gradients alone; ``etas`` are the factors by which
    they get shorter where a sign turns and longer where it stays, ``step_sizes``
    the shortest and the longest. ``lr`` is the length of the first."""

    _class = _core.Rprop
    _parts: ClassVar[dict[str, tuple[str, ...]]] = {
        "etas": ("eta_minus", "eta_plus"),
        "step_sizes": ("step_min", "step_max"),
    }

    def __init__(
        self,
        params: Any = None,
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, self._given(locals()))


class ASGD(Optimizer):
    """Gradient descent with a rate that falls, ``lr / (1 + lambd lr t)**alpha``.

    Parameters shrink by ``lambd`` of the rate. Their mean since step ``t0`` is
    ``ax`` in the state.
    """

    _class = _core.ASGD

    def __init__(
        self,
        params: Any = None,
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, self._given(locals()))
