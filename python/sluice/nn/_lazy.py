"""Layers that learn the size of their input from the first one they see."""

from __future__ import annotations

import inspect
from typing import Any

from .. import _core
from .._array.shape import as_tensor
from ._batch_norm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from ._conv import Conv1d, Conv2d, Conv3d
from ._conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ._linear import Linear
from ._module import Module
from ._norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from ._table import Table

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
]

# Lazy instance norms learn and track, as PyTorch's do; plain ones do not.
_OTHER = {(True, "affine"): True, (True, "track_running_stats"): True}
_KEPT = ("_mode", "_pre_hooks", "_hooks", "_backward_pre_hooks", "_backward_hooks")


class _NotYet(Table):
    """Parameters that are not there before the first call."""

    def _refuse(self, *_: Any) -> Any:
        raise RuntimeError(
            "a lazy module has no parameters yet; wanted a call with an input first"
        )

    items = values = keys = __iter__ = __len__ = _refuse


class _Lazy(Module):
    """The base of lazy modules, which the first call turns into plain ones."""

    _plain: type[Module]

    def __init_subclass__(cls) -> None:
        cls._plain = cls.__bases__[1]
        signature = inspect.signature(cls._plain)
        rest = [
            part.replace(default=_OTHER.get((kind, part.name), part.default))
            for kind in ["InstanceNorm" in cls.__name__]
            for part in list(signature.parameters.values())[1:]
        ]
        cls.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=rest
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        Module.__init__(self)
        signature: Any = type(self).__signature__  # type: ignore[attr-defined]
        bound = signature.bind(*args, **kwargs)
        self._shown = args, kwargs
        bound.apply_defaults()
        self._given = bound.args, bound.kwargs
        self.__dict__["_parameters"] = _NotYet()

    def _size(self, x: Any) -> int:
        axes = getattr(self, "_axes", 0)
        ranks: Any = getattr(self, "_ranks", ())
        if isinstance(self, Linear):
            least, axis = 1, -1
        elif axes:
            least, axis = axes + 1, -axes - 1
        elif "BatchNorm" in type(self).__name__:
            least, axis = ranks[0], 1
        else:
            least, axis = ranks[0] - 1, 1 - ranks[0]
        if x.ndim < least:
            raise ValueError(
                f"{type(self).__name__}: input has {x.ndim} axes; wanted {least} or "
                "more"
            )
        return int(x.shape[axis])

    def initialize_parameters(self, input: Any, *args: Any, **kwargs: Any) -> None:
        """Become the plain layer for such an input."""
        x = as_tensor(input)
        if x.symbolic or _core.recorder() is not None:
            raise RuntimeError(
                f"{type(self).__name__}: the first call is in a captured function; "
                "wanted one outside of it first"
            )
        size = self._size(x)
        given, options = self._given
        plain: Any = type(self)._plain
        kept = {name: self.__dict__[name] for name in _KEPT}
        del self._given, self._shown
        self.__class__ = plain
        plain.__init__(self, size, *given, **options)
        self.__dict__.update(kept)

    def has_uninitialized_params(self) -> bool:
        """Whether there was no call yet."""
        return True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.initialize_parameters(*args, **kwargs)
        return self(*args, **kwargs)

    def extra_repr(self) -> str:
        given, options = self._shown
        named = [f"{name}={value!r}" for name, value in options.items()]
        return ", ".join([*map(repr, given), *named])

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_parameters": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__["_parameters"] = _NotYet()


class LazyLinear(_Lazy, Linear):
    """Linear with as many in_features as its first input has."""


class LazyConv1d(_Lazy, Conv1d):
    """Conv1d with as many in_channels as its first input has."""


class LazyConv2d(_Lazy, Conv2d):
    """Conv2d with as many in_channels as its first input has."""


class LazyConv3d(_Lazy, Conv3d):
    """Conv3d with as many in_channels as its first input has."""


class LazyConvTranspose1d(_Lazy, ConvTranspose1d):
    """ConvTranspose1d with as many in_channels as its first input has."""


class LazyConvTranspose2d(_Lazy, ConvTranspose2d):
    """ConvTranspose2d with as many in_channels as its first input has."""


class LazyConvTranspose3d(_Lazy, ConvTranspose3d):
    """ConvTranspose3d with as many in_channels as its first input has."""


class LazyBatchNorm1d(_Lazy, BatchNorm1d):
    """BatchNorm1d with as many features as its first input has."""


class LazyBatchNorm2d(_Lazy, BatchNorm2d):
    """BatchNorm2d with as many features as its first input has."""


class LazyBatchNorm3d(_Lazy, BatchNorm3d):
    """BatchNorm3d with as many features as its first input has."""


class LazyInstanceNorm1d(_Lazy, InstanceNorm1d):
    """InstanceNorm1d with as many features as its first input has."""


class LazyInstanceNorm2d(_Lazy, InstanceNorm2d):
    """InstanceNorm2d with as many features as its first input has."""


class LazyInstanceNorm3d(_Lazy, InstanceNorm3d):
    """InstanceNorm3d with as many features as its first input has."""
