"""Functions that modules call before and after their own."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .. import _core


class RemovableHandle:
    """What registering a hook gives: `remove()` takes the hook away again."""

    _next = 0

    def __init__(self, hooks: OrderedDict[int, Any]) -> None:
        self._hooks = weakref.ref(hooks)
        self.id = RemovableHandle._next
        RemovableHandle._next += 1

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)
            _core.bump_epoch()

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: Any) -> None:
        self.remove()


class HookTable(OrderedDict):  # type: ignore[type-arg]
    """Hooks by number. Copies and pickles of a module keep theirs."""

    def add(self, hook: Callable[..., Any], **options: Any) -> RemovableHandle:
        if not callable(hook):
            raise TypeError(f"a hook is a {type(hook).__name__}; wanted a callable")
        handle = RemovableHandle(self)
        self[handle.id] = (hook, options)
        _core.bump_epoch()
        return handle


def run_pre_hooks(
    module: Any,
    hooks: HookTable,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    own: Callable[[Any], Any] | None = None,
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of forward after all hooks.

    `own` says what to call instead of a function of the user's.
    """
    for hook, options in tuple(hooks.values()):
        hook = hook if own is None else own(hook)
        if options.get("with_kwargs"):
            result = hook(module, args, kwargs)
            if result is not None:
                args, kwargs = result
            continue
        result = hook(module, args)
        if result is not None:
            args = result if isinstance(result, tuple) else (result,)
    return args, kwargs


def run_hooks(
    module: Any,
    hooks: HookTable,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    result: Any,
    own: Callable[[Any], Any] | None = None,
) -> Any:
    """The result of a call after all hooks."""
    for hook, options in tuple(hooks.values()):
        hook = hook if own is None else own(hook)
        if options.get("with_kwargs"):
            other = hook(module, args, kwargs, result)
        else:
            other = hook(module, args, result)
        if other is not None:
            result = other
    return result


class ModuleHooks:
    """Modules with hooks: a base of Module."""

    _pre_hooks: HookTable
    _hooks: HookTable
    _backward_pre_hooks: HookTable
    _backward_hooks: HookTable

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call hook(module, args) before every forward; what it returns, if
        anything, takes the arguments' place."""
        return self._pre_hooks.add(hook, with_kwargs=with_kwargs)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call hook(module, args, result) after every forward; what it returns, if
        anything, takes the result's place."""
        return self._hooks.add(hook, with_kwargs=with_kwargs)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any]
    ) -> RemovableHandle:
        """Call hook(module, grad_output) before gradients go through the module."""
        return self._backward_pre_hooks.add(hook)

    def register_full_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call hook(module, grad_input, grad_output) when the gradients of the
        module's arguments are known; what it returns, if anything, takes the place
        of the last argument's."""
        return self._backward_hooks.add(hook)
