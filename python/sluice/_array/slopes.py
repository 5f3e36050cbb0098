"""Slopes between neighbours along axes: gradient."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import axes_tuple
from .intervals import _part
from .shape import as_tensor

__all__ = ["gradient"]


def _steps(spacing: Any, axes: tuple[int, ...]) -> list[Any]:
    """A distance, or coordinates, for each axis."""
    if spacing is None:
        return [1] * len(axes)
    if isinstance(spacing, (tuple, list)):
        given = list(spacing)
        if len(given) != len(axes):
            raise ValueError(f"gradient(): spacing has {len(given)} parts for "
                             f"{len(axes)} axes; wanted as many")  # fmt: skip
        return given
    if isinstance(spacing, Tensor) and spacing.ndim == 1:
        given = [spacing] if len(axes) == 1 else list(spacing)
        return given
    return [spacing] * len(axes)


def _along(x: Tensor, at: int, step: Any, edge_order: int) -> Tensor:
    size = int(x.shape[at])
    if size <= edge_order:
        raise ValueError(f"gradient(): {size} elements along axis {at}; wanted "
                         f"{edge_order + 1} or more")  # fmt: skip
    rises = _ops.sub(_part(x, at, slice(1, None)), _part(x, at, slice(-1)))
    if isinstance(step, Tensor) and step.ndim == 1:
        if step.shape[0] != size:
            raise ValueError(f"gradient(): {step.shape[0]} coordinates for {size} "
                             "elements; wanted as many")  # fmt: skip
        sides = [-1 if a == at else 1 for a in range(x.ndim)]
        if not (step.dtype.is_floating_point or step.dtype.is_complex):
            step = _ops.cast(step, x.dtype)  # unsigned ones would wrap
        run = _ops.reshape(_ops.sub(step[1:], step[:-1]), sides)
    else:
        run = _ops.ones_like(rises) * step
        run = run.detach() if not isinstance(step, Tensor) else run
    slopes = _ops.div(rises, run)
    # Between two neighbours each slope counts as the other's distance does.
    before, behind = _part(run, at, slice(-1)), _part(run, at, slice(1, None))
    both = _ops.add(before, behind)
    left, right = _part(slopes, at, slice(-1)), _part(slopes, at, slice(1, None))
    if isinstance(step, Tensor) and step.ndim == 1:
        weighed = _ops.add(_ops.mul(left, behind), _ops.mul(right, before))
        inner = _ops.div(weighed, both)
    else:  # of both neighbours alone, whatever lies between them
        inner = _ops.div(_ops.sub(_part(x, at, slice(2, None)),
                                  _part(x, at, slice(-2))), both)  # fmt: skip
    first, last = _part(slopes, at, slice(1)), _part(slopes, at, slice(-1, None))
    if edge_order == 2:
        bends = _ops.div(_ops.sub(right, left), both)
        first = _ops.sub(first, _ops.mul(_part(bends, at, slice(1)),
                                         _part(before, at, slice(1))))  # fmt: skip
        bend, step = (_part(v, at, slice(-1, None)) for v in (bends, behind))
        last = _ops.add(last, _ops.mul(bend, step))
    return _ops.concat([first, inner, last], axis=at)


def gradient(
    x: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """The slopes of x along axes, one tensor for each: (behind - before) / distance.

    spacing: the distance of neighbours, by default 1, for all axes or each, or the
    coordinates along each. At the ends slopes are those to the neighbour, or
    with edge_order=2 those of a parabola.
    """
    x = as_tensor(x)
    if edge_order not in (1, 2):
        raise ValueError(f"gradient(): edge_order is {edge_order}; wanted 1 or 2")
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        x = _ops.cast(x, _core.default_float())
    axes = tuple(range(x.ndim)) if dim is None else axes_tuple(dim, x.ndim, "gradient")
    steps = _steps(spacing, axes)
    if any(not isinstance(step, Tensor) and step == 0 for step in steps):
        raise ValueError("gradient(): spacing is 0; wanted a distance")
    return tuple(_along(x, at, step, edge_order) for at, step in zip(axes, steps))
