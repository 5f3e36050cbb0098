"""What several functions ask of their arguments: axes by either name, sizes."""

from __future__ import annotations

from typing import Any

from .._core import Tensor

__all__: list[str] = []


class _Nothing:
    """Stands for an argument that was not given, where None means something."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "..."


NOTHING: Any = _Nothing()


def one_of(axis: Any, dim: Any, default: Any = None) -> Any:
    """The axis, whichever of its two names was used."""
    if dim is NOTHING:
        return default if axis is NOTHING else axis
    if axis is not NOTHING and axis is not None and axis != default:
        raise TypeError("axis and dim mean the same; wanted only one of them")
    return dim


def sizes(shape: Any, more: tuple[Any, ...] = ()) -> Any:
    """Sizes given as one tuple or as several numbers: zeros((2, 3)), zeros(2, 3)."""
    if more:
        return (shape, *more)
    if isinstance(shape, Tensor) and shape.ndim == 0:
        return (shape,)
    if isinstance(shape, (tuple, list, Tensor)):
        return shape
    if hasattr(shape, "__index__"):
        return (shape,)
    if hasattr(shape, "__iter__") and not isinstance(shape, (str, bytes)):
        return tuple(shape)
    raise TypeError(f"shape is a {type(shape).__name__}; wanted ints")


def axes_tuple(axis: Any, ndim: int, what: str) -> tuple[int, ...]:
    """Axes as numbers from 0 on, each once."""
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    made = []
    for a in given:
        a = whole(a, what + "(): axis")
        if not -ndim <= a < ndim:
            raise IndexError(
                f"{what}(): axis {a} of a tensor of {ndim} axes; "
                f"wanted {-ndim} to {ndim - 1}"
            )
        made.append(a % ndim if ndim else a)
    if len(set(made)) != len(made):
        raise ValueError(f"{what}(): axis {axis} names an axis twice")
    return tuple(made)


def one_axis(axis: Any, ndim: int, what: str) -> int:
    """One axis, as a number from 0 on; a tuple of axes is none."""
    not_several(axis, what)
    return axes_tuple(axis, ndim, what)[0]


def not_several(axis: Any, what: str) -> None:
    """TypeError for axes where one is wanted: () would be all of them, or nothing."""
    if isinstance(axis, (tuple, list)):
        raise TypeError(f"{what}(): axis is {axis!r}; wanted an int")


def axes_or_none(axis: Any, ndim: int, what: str) -> tuple[int, ...]:
    """The same where a tensor without axes may be asked for its first or last one, as
    PyTorch has it: there is nothing to do along it."""
    if ndim == 0:
        given = axis if isinstance(axis, (tuple, list)) else (axis,)
        axis = [a for a in given if a not in (0, -1)]
    return axes_tuple(axis, ndim, what)


def flag(value: Any, what: str) -> bool:
    """A bool, of numpy, too; 0 and 1 are as good. Anything else in its place was meant
    for another parameter: sum(x, 0, float64) is numpy's."""
    if value is True or value is False:
        return bool(value)
    if isinstance(value, (str, bytes, float, Tensor)) or not hasattr(value, "__bool__"):
        raise TypeError(f"{what} is a {type(value).__name__}; wanted a bool")
    if isinstance(value, int) and value not in (0, 1):
        raise TypeError(f"{what} is {value}; wanted a bool")
    return bool(value)


def flags(**given: Any) -> None:
    """TypeError for the first of these that is no bool."""
    for what, value in given.items():
        if value is not True and value is not False:
            flag(value, what)


def whole(value: Any, what: str) -> int:
    """An int, or a TypeError that says what is not one."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} is a {type(value).__name__}; wanted an int")
    return value.__index__()
