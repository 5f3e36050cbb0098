"""The optimizers, with PyTorch's arguments and defaults.

All take ``params``: an iterable of tensors, of (name, tensor) pairs or of dicts
of groups; None in a graph. ``foreach``, ``fused`` and ``capturable`` choose
between ways to compute the same numbers in PyTorch; here there is one way, and
they change nothing.
"""

from __future__ import annotations

from typing import Any

from .. import _core
from ._optimizer import Closure, Optimizer

__all__ = [
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Lion",
    "RMSprop",
]


def _check(what: str, differentiable: bool) -> None:
    if differentiable:
        raise NotImplementedError(
            f"{what}: differentiable=True; write the update with ops instead"
        )


class TwoBetas(Optimizer):
    """Optimizers whose two shares are one option here and two in C++."""

    def _to_core(self, options: dict[str, Any]) -> dict[str, Any]:
        options = dict(options)
        betas = options.pop("betas")
        try:
            beta1, beta2 = betas
        except (TypeError, ValueError):
            raise ValueError(f"betas is {betas!r}; wanted a pair of numbers") from None
        return {**options, "beta1": beta1, "beta2": beta2}


class SGD(Optimizer):
    """Gradient descent, with momentum if wanted.

    ``b = momentum b + (1 - dampening) g``, ``p = p - lr b``; with ``nesterov``
    ``p = p - lr (g + momentum b)``; g is the gradient plus weight_decay p.
    """

    _class = _core.SGD

    def __init__(
        self,
        params: Any = None,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _check("SGD", differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
            },
        )


class Adam(TwoBetas):
    """Running means of gradients and of their squares; with ``amsgrad`` the
    largest of the latter so far. Weight decay is part of the gradient."""

    _class = _core.Adam

    def __init__(
        self,
        params: Any = None,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _check("Adam", differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )


class AdamW(TwoBetas):
    """Adam that shrinks parameters by ``lr * weight_decay`` beside the step."""

    _class = _core.AdamW

    def __init__(
        self,
        params: Any = None,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _check("AdamW", differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )


class Adagrad(Optimizer):
    """Smaller steps where gradients were large."""

    _class = _core.Adagrad

    def __init__(
        self,
        params: Any = None,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _check("Adagrad", differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "eps": eps,
                "maximize": maximize,
            },
        )


class Adadelta(Optimizer):
    """Steps as long as the steps before, in parts of gradients."""

    _class = _core.Adadelta

    def __init__(
        self,
        params: Any = None,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check("Adadelta", differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )


class RMSprop(Optimizer):
    """Gradients in parts of their running root mean square."""

    _class = _core.RMSprop

    def __init__(
        self,
        params: Any = None,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check("RMSprop", differentiable)
        super().__init__(
            params,
            {
                "lr": lr,
                "alpha": alpha,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "centered": centered,
                "maximize": maximize,
            },
        )


class Adafactor(Optimizer):
    """Like Adam, with the mean squares of rows and columns in place of one for
    each element. ``eps[0]`` None: the distance of 1 to the next number."""

    _class = _core.Adafactor

    def __init__(
        self,
        params: Any = None,
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "beta2_decay": beta2_decay,
                "eps": eps,
                "d": d,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )

    def _to_core(self, options: dict[str, Any]) -> dict[str, Any]:
        options = dict(options)
        eps = options.pop("eps")
        try:
            eps1, eps2 = eps
        except (TypeError, ValueError):
            raise ValueError(f"eps is {eps!r}; wanted a pair of numbers") from None
        return {**options, "eps1": 0.0 if eps1 is None else eps1, "eps2": eps2}


class Lion(TwoBetas):
    """Steps of one size, in the direction of a running mean."""

    _class = _core.Lion

    def __init__(
        self,
        params: Any = None,
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )


class LBFGS(Optimizer):
    """Newton's method with a Hessian guessed from changes of the gradient.

    ``step(closure)`` calls the closure several times; each time it clears the
    gradients, computes the loss, calls backward and returns the loss. Neither
    for graphs nor for captured functions.
    """

    _class = _core.LBFGS

    def __init__(
        self,
        params: Any,
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        if line_search_fn not in (None, "strong_wolfe"):
            raise ValueError(
                f"line_search_fn is {line_search_fn!r}; wanted None or "
                "'strong_wolfe'"
            )
        if params is None:
            raise ValueError("LBFGS: no parameters; it is not for graphs")
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_eval,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )
        if len(self.param_groups) != 1:
            raise ValueError(
                f"LBFGS: {len(self.param_groups)} groups; wanted one"
            )

    def _to_core(self, options: dict[str, Any]) -> dict[str, Any]:
        options = dict(options)
        wolfe = options.pop("line_search_fn") is not None
        calls = options.pop("max_eval")
        return {
            **options,
            "max_eval": 0 if calls is None else calls,
            "strong_wolfe": wolfe,
        }

    def step(self, closure: Closure | None = None) -> Any:
        """Several updates; returns the loss before them."""
        if closure is None:
            raise TypeError("LBFGS: step() without a closure")
        return self._core.step(closure)
