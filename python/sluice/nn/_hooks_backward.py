"""Hooks that see gradients go through a module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from .._flat import called
from ._hooks import HookTable

_identity: Callable[..., Tensor] = _core.op_function("Identity")


def _tracked(value: Any) -> bool:
    return isinstance(value, Tensor) and bool(value._tracked)


class BackwardCall:
    """One call of a module that has backward hooks.

    Inputs and results go through an identity op each, whose gradients are those
    of this call alone.
    """

    def __init__(self, module: Any, pre_hooks: HookTable, hooks: HookTable) -> None:
        self._module, self._pre_hooks, self._hooks = module, pre_hooks, hooks
        self._outputs: list[Tensor | None] = []
        self._inputs: list[Tensor | None] = []
        self._missing_inputs = self._missing_outputs = 0
        self._watches_inputs = False

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with gradients that are seen."""
        self._inputs = [None] * len(args)
        return tuple(
            self._watched_input(i, arg) if _tracked(arg) else arg
            for i, arg in enumerate(args)
        )

    def _watched_input(self, i: int, arg: Tensor) -> Tensor:
        self._missing_inputs += 1
        self._watches_inputs = True
        seen: Tensor = _identity(arg)

        def arrived(grad: Tensor) -> Tensor | None:
            self._inputs[i] = grad
            self._missing_inputs -= 1
            if self._missing_inputs > 0:
                return None
            changed = self._call_hooks()
            return changed[i] if changed is not None else None

        seen.register_hook(arrived)
        return seen

    def watch_result(self, result: Any) -> Any:
        """The result, with gradients that are seen."""
        results = result if isinstance(result, (tuple, list)) else (result,)
        self._outputs = [None] * len(results)
        seen = [
            self._watched_output(i, r) if _tracked(r) else r
            for i, r in enumerate(results)
        ]
        if isinstance(result, (tuple, list)):
            return type(result)(seen) if type(result) in (tuple, list) else tuple(seen)
        return seen[0]

    def _watched_output(self, i: int, result: Tensor) -> Tensor:
        self._missing_outputs += 1
        seen: Tensor = _identity(result)

        def arrived(grad: Tensor) -> Tensor | None:
            self._outputs[i] = grad
            changed = None
            for hook, _ in tuple(self._pre_hooks.values()):
                other = called(hook)(self._module, tuple(self._outputs))
                if other is not None:
                    changed = other if isinstance(other, tuple) else (other,)
                    self._outputs = list(changed)
            self._missing_outputs -= 1
            # Without watched inputs, hooks are called here.
            if self._missing_outputs == 0 and not self._watches_inputs:
                self._call_hooks()
            return changed[i] if changed is not None else None

        seen.register_hook(arrived)
        return seen

    def _call_hooks(self) -> tuple[Any, ...] | None:
        changed = None
        for hook, _ in tuple(self._hooks.values()):
            grads = tuple(self._inputs), tuple(self._outputs)
            other = called(hook)(self._module, *grads)
            if other is not None:
                changed = other if isinstance(other, tuple) else (other,)
                self._inputs = list(changed)
        return changed
