"""The optimizers, with PyTorch's arguments and defaults.

All take ``params``: an iterable of tensors, of (name, tensor) pairs or of dicts
of groups; None in a graph. ``foreach``, ``fused`` and ``capturable`` choose
between ways to compute the same numbers in PyTorch; here there is one way, and
they change nothing.
"""

from __future__ import annotations

from typing import Any, ClassVar

from .. import _core
from .._array.axes import whole
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


BETAS = {"betas": ("beta1", "beta2")}


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
        super().__init__(params, self._given(locals()))


class Adam(Optimizer):
    """Running means of gradients and of their squares; with ``amsgrad`` the
    largest of the latter so far. Weight decay is part of the gradient."""

    _class = _core.Adam
    _parts = BETAS

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
        super().__init__(params, self._given(locals()))


class AdamW(Optimizer):
    """Adam that shrinks parameters by ``lr * weight_decay`` beside the step."""

    _class = _core.AdamW
    _parts = BETAS

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
        super().__init__(params, self._given(locals()))


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
        super().__init__(params, self._given(locals()))


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
        super().__init__(params, self._given(locals()))


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
        super().__init__(params, self._given(locals()))


class Adafactor(Optimizer):
    """Like Adam, with the mean squares of rows and columns in place of one for
    each element. ``eps[0]`` None: the distance of 1 to the next number."""

    _class = _core.Adafactor
    _parts: ClassVar[dict[str, tuple[str, ...]]] = {"eps": ("eps1", "eps2")}

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
        super().__init__(params, self._given(locals()))

    def _to_core(self, options: dict[str, Any]) -> dict[str, Any]:
        read = super()._to_core(options)
        if not read["d"] >= 1:
            raise ValueError(f"Adafactor: d is {read['d']}; wanted 1 or more")
        return {**read, "eps1": 0.0 if read["eps1"] is None else read["eps1"]}


class Lion(Optimizer):
    """Steps of one size, in the direction of a running mean."""

    _class = _core.Lion
    _parts = BETAS

    def __init__(
        self,
        params: Any = None,
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, self._given(locals()))


class LBFGS(Optimizer):
    """Newton's method with a Hessian guessed from changes of the gradient.

    ``step(closure)`` calls the closure several times; each time it clears the
    gradients, computes the loss, calls backward and returns the loss. Neither
    for graphs nor for captured functions.
    """

    _class = _core.LBFGS
    _parts: ClassVar[dict[str, tuple[str, ...]]] = {
        "line_search_fn": ("strong_wolfe",)
    }

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
        super().__init__(params, self._given(locals()))
        if len(self.param_groups) != 1:
            raise ValueError(
                f"LBFGS: {len(self.param_groups)} groups; wanted one"
            )

    def _to_core(self, options: dict[str, Any]) -> dict[str, Any]:
        read = dict(options)
        read["strong_wolfe"] = read.pop("line_search_fn") is not None
        # One step is made however few calls are allowed; 0 has the core choose.
        most = read["max_eval"]
        if most is None:
            most = 0 if read["max_iter"] != 1 else 2
        elif whole(most, "LBFGS: max_eval") in (0, 1):
            most = 2
        return {**read, "max_eval": most}

    def step(self, closure: Closure | None = None) -> Any:
        """Several updates; returns the loss before them."""
        if closure is None:
            raise TypeError("LBFGS: step() without a closure")
        return self._core.step(closure)
