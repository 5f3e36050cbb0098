"""Mixed precision: products in bfloat16 or float16, parameters in float32.

    scaler = sl.amp.GradScaler()                  # for float16 only
    for x, y in batches:
        optimizer.zero_grad()
        with sl.amp.autocast("cuda", dtype=sl.bfloat16):
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()

Inside autocast, products of matrices and convolutions take operands of the lower
type, and large sums, exponentials, norms and losses those of float32; all other
calls compute in the types they are given. It works on every device, and in
captured functions as outside of them.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any, Callable

from . import _core, cuda
from ._amp_functions import KINDS as _KINDS, custom_bwd, custom_fwd
from ._closed import closed
from ._recorded import as_seen, number, refuse

__all__ = [
    "GradScaler",
    "autocast",
    "custom_bwd",
    "custom_fwd",
    "is_autocast_available",
    "is_autocast_enabled",
]

_LOW = (_core.bfloat16, _core.float16)
# What a GradScaler's state_dict has, by PyTorch's names, in the core's order.
_STATE = "scale growth_factor backoff_factor growth_interval _growth_tracker".split()


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast() knows such devices."""
    return device_type in _KINDS


def is_autocast_enabled() -> bool:
    """Whether calls here are under autocast()."""
    now = _core.exchange_autocast(None)
    _core.exchange_autocast(now)
    return now is not None


@closed
class autocast:
    """A scope, or a decorator, for mixed precision.

    device_type says what dtype is where it is not given: float16 on "cuda", where
    a GradScaler goes with it, and bfloat16 on "cpu". Calls are cast on whatever
    device they run. Without a GPU, autocast("cuda") does nothing, with a warning.
    enabled=False switches an outer one off. cache_enabled is PyTorch's, for casts
    that are kept; none are here, so that it changes nothing.
    """

    def __init__(
        self,
        device_type: str = "cuda",
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        kind = str(device_type).partition(":")[0]
        if kind not in _KINDS:
            raise ValueError(
                f'autocast(): device_type is "{device_type}"; wanted "cuda" or "cpu"'
            )
        if dtype is None:
            dtype = _core.bfloat16 if kind == "cpu" else _core.float16
        if dtype not in _LOW:
            raise ValueError(
                f"autocast(): dtype is {dtype}; wanted sl.bfloat16 or sl.float16"
            )
        if enabled and kind != "cpu" and not cuda.is_available():
            warnings.warn(
                'autocast("cuda") without a GPU does nothing; wanted "cpu"',
                stacklevel=2,
            )
            enabled = False
        self._dtype = dtype if enabled else None
        self._before: list[Any] = []

    def __enter__(self) -> autocast:
        self._before.append(_core.exchange_autocast(self._dtype))
        return self

    def __exit__(self, *error: Any) -> None:
        _core.exchange_autocast(self._before.pop())

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def under_autocast(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return under_autocast


@closed
class GradScaler:
    """Keeps gradients of float16 from becoming zero: losses are multiplied by a
    scale before backward(), gradients divided by it before the step.

        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    A step whose gradients hold an infinity or a NaN is left out, and the scale
    becomes smaller; after growth_interval good steps in a row it grows. bfloat16
    has the range of float32 and needs none of this. It works on every device,
    whichever device names.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._core = _core.GradScaler(
            float(init_scale), growth_factor, backoff_factor, growth_interval,
            bool(enabled),
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        return {"state": self._core.state() if self.is_enabled() else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        of = state["state"]
        self._core = _core.GradScaler(1.0, 2.0, 0.5, 1, of is not None)
        if of is not None:
            self._core.restore(*of)

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._core.enabled

    @number
    def get_scale(self) -> float:
        """What losses are multiplied by; 1 where it is not enabled."""
        return self._core.get_scale()

    def _refuse_recorded(self, method: str) -> None:
        """What is remembered between scale() and update() is Python's: a graph would
        do that once."""
        refuse(
            f"GradScaler.{method}() remembers in Python what the gradients were like, "
            "and would do so only when the function is recorded",
            "wanted it after the call; scale() and backward() may be captured",
        )

    def scale(self, outputs: Any) -> Any:
        """A loss, or several in a list or tuple, multiplied by the scale."""
        if not self.is_enabled():
            return outputs
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self.scale(one) for one in outputs)
        if outputs.dtype in _LOW:  # the scale itself may be beyond its range
            outputs = outputs.float()
        # The product is made here and not in C++, where get_scale() would be the
        # number of the call that is recorded.
        return outputs * self.get_scale()

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of the optimizer's parameters by the scale.

        For what looks at gradients before the step: clipping, say.
        """
        if not self.is_enabled():
            return
        self._refuse_recorded("unscale_")
        params = (p for group in optimizer.param_groups for p in group["params"])
        grads = [grad for p in params if (grad := p.grad) is not None]
        self._core.unscale_(id(optimizer), grads)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """optimizer.step(), unless a gradient is infinite or not a number."""
        if not self.is_enabled():
            return optimizer.step(*args, **kwargs)
        self._refuse_recorded("step")
        if not self._core.unscaled(id(optimizer)):
            self.unscale_(optimizer)
        if not self._core.may_step(id(optimizer)):
            return None
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: float | None = None) -> None:
        """The scale for the next step; call it once for each."""
        if not self.is_enabled():
            return
        self._refuse_recorded("update")
        self._core.update(None if new_scale is None else float(new_scale))

    @as_seen
    def state_dict(self) -> dict[str, Any]:
        """For a checkpoint."""
        if not self.is_enabled():
            return {}
        return dict(zip(_STATE, self._core.state(), strict=True))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """As a checkpoint has it."""
        if not self.is_enabled():
            return
        self._refuse_recorded("load_state_dict")
        if not state:
            raise RuntimeError("the state is empty: it is of a scaler not enabled")
        self._core.restore(*(state[name] for name in _STATE))
