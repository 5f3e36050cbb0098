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
        if growth_factor <= 1:
            raise ValueError(f"growth_factor is {growth_factor}; wanted more than 1")
        if not 0 < backoff_factor < 1:
            raise ValueError(f"backoff_factor is {backoff_factor}; wanted 0 to 1")
        self._enabled = enabled
        self._scale = float(init_scale)
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._good_steps = 0
        # Of each optimizer since the last update: whether a gradient overflowed.
        self._overflowed: dict[int, bool] = {}
        self._unscaled: set[int] = set()
        self._stepped: set[int] = set()

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    @number
    def get_scale(self) -> float:
        """What losses are multiplied by; 1 where it is not enabled."""
        return self._scale if self._enabled else 1.0

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
        if not self._enabled:
            return outputs
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self.scale(one) for one in outputs)
        if outputs.dtype in _LOW:  # the scale itself may be beyond its range
            outputs = outputs.float()
        return outputs * self.get_scale()

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of the optimizer's parameters by the scale.

        For what looks at gradients before the step: clipping, say.
        """
        if not self._enabled:
            return
        self._refuse_recorded("unscale_")
        if id(optimizer) in self._unscaled:
            raise RuntimeError(
                "unscale_() twice for one optimizer since update(); wanted once"
            )
        self._unscaled.add(id(optimizer))
        from ._autograd import no_grad

        bad = None
        with no_grad():
            for group in optimizer.param_groups:
                for param in group["params"]:
                    if param.grad is None:
                        continue
                    param.grad.mul_(1.0 / self._scale)
                    # Not a number once one of them is, or is infinite.
                    part = (param.grad.float() * 0.0).sum()
                    bad = part if bad is None else bad + part
        self._overflowed[id(optimizer)] = bad is not None and bad.item() != 0

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """optimizer.step(), unless a gradient is infinite or not a number."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        self._refuse_recorded("step")
        if id(optimizer) in self._stepped:
            raise RuntimeError(
                "step() twice for one optimizer; wanted update() between them"
            )
        if id(optimizer) not in self._unscaled:
            self.unscale_(optimizer)
        self._stepped.add(id(optimizer))
        if self._overflowed[id(optimizer)]:
            return None
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: float | None = None) -> None:
        """The scale for the next step; call it once for each."""
        if not self._enabled:
            return
        self._refuse_recorded("update")
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._overflowed:
            raise RuntimeError("update() without a step before it; wanted step()")
        elif any(self._overflowed.values()):
            self._scale *= self._backoff_factor
            self._good_steps = 0
        else:
            self._good_steps += 1
            if self._good_steps == self._growth_interval:
                self._scale *= self._growth_factor
                self._good_steps = 0
        self._overflowed.clear()
        self._unscaled.clear()
        self._stepped.clear()

    @as_seen
    def state_dict(self) -> dict[str, Any]:
        """For a checkpoint."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._good_steps,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """As a checkpoint has it."""
        if not self._enabled:
            return
        self._refuse_recorded("load_state_dict")
        if not state:
            raise RuntimeError("the state is empty: it is of a scaler not enabled")
        self._scale = float(state["scale"])
        self._growth_factor = state["growth_factor"]
        self._backoff_factor = state["backoff_factor"]
        self._growth_interval = state["growth_interval"]
        self._good_steps = state["_growth_tracker"]
