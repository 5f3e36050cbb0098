"""Running statistics that layers keep of training batches."""

from __future__ import annotations

from typing import Any

from .. import _core
from . import init
from ._parameter import new_tensor


def register_running_stats(
    module: Any, num_features: int, device: Any, dtype: Any
) -> None:
    """Buffers for means, variances and their count; None if nothing is tracked."""
    tracked = module.track_running_stats
    for name in ("running_mean", "running_var"):
        stats = new_tensor((num_features,), device, _stats_type(dtype))
        module.register_buffer(name, stats if tracked else None)
    count = new_tensor((), device, _core.int64) if tracked else None
    module.register_buffer("num_batches_tracked", count)


def reset_running_stats(module: Any) -> None:
    """Means 0, variances 1, no batches."""
    if module.running_mean is not None and module.running_var is not None:
        init.zeros_(module.running_mean)
        init.ones_(module.running_var)
    if module.num_batches_tracked is not None:
        init.zeros_(module.num_batches_tracked)


def _stats_type(dtype: Any) -> Any:
    """Halves have statistics of floats."""
    return _core.float64 if dtype == _core.float64 else _core.float32
