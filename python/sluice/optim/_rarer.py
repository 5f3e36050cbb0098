"""Optimizers that are used less often, with PyTorch's arguments and defaults.

``foreach`` and ``capturable`` change nothing here, as in ``_optimizers``.
"""

from __future__ import annotations

from typing import Any

from .. import _core
from ._optimizer import Optimizer
from ._optimizers import TwoBetas, _check

__all__ = ["ASGD", "Adamax", "NAdam", "RAdam", "Rprop"]


class NAdam(TwoBetas):
    """Adam that looks ahead, as Nesterov's momentum does.

    The share of the mean grows from step to step up to the first of ``betas``,
    the faster the larger ``momentum_decay`` is. ``decoupled_weight_decay``:
    parameters shrink by ``lr * weight_decay`` beside the step.
    """

    _class = _core.NAdam

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
        _check("NAdam", differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum_decay": momentum_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                "maximize": maximize,
            },
        )


class RAdam(TwoBetas):
    """Adam that steps along the mean of gradients alone until there are enough
    squares of them to divide by."""

    _class = _core.RAdam

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
        _check("RAdam", differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                "maximize": maximize,
            },
        )


class Adamax(TwoBetas):
    """Adam with the largest gradient, which fades, in place of the root of the
    mean square."""

    _class = _core.Adamax

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
        _check("Adamax", differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )


def _pair(options: dict[str, Any], key: str) -> tuple[Any, Any]:
    given = options.pop(key)
    try:
        first, second = given
    except (TypeError, ValueError):
        raise ValueError(f"{key} is {given!r}; wanted a pair of numbers") from None
    return first, second


class Rprop(Optimizer):
    """Steps by the signs of gradients alone; ``etas`` are the factors by which
    they get shorter where a sign turns and longer where it stays, ``step_sizes``
    the shortest and the longest. ``lr`` is the length of the first."""

    _class = _core.Rprop

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
        _check("Rprop", differentiable)
        super().__init__(
            params,
            {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize},
        )

    def _to_core(self, options: dict[str, Any]) -> dict[str, Any]:
        options = dict(options)
        minus, plus = _pair(options, "etas")
        low, high = _pair(options, "step_sizes")
        limits = {"step_min": low, "step_max": high}
        return {**options, "eta_minus": minus, "eta_plus": plus, **limits}


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
        _check("ASGD", differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )
