"""New tensors: from data, filled with a value, counted, drawn at random."""

from __future__ import annotations

from math import ceil, isfinite
from typing import Any

from .. import _core, _ops
from .._core import Tensor, tensor
from .axes import flag, sizes
from .device import device_like, placed
from .open_sizes import has_symbols, identity

__all__ = [
    "arange",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tensor",
    "zeros",
    "zeros_like",
]

_i64 = _core.int64


def _finished(made: Tensor, requires_grad: bool) -> Tensor:
    if flag(requires_grad, "requires_grad"):
        made.requires_grad_()
    return made


@placed
def full(
    shape: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of that shape, every element `fill_value`."""
    made = _core.full(sizes(shape), fill_value, dtype)
    return _finished(made, requires_grad)


def zeros(
    *shape: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Zeros: zeros(2, 3) or zeros((2, 3))."""
    return full(_shape(shape), 0, dtype=dtype or _core.default_float(), device=device,
                requires_grad=requires_grad)  # fmt: skip


def ones(
    *shape: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Ones: ones(2, 3) or ones((2, 3))."""
    return full(_shape(shape), 1, dtype=dtype or _core.default_float(), device=device,
                requires_grad=requires_grad)  # fmt: skip


def empty(
    *shape: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor to be written to. Its elements are zeros, always."""
    return zeros(*shape, dtype=dtype, device=device, requires_grad=requires_grad)


def _shape(shape: tuple[Any, ...]) -> Any:
    return sizes(shape[0]) if len(shape) == 1 else shape


def _sizes_like(x: Any) -> Any:
    if isinstance(x, Tensor):
        return _ops.shape(x) if x.symbolic else x.shape
    return tensor(x).shape


def full_like(
    x: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of x's shape (and type), every element `fill_value`."""
    own = isinstance(x, Tensor) and not x._number  # else as tensor() has it
    kind = dtype or (x.dtype if own else tensor(x).dtype)
    device = device_like(x, device)
    return full(_sizes_like(x), fill_value, dtype=kind, device=device,
                requires_grad=requires_grad)  # fmt: skip


def zeros_like(
    x: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Zeros of x's shape and type."""
    return full_like(x, 0, dtype=dtype, device=device, requires_grad=requires_grad)


def ones_like(
    x: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Ones of x's shape and type."""
    return full_like(x, 1, dtype=dtype, device=device, requires_grad=requires_grad)


def empty_like(
    x: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of x's shape and type, to be written to."""
    return zeros_like(x, dtype=dtype, device=device, requires_grad=requires_grad)


@placed
def arange(
    start: Any,
    stop: Any = None,
    step: Any = 1,
    *,
    end: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """start, start + step, ... before stop; arange(n) counts from 0.

    Of ints it is int64, of floats the default type.
    """
    stop = stop if end is None else end
    if stop is None:
        start, stop = 0, start
    if dtype is None and any(type(v) is float for v in (start, stop, step)):
        dtype = _half_default()
    if dtype is not None:
        kind = _core.find_dtype(dtype)
        if not _is_number(kind):
            raise TypeError(f"arange(): dtype is {kind.name}; wanted numbers")
        # Counted in a type that holds fractions of a step, then rounded; integers
        # go in whole steps between whole numbers, as PyTorch's do.
        if (made := _counted_in_floats(start, stop, step, kind)) is not None:
            return _finished(_ops.cast(made, kind), requires_grad)
        _check_counted(start, stop, step, kind)
        wide = _core.float64 if kind.is_floating_point else _i64
        start, stop, step = (_as(v, wide) for v in (start, stop, step))
        made = _ops.range(start, stop, step)
        made = made if made.dtype == kind else _ops.cast(made, kind)
        return _finished(made, requires_grad)
    return _finished(_ops.range(start, stop, step), requires_grad)


def _half_default() -> Any:
    """The default type, where that is one of half precision; else None."""
    kind = _core.default_float()
    return kind if kind in (_core.float16, _core.bfloat16) else None


def _counted_in_floats(start: Any, stop: Any, step: Any, kind: Any) -> Tensor | None:
    """Integers from bounds with fractions: PyTorch, and numpy, count the steps before
    they cut the fractions off. PyTorch cuts first for int64; None stands for that."""
    bounds = (start, stop, step)
    if kind.is_floating_point or kind == _i64:
        return None
    if not all(type(v) in (int, float) and isfinite(v) for v in bounds):
        return None
    # No whole step is refused, as of int64; PyTorch stays where it is.
    count = ceil((stop - start) / step) if int(step) else 0
    if count <= 0:
        return None
    check_held(range(int(start), int(start) + count * int(step), int(step)), kind)
    made = _ops.range(_as(0, _i64), _as(count, _i64), _as(1, _i64))
    return _ops.add(_ops.mul(made, int(step)), int(start))


def _check_counted(start: Any, stop: Any, step: Any, kind: Any) -> None:
    numbers = all(type(v) is int for v in (start, stop, step))
    if numbers and step and not kind.is_floating_point:
        check_held(range(start, stop, step), kind)


def check_held(numbers: range, kind: Any, what: str = "arange") -> None:
    """Refuses numbers that the type does not hold: a cast would wrap them."""
    for number in (numbers[0], numbers[-1]) if numbers else ():
        try:
            tensor(number, kind)
        except ValueError:
            raise ValueError(
                f"{what}(): {number} is no {kind.name}; wanted a type that holds it"
            ) from None


def _as(value: Any, dtype: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value if value.dtype == dtype else _ops.cast(value, dtype)
    return tensor(value, dtype)


def _is_number(dtype: Any) -> bool:
    return dtype.name not in ("bool", "string", "resource", "list", "complex64")


@placed
def linspace(
    start: Any,
    stop: Any = None,
    num: int = 50,
    *,
    end: Any = None,
    steps: int | None = None,
    dtype: Any = None,
    endpoint: bool = True,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`num` numbers from start to stop at equal distances; also as steps= and end=."""
    stop, num = stop if end is None else end, num if steps is None else steps
    if stop is None:
        raise TypeError("linspace(): lacks its argument stop")
    complex_ends = any(_is_complex(v) for v in (start, stop))
    common = _core.complex64 if complex_ends else _core.default_float()
    kind = _core.find_dtype(dtype or common)
    if num < 0:
        raise ValueError(f"linspace(): num is {num}; wanted 0 or more")
    if kind.is_complex:
        ends = [_as(v, kind) for v in (start, stop)]
        parts = (linspace(*(part(v) for v in ends), num, endpoint=endpoint)
                 for part in (_ops.real, _ops.imag))  # fmt: skip
        return _finished(_ops.make_complex(*parts), requires_grad)
    if not kind.is_floating_point:
        return _whole_steps(start, stop, num, kind, endpoint)
    start, stop = _as(start, kind), _as(stop, kind)
    if not endpoint:
        made = _ops.linspace(start, stop, num + 1)[:num]
    else:
        made = _ops.linspace(start, stop, num) if num else zeros(0, dtype=start.dtype)
    return _finished(made, requires_grad)


def _is_complex(value: Any) -> bool:
    return isinstance(value, complex) or (
        isinstance(value, Tensor) and value.dtype.is_complex
    )


def _whole_steps(start: Any, stop: Any, num: int, kind: Any, endpoint: bool) -> Tensor:
    """Integers at equal distances, as PyTorch counts: from both ends, cut off."""
    start, stop = int(start), int(stop)
    step = (stop - start) / max(num - 1 if endpoint else num, 1)
    half = num // 2
    made = [start + step * i for i in range(half)]
    if num == 1:
        made = [start]
    elif endpoint:
        made += [stop - step * (num - i - 1) for i in range(half, num)]
    else:
        made += [start + step * i for i in range(half, num)]
    return tensor([int(v) for v in made], kind) if made else zeros(0, dtype=kind)


@placed
def eye(
    n: int,
    m: int | None = None,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A matrix of n rows and m columns with ones on its k-th diagonal."""
    if has_symbols((n, m)):
        made = identity(n, n if m is None else m, k, dtype or _core.default_float())
        return _finished(made, requires_grad)
    made = _ops.eye(n, n if m is None else m, k=k, dtype=dtype or _core.default_float())
    return _finished(made, requires_grad)


def meshgrid(*xs: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """The coordinates of a grid, one array for each vector.

    indexing="ij", PyTorch's, has the first vector along the first axis; "xy",
    numpy's, along the second.
    """
    if len(xs) == 1 and isinstance(xs[0], (tuple, list)):
        xs = tuple(xs[0])
    made = _ops.meshgrid(xs, indexing=indexing)
    return (made,) if isinstance(made, Tensor) else made
