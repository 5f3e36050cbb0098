"""How variables that are observed together vary; numbers at equal ratios."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import flag, whole
from .create import linspace
from .device import placed
from .shape import as_tensor, may_be

__all__ = ["corrcoef", "cov", "logspace", "vander"]


def cov(
    x: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None
) -> Tensor:
    """The covariances of variables, one in each row, observed in the columns.

    fweights: how often each observation was made; aweights: how much it weighs.
    """
    x, correction = as_tensor(x), whole(correction, "correction")
    if x.ndim > 2:
        raise ValueError(f"cov(): x has {x.ndim} axes; wanted 2 at most")
    if x.dtype.is_complex:
        raise TypeError(f"cov(): x is {x.dtype.name}; wanted real numbers")
    if not x.dtype.is_floating_point:
        x = _ops.cast(x, _core.default_float())
    kind = x.dtype  # that of the weights: their sums are in it, as PyTorch's are
    if aweights is not None:
        aweights = as_tensor(aweights)
        if aweights.dtype.is_floating_point:
            kind = aweights.dtype
            x = _ops.cast(x, _core.promote_types(x.dtype, kind))
    rows = _ops.reshape(x, (1, -1)) if x.ndim < 2 else x
    _want_weights(rows, fweights, aweights)
    weights = _ops.cast(_ops.ones_like(rows[0]), kind)
    for given in (fweights, aweights):
        if given is not None:
            weights = _ops.mul(weights, _ops.cast(given, kind))
    total = _ops.sum(weights)
    less: Any = correction
    if aweights is not None and correction:
        heavy = _ops.mul(weights, _ops.cast(aweights, kind))
        less = _ops.mul(_ops.div(_ops.sum(heavy), total), correction)
    left = _ops.cast(_ops.maximum(_ops.sub(total, less), 0), x.dtype)
    weights, total = _ops.cast(weights, x.dtype), _ops.cast(total, x.dtype)
    mean = _ops.div(_ops.sum(_ops.mul(rows, weights), (1,), True), total)
    apart = _ops.sub(rows, mean)
    made = _ops.div(_core.matmul(_ops.mul(apart, weights), apart.mT), left)
    return _ops.reshape(made, ()) if rows.shape[0] == 1 else made


def _want_weights(rows: Tensor, fweights: Any, aweights: Any) -> None:
    """One number for each observation; how often one was made is a whole one."""
    from ..nn._value_checks import want_all

    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        w = as_tensor(given)
        if w.ndim != 1 or not may_be(w.shape[0], rows.shape[1]):
            raise ValueError(
                f"cov(): {name} is {list(w.shape)}; wanted one number for each of "
                f"{rows.shape[1]} observations"
            )
        if name == "fweights" and (w.dtype.is_floating_point or w.dtype.is_complex):
            raise TypeError(f"cov(): fweights is {w.dtype.name}; wanted integers")
        want_all(_ops.greater_equal(w, 0), f"cov(): {name} has a negative number")


def corrcoef(x: Any) -> Tensor:
    """The covariances in units of the standard deviations, from -1 to 1."""
    made = cov(x)
    if made.ndim == 0:
        return _ops.div(made, made)
    spread = _ops.sqrt(_ops.diag_part(made, 0))
    made = _ops.div(_ops.div(made, _ops.expand_dims(spread, 1)), spread)
    return _ops.minimum(_ops.maximum(made, -1), 1)


@placed
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """base to the powers from start to end at equal distances."""
    its = _core.find_dtype(dtype or _core.default_float())
    if not (its.is_floating_point or its.is_complex):  # cut off before, as PyTorch does
        start, end = int(start), int(end)
    powers = linspace(start, end, steps, dtype=_core.float64)
    made = _ops.cast(_ops.pow(_core.tensor(base, _core.float64), powers), its)
    return made.requires_grad_() if flag(requires_grad, "requires_grad") else made


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of a vector's elements, a column each; the highest first."""
    x = as_tensor(x)
    if x.ndim < 1:
        raise ValueError("vander(): x has no axes; wanted a vector")
    count = x.shape[-1] if N is None else N
    if count < 0:
        raise ValueError(f"vander(): N is {N}; wanted 0 or more")
    one = _ops.ones_like(x)
    columns = [one]
    for _ in range(count - 1):
        columns.append(_ops.mul(columns[-1], x))
    columns = columns[:count]
    if not columns:
        return _core.full((*x.shape, 0), 0, x.dtype)
    ascends = flag(increasing, "increasing")
    return _ops.stack(columns if ascends else columns[::-1], axis=-1)
