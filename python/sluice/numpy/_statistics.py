"""Values made of many elements, by numpy's names and with its defaults."""

from __future__ import annotations

from math import isfinite
from typing import Any

from .. import _core, _ops
from .._array import observations, order, reduce, spread
from .._array.axes import axes_tuple, not_several
from .._array.error_functions import floats as real_floats
from .._array.math import is_nan
from .._array.pick import searchsorted
from .._array.shape import as_tensor, concat, ravel
from .._core import Tensor
from ._arguments import no_out
from ._making import linspace

__all__ = [
    "cov",
    "histogram",
    "median",
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanquantile",
    "nanstd",
    "nanvar",
    "percentile",
    "quantile",
    "std",
    "var",
]

_INF = float("inf")


def std(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: float = 0,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The standard deviation: the root of the mean square, or of n - ddof."""
    return _spread("std", a, axis, dtype, out, ddof, keepdims)


def var(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: float = 0,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The variance: the mean square, or the sum divided by n - ddof."""
    return _spread("var", a, axis, dtype, out, ddof, keepdims)


def _spread(
    what: str, a: Any, axis: Any, dtype: Any, out: Any, ddof: float, keep: bool
) -> Tensor:
    no_out(out, what)
    a = _in_type(a, dtype, what)
    of = spread.std if what == "std" else spread.var
    made: Tensor = of(a, axis=axis, keepdims=keep, correction=ddof)
    return made


def _in_type(a: Any, dtype: Any, what: str) -> Tensor:
    """Real floats, of a type that is asked for."""
    a = real_floats(a, what)
    if dtype is None:
        return a
    kind = _core.find_dtype(dtype)
    if not kind.is_floating_point:
        raise TypeError(f"{what}(): dtype is {kind.name}; wanted a type of floats")
    return _ops.cast(a, kind)


def _ranked(
    what: str, a: Any, q: Any, axis: Any, out: Any, method: str, keep: bool,
    whole: float, skip: bool,
) -> Tensor:  # fmt: skip
    """Quantiles of the elements along one axis, several or all."""
    no_out(out, what)
    given = as_tensor(a).dtype
    a = real_floats(a, what)
    q = q if isinstance(q, Tensor) else _core.tensor(q, _core.float64)
    if q.ndim > 1:
        raise ValueError(f"{what}(): q has {q.ndim} axes; wanted 1 at most")
    kind, sizes = a.dtype, list(a.shape)
    over = tuple(range(a.ndim)) if axis is None else axes_tuple(axis, a.ndim, what)
    at = over[0] if len(over) == 1 else -1
    if len(over) != 1:  # these axes as one, the last
        rest = [i for i in range(a.ndim) if i not in over]
        a = _ops.transpose(a, [*rest, *over]) if a.ndim else a
        a = _ops.reshape(a, [*(sizes[i] for i in rest), -1])
    share = _ops.div(_ops.cast(q, _core.float64), whole)
    # float64 holds every rank; halves have no quantile of their own.
    find = order.nanquantile if skip else order.quantile
    a = _ops.cast(a, _core.float64)
    if method in ("linear", "midpoint"):
        # Between two equal numbers, that may be infinite, is that number.
        low, high = (find(a, share, at, interpolation=m) for m in ("lower", "higher"))
        between = _ops.mul(_ops.add(low, high), 0.5)
        if method == "linear":
            between = find(a, share, at, interpolation=method)
        made = _ops.where(_ops.equal(low, high), low, between)
    else:  # one of the elements
        made, kind = find(a, share, at, interpolation=method), given
    made = _ops.cast(made, kind)
    if keep:
        kept = [1 if i in over else n for i, n in enumerate(sizes)]
        made = _ops.reshape(made, [*q.shape, *kept])
    return made


def quantile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """What a share q of the elements is below. method: linear, lower, higher,
    midpoint or nearest."""
    return _ranked("quantile", a, q, axis, out, method, keepdims, 1.0, False)


def percentile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """What q percent of the elements are below."""
    return _ranked("percentile", a, q, axis, out, method, keepdims, 100.0, False)


def median(
    a: Any, axis: Any = None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The element in the middle, of two such their mean."""
    return _ranked("median", a, 0.5, axis, out, "midpoint", keepdims, 1.0, False)


def nanquantile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """What a share q of the elements that are not NaN is below."""
    return _ranked("nanquantile", a, q, axis, out, method, keepdims, 1.0, True)


def nanpercentile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """What q percent of the elements that are not NaN are below."""
    return _ranked("nanpercentile", a, q, axis, out, method, keepdims, 100.0, True)


def nanmedian(
    a: Any, axis: Any = None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The element in the middle of those that are not NaN, of two such their mean."""
    return _ranked("nanmedian", a, 0.5, axis, out, "midpoint", keepdims, 1.0, True)


def _instead(a: Tensor, value: float) -> Tensor:
    """a with another number in place of NaN."""
    return _ops.where(is_nan(a), value, a) if a.dtype.is_floating_point else a


def _extreme(
    what: str, find: Any, worst: float, a: Any, axis: Any, out: Any, keep: bool
) -> Tensor:
    """The largest or smallest that is not NaN; of NaN alone NaN."""
    no_out(out, what)
    a = as_tensor(a)
    made: Tensor = find(_instead(a, worst), axis=axis, keepdims=keep)
    if not a.dtype.is_floating_point:
        return made
    none = reduce.all(is_nan(a), axis=axis, keepdims=keep)
    return _ops.where(none, float("nan"), made)


def nanmax(
    a: Any, axis: Any = None, out: None = None, keepdims: bool = False
) -> Tensor:
    """The largest element that is not NaN."""
    return _extreme("nanmax", reduce.amax, -_INF, a, axis, out, keepdims)


def nanmin(
    a: Any, axis: Any = None, out: None = None, keepdims: bool = False
) -> Tensor:
    """The smallest element that is not NaN."""
    return _extreme("nanmin", reduce.amin, _INF, a, axis, out, keepdims)


def _place(
    what: str, find: Any, worst: float, a: Any, axis: Any, out: Any, keep: bool
) -> Tensor:
    no_out(out, what)
    not_several(axis, what)
    a = as_tensor(a)
    if a.dtype.is_floating_point and not a.symbolic:
        none = reduce.all(is_nan(a), axis=axis)
        if bool(reduce.any(none)):
            raise ValueError(f"{what}(): all elements are NaN; wanted one that is not")
    made: Tensor = find(_instead(a, worst), axis=axis, keepdims=keep)
    return made


def nanargmax(
    a: Any, axis: int | None = None, out: None = None, *, keepdims: bool = False
) -> Tensor:
    """Where the largest element is that is not NaN."""
    return _place("nanargmax", reduce.argmax, -_INF, a, axis, out, keepdims)


def nanargmin(
    a: Any, axis: int | None = None, out: None = None, *, keepdims: bool = False
) -> Tensor:
    """Where the smallest element is that is not NaN."""
    return _place("nanargmin", reduce.argmin, _INF, a, axis, out, keepdims)


def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: float = 0,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The variance of what is not NaN."""
    if not as_tensor(a).dtype.is_floating_point:
        return var(a, axis, dtype, out, ddof, keepdims)
    no_out(out, "nanvar")
    a = _in_type(a, dtype, "nanvar")
    there = _ops.logical_not(is_nan(a))
    count = reduce.sum(_ops.cast(there, a.dtype), axis=axis, keepdims=True)
    total = reduce.sum(_instead(a, 0.0), axis=axis, keepdims=True)
    off = _ops.square(_ops.sub(a, _ops.div(total, count)))
    off = _ops.where(there, off, 0.0)
    whole = reduce.sum(_ops.cast(there, a.dtype), axis=axis, keepdims=keepdims)
    left = _ops.sub(whole, float(ddof))
    made = _ops.div(reduce.sum(off, axis=axis, keepdims=keepdims), left)
    return _ops.where(_ops.greater(left, 0), made, float("nan"))


def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: float = 0,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The standard deviation of what is not NaN."""
    return _ops.sqrt(nanvar(a, axis, dtype, out, ddof, keepdims))


def variables(m: Any, y: Any, rowvar: bool, what: str) -> Tensor:
    """Variables one a row, those of y below those of m."""
    parts = [real_floats(v, what) for v in ((m,) if y is None else (m, y))]
    rows = []
    for part in parts:
        if part.ndim > 2:
            raise ValueError(f"{what}(): {part.ndim} axes; wanted 2 at most")
        row = _ops.reshape(part, (1, -1)) if part.ndim < 2 else part
        turn = not rowvar and (part.ndim == 2 if not rows else row.shape[0] != 1)
        rows.append(_ops.transpose(row) if turn else row)
    return concat(rows) if len(rows) > 1 else rows[0]


def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False,
    ddof: int | None = None, fweights: Any = None, aweights: Any = None,
) -> Tensor:  # fmt: skip
    """The covariances of variables, one a row; y has more of them.

    rowvar=False: one a column. bias=True: divided by n, which is ddof=0.
    """
    if ddof is None:
        ddof = 0 if bias else 1
    rows = variables(m, y, rowvar, "cov")
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        given = as_tensor(given)
        real = given.dtype.is_floating_point
        if list(given.shape) != [rows.shape[1]] or (real and name == "fweights"):
            raise ValueError(f"cov(): {name} are {given.dtype.name} {list(given.shape)}"
                             f"; wanted {rows.shape[1]}"
                             + (" integers" if name == "fweights" else ""))
        if not given.symbolic and bool(_ops.any_of(_ops.less(given, 0))):
            raise ValueError(f"cov(): {name} below 0; wanted 0 or more")
    return observations.cov(
        rows, correction=ddof, fweights=fweights, aweights=aweights)


def _borders(a: Tensor, bins: Any, range: Any) -> Tensor:
    """The borders of bins: given, or at equal distances from end to end."""
    if not isinstance(bins, int):
        if isinstance(bins, str):
            raise TypeError(f"histogram(): bins is {bins!r}; wanted how many, or "
                            "their borders")  # fmt: skip
        edges = as_tensor(bins)
        if edges.ndim != 1:
            raise ValueError(f"histogram(): bins has {edges.ndim} axes; wanted 1")
        falls = reduce.any(_ops.less(edges[1:], edges[:-1]))
        if not falls.symbolic and bool(falls):
            raise ValueError("histogram(): bins fall; wanted borders that grow")
        return edges
    if bins < 1:
        raise ValueError(f"histogram(): bins is {bins}; wanted 1 or more")
    if range is not None:
        low, high = (float(v) for v in range)
    elif a.numel():
        low, high = float(reduce.amin(a)), float(reduce.amax(a))
    else:
        low, high = 0.0, 1.0
    if not (isfinite(low) and isfinite(high)) or low > high:
        raise ValueError(f"histogram(): from {low} to {high}; wanted finite numbers, "
                         "the larger one last")  # fmt: skip
    if low == high:
        low, high = low - 0.5, high + 0.5
    kind = a.dtype if a.dtype.is_floating_point else _core.default_float()
    made: Tensor = linspace(low, high, bins + 1, dtype=kind)
    return made


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool | None = None,
    weights: Any = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """How many elements are between borders, the last included, and the borders.

    density=True: the share of each bin divided by its width.
    """
    a = as_tensor(a)
    if a.dtype.is_complex:
        raise TypeError(f"histogram(): a is {a.dtype.name}; wanted real numbers")
    if weights is not None and as_tensor(weights).shape != a.shape:
        raise ValueError(f"histogram(): weights are {list(as_tensor(weights).shape)}, "
                         f"a is {list(a.shape)}; wanted one shape")  # fmt: skip
    a = ravel(a)
    edges = _borders(a, bins, range)
    # All of them are compared exactly.
    line, values = _ops.cast(edges, _core.float64), _ops.cast(a, _core.float64)
    inside = _ops.logical_and(
        _ops.greater_equal(values, line[0]), _ops.less_equal(values, line[-1]))
    kept = values[inside]
    count = int(edges.shape[0]) - 1
    place = searchsorted(line, kept, right=True)
    place = _ops.minimum(_ops.sub(place, 1), count - 1)
    if weights is None:
        made = _ops.bin_count(place, minlength=count)
    else:
        given = ravel(as_tensor(weights))[inside]
        kind = given.dtype
        if kind.is_complex:
            raise TypeError(f"histogram(): weights are {kind.name}; wanted real ones")
        kind = _core.int64 if kind == _core.bool else kind
        given = _ops.cast(given, _core.float64)
        made = _ops.cast(_ops.bin_count(place, given, minlength=count), kind)
    if density:
        width = _ops.sub(line[1:], line[:-1])
        share = _ops.div(_ops.cast(made, _core.float64), width)
        made = _ops.div(share, _ops.sum(_ops.cast(made, _core.float64)))
        made = _ops.cast(made, _core.default_float())
    return made, edges
