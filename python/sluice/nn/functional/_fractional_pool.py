"""Max pooling with windows at places that are drawn, and names of pools that give
indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _core
from ..._array.create import arange
from ..._array.device import beside
from ..._array.draws import rand
from ..._array.pick import gather
from ..._array.shape import as_tensor, concat, expand_dims
from ..._core import Tensor
from . import _images

__all__ = [
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d_with_indices",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
    "max_pool1d_with_indices",
    "max_pool2d_with_indices",
    "max_pool3d_with_indices",
]

Pair = tuple[Tensor, Tensor]


def _each(value: Any, axes: int, name: str, what: str) -> list[Any]:
    values = list(value) if isinstance(value, Sequence) else [value] * axes
    if len(values) != axes:
        raise ValueError(f"{what}(): {name} is {value}; wanted one number or {axes}")
    return values


def _sizes(x: Tensor, axes: int, size: Any, ratio: Any, what: str) -> list[int]:
    """How many windows there are along each axis."""
    if (size is None) == (ratio is None):
        raise ValueError(f"{what}(): wanted either output_size or output_ratio")
    if size is not None:
        return [int(n) for n in _each(size, axes, "output_size", what)]
    shares = _each(ratio, axes, "output_ratio", what)
    if not all(0 < r < 1 for r in shares):
        raise ValueError(f"{what}(): output_ratio is {ratio}; wanted 0 < ratio < 1")
    return [int(int(n) * r) for n, r in zip(x.shape[-axes:], shares)]


def _starts(drawn: Tensor, size: int, kernel: int, count: int) -> Tensor:
    """Where windows begin: [..., count], the last one at the end."""
    last = _core.full((*drawn.shape, 1), size - kernel, _core.int64)
    if count == 1:
        return beside(drawn, last)
    step = (size - kernel) / (count - 1)
    drawn = expand_dims(drawn, -1)
    steps = beside(drawn, arange(count - 1)).to(drawn.dtype)
    begin = ((steps + drawn) * step).to(_core.int64) - (drawn * step).to(_core.int64)
    return concat([begin, beside(drawn, last)], axis=-1)


def fractional_max_pool(
    axes: int, input: Any, kernel_size: Any, output_size: Any, output_ratio: Any,
    drawn: Any,
) -> Pair:  # fmt: skip
    """The greatest of each window, and which element of its channel that is."""
    what = f"fractional_max_pool{axes}d"
    x = as_tensor(input)
    if x.ndim == axes + 1:
        made = fractional_max_pool(
            axes, expand_dims(x, 0), kernel_size, output_size, output_ratio, drawn
        )
        return made[0][0], made[1][0]
    if x.ndim != axes + 2:
        raise ValueError(
            f"{what}(): input has {x.ndim} axes; wanted {axes + 1} or {axes + 2}"
        )
    kernel = [int(n) for n in _each(kernel_size, axes, "kernel_size", what)]
    counts = _sizes(x, axes, output_size, output_ratio, what)
    room = [int(n) for n in x.shape[-axes:]]
    for n, k, size in zip(counts, kernel, room):
        if k < 1 or n < 1 or n + k - 1 > size:
            raise ValueError(
                f"{what}(): {n} windows of {k} in {size}; wanted one at least, and "
                "places for all"
            )
    shape = (*x.shape[:2], axes)
    if drawn is None:
        kind = x.dtype if x.dtype.is_floating_point else _core.default_float()
        drawn = beside(x, rand(shape, dtype=kind))
    drawn = as_tensor(drawn)
    if tuple(drawn.shape) != tuple(shape):
        raise ValueError(
            f"{what}(): _random_samples is {list(drawn.shape)}; wanted {list(shape)}"
        )
    # The numbers drawn for images are in the order x, y; for volumes z, y, x.
    order = [1, 0] if axes == 2 else list(range(axes))
    at: Any = 0
    for i in range(axes):
        start = _starts(drawn[..., order[i]], room[i], kernel[i], counts[i])
        along = expand_dims(start, -1) + beside(x, arange(kernel[i]))
        place = [1] * (2 * axes)
        place[i], place[axes + i] = counts[i], kernel[i]
        at = at * room[i] + along.reshape(*x.shape[:2], *place)
    windows = 1
    for k in kernel:
        windows = windows * k
    at = at.reshape(*x.shape[:2], -1)
    flat = x.reshape(*x.shape[:2], -1)
    values = gather(flat, 2, at).reshape(*x.shape[:2], *counts, windows)
    at = at.reshape(*x.shape[:2], *counts, windows)
    best = expand_dims(values.detach().argmax(-1), -1)
    return gather(values, -1, best)[..., 0], gather(at, -1, best)[..., 0]


def _fractional(axes: int) -> Any:
    def with_indices(
        input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Any = None,
    ) -> Pair:  # fmt: skip
        """The greatest elements of windows at places that are drawn, and their
        indices."""
        return fractional_max_pool(
            axes, input, kernel_size, output_size, output_ratio, _random_samples
        )

    def alone(
        input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Any = None,
    ) -> Tensor | Pair:  # fmt: skip
        """The greatest elements of windows at places that are drawn."""
        made = with_indices(
            input, kernel_size, output_size, output_ratio, True, _random_samples
        )
        return made if return_indices else made[0]

    alone.__name__ = alone.__qualname__ = f"fractional_max_pool{axes}d"
    with_indices.__name__ = alone.__name__ + "_with_indices"
    with_indices.__qualname__ = with_indices.__name__
    return alone, with_indices


fractional_max_pool2d, fractional_max_pool2d_with_indices = _fractional(2)
fractional_max_pool3d, fractional_max_pool3d_with_indices = _fractional(3)


def _pool(pool: Any) -> Any:
    def with_indices(
        input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
        dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False,
    ) -> Pair:  # fmt: skip
        """The greatest element of each window, and its index."""
        made: Pair = pool(
            input, kernel_size, stride, padding, dilation, ceil_mode, True
        )
        return made

    with_indices.__name__ = with_indices.__qualname__ = pool.__name__ + "_with_indices"
    return with_indices


def _adaptive(pool: Any) -> Any:
    def with_indices(
        input: Any, output_size: Any, return_indices: bool = False
    ) -> Pair:
        """The greatest element of each window, and its index."""
        made: Pair = pool(input, output_size, True)
        return made

    with_indices.__name__ = with_indices.__qualname__ = pool.__name__ + "_with_indices"
    return with_indices


max_pool1d_with_indices = _pool(_images.max_pool1d)
max_pool2d_with_indices = _pool(_images.max_pool2d)
max_pool3d_with_indices = _pool(_images.max_pool3d)
adaptive_max_pool1d_with_indices = _adaptive(_images.adaptive_max_pool1d)
adaptive_max_pool2d_with_indices = _adaptive(_images.adaptive_max_pool2d)
adaptive_max_pool3d_with_indices = _adaptive(_images.adaptive_max_pool3d)
