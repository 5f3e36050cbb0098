"""Gradients of imperative programs: no_grad, backward and related functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, cast

from . import _core
from ._recorded import refuse

__all__ = [
    "CancelledError",
    "detect_anomaly",
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "nan_trap",
    "no_grad",
    "set_grad_enabled",
    "why_no_grad",
]

_F = TypeVar("_F", bound=Callable[..., Any])

is_grad_enabled = _core.is_grad_enabled
CancelledError = _core.CancelledError


class _Mode:
    """A mode of this thread, for a with statement or as a decorator."""

    _set: Callable[[bool], bool]

    def __init__(self, on: bool) -> None:
        self._on = on
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(type(self)._set(self._on))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        type(self)._set(self._before.pop())

    def _copy(self) -> _Mode:
        made = object.__new__(type(self))
        _Mode.__init__(made, self._on)
        return made

    def __call__(self, function: _F) -> _F:
        if inspect.isgeneratorfunction(function):
            return cast(_F, _generator_under(self, function))

        @functools.wraps(function)
        def under(*args: Any, **kwargs: Any) -> Any:
            with self._copy():
                return function(*args, **kwargs)

        # During a recording the inner function is converted as if undecorated.
        setattr(under, "__sl_under__", (self, function))
        return cast(_F, under)


def _generator_under(mode: _Mode, function: Callable[..., Any]) -> Callable[..., Any]:
    """Applies the mode while the generator runs, not while its consumer does."""

    @functools.wraps(function)
    def under(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        step, given = made.send, None
        while True:
            try:
                with mode._copy():
                    value = step(given)
            except StopIteration as end:
                return end.value
            try:
                given = yield value
                step = made.send
            except GeneratorExit:
                made.close()
                raise
            except BaseException as error:
                step, given = made.throw, error

    return under


class _GradMode(_Mode):
    _set = staticmethod(_core.set_grad_mode)


class no_grad(_GradMode):
    """Calls are not recorded for gradients: `with no_grad():` or `@no_grad()`."""

    def __new__(cls, function: Any = None) -> Any:
        made = super().__new__(cls)
        if function is None:
            return made
        _GradMode.__init__(made, cls._wanted)
        return made(function)

    _wanted = False

    def __init__(self, function: Any = None) -> None:
        super().__init__(self._wanted)


class enable_grad(no_grad):
    """Inside a no_grad, calls are recorded again."""

    _wanted = True


class inference_mode(_GradMode):
    """The same as no_grad."""

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode if mode else is_grad_enabled())


class set_grad_enabled(_GradMode):
    """Switches recording on or off at once; undone at the end of a `with`."""

    def __init__(self, mode: bool) -> None:
        super().__init__(bool(mode))
        self._before.append(_core.set_grad_mode(bool(mode)))

    def __enter__(self) -> None:
        _core.set_grad_mode(self._on)

    def __call__(self, function: _F) -> _F:
        # As a decorator it applies only inside the function.
        _core.set_grad_mode(self._before.pop())
        return super().__call__(function)

    def _copy(self) -> _Mode:
        return _GradMode(self._on)


class detect_anomaly(_Mode):
    """Stops at the first result that is NaN or infinite, and names the op.

    It checks every result of every call, including gradients, so it is slow.
    """

    _set = staticmethod(_core.set_nan_trap)

    def __init__(self, mode: bool = True, check_nan: bool = True) -> None:
        super().__init__(bool(mode and check_nan))

    def __enter__(self) -> None:
        before = _core.set_nan_trap(self._on)
        if before != self._on and _core.recorder() is not None:
            _core.set_nan_trap(before)
            refuse(
                "detect_anomaly() in a captured function looks at results only while "
                "that is recorded",
                "wanted it around the call, where it holds for all of the graph",
            )
        self._before.append(before)


nan_trap = detect_anomaly


def why_no_grad(y: _core.Tensor, x: _core.Tensor) -> str:
    """One sentence on why y has no gradient with respect to x.

    It names the op that breaks the path, and its line; "" if there is a gradient.
    """
    return str(_core.why_no_grad(y, x))
