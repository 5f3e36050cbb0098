"""Orthogonal polynomials by their degree, and Riemann's zeta function.

By their recurrences, the degree an integer or a tensor of integers: as many steps as
the largest one takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .error_functions import floats
from .shape import as_tensor
from .types import result_type

__all__ = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "zeta",
]

Step = Callable[[Tensor, Tensor, Tensor, int], Tensor]


def _number(v: Any) -> Any:
    return v if isinstance(v, (int, float)) else as_tensor(v)


def _by_steps(x: Any, n: Any, first: Any, step: Step, what: str) -> Tensor:
    """P_n(x) of P_0 = 1, P_1 = first(x) and P_(k+1) = step(x, P_k, P_(k-1), k)."""
    x, n = _number(x), _number(n)
    kind = result_type(x, n)
    if kind.is_complex:
        raise TypeError(f"{what}(): {kind.name}; wanted real numbers")
    x = _ops.cast(as_tensor(x), kind if kind.is_floating_point else _core.float32)
    if isinstance(n, Tensor):
        if n.symbolic:
            raise NotImplementedError(
                f"{what}(): n is computed in a graph; wanted an int"
            )
        n = _ops.cast(n, _core.int64)
        most = int(_ops.max(_ops.reshape(n, (-1,)), 0)) if n.numel() else 0
        zero = _ops.zeros_like(_ops.add(x, _ops.cast(n, x.dtype)))
    else:
        n = most = int(n)
        zero = _ops.zeros_like(x)
    if most > 10000:
        raise ValueError(f"{what}(): n is {most}; wanted 10000 at most")
    before, now, made = _ops.ones_like(x), first(x), zero
    for k in range(most + 1):
        if isinstance(n, Tensor):
            made = _ops.where(_ops.equal(n, k), _ops.add(zero, before), made)
        elif n == k:
            made = before
        before, now = now, step(x, now, before, k + 1)
    return made


def _chebyshev(x: Tensor, now: Tensor, before: Tensor, k: int) -> Tensor:
    return _ops.sub(_ops.mul(_ops.mul(x, 2.0), now), before)


def chebyshev_polynomial_t(x: Any, n: Any) -> Tensor:
    """Chebyshev's polynomial of the first kind: cos(n t) of x = cos(t)."""
    return _by_steps(x, n, lambda v: v, _chebyshev, "chebyshev_polynomial_t")


def chebyshev_polynomial_u(x: Any, n: Any) -> Tensor:
    """Chebyshev's polynomial of the second kind: sin((n + 1) t) / sin(t)."""
    return _by_steps(x, n, lambda v: v * 2, _chebyshev, "chebyshev_polynomial_u")


def chebyshev_polynomial_v(x: Any, n: Any) -> Tensor:
    """Chebyshev's polynomial of the third kind: cos((n + 1/2) t) / cos(t / 2)."""
    return _by_steps(x, n, lambda v: v * 2 - 1, _chebyshev, "chebyshev_polynomial_v")


def chebyshev_polynomial_w(x: Any, n: Any) -> Tensor:
    """Chebyshev's polynomial of the fourth kind: sin((n + 1/2) t) / sin(t / 2)."""
    return _by_steps(x, n, lambda v: v * 2 + 1, _chebyshev, "chebyshev_polynomial_w")


def _shifted(x: Any) -> Any:
    return _ops.sub(_ops.mul(floats(x, "shifted_chebyshev_polynomial"), 2.0), 1.0)


def shifted_chebyshev_polynomial_t(x: Any, n: Any) -> Tensor:
    """chebyshev_polynomial_t of 2 x - 1."""
    return chebyshev_polynomial_t(_shifted(x), n)


def shifted_chebyshev_polynomial_u(x: Any, n: Any) -> Tensor:
    """chebyshev_polynomial_u of 2 x - 1."""
    return chebyshev_polynomial_u(_shifted(x), n)


def shifted_chebyshev_polynomial_v(x: Any, n: Any) -> Tensor:
    """chebyshev_polynomial_v of 2 x - 1."""
    return chebyshev_polynomial_v(_shifted(x), n)


def shifted_chebyshev_polynomial_w(x: Any, n: Any) -> Tensor:
    """chebyshev_polynomial_w of 2 x - 1."""
    return chebyshev_polynomial_w(_shifted(x), n)


def hermite_polynomial_h(x: Any, n: Any) -> Tensor:
    """Hermite's polynomial as physicists have it: leading with 2^n x^n."""

    def step(v: Tensor, now: Tensor, before: Tensor, k: int) -> Tensor:
        return _ops.mul(_ops.sub(_ops.mul(v, now), _ops.mul(before, float(k))), 2.0)

    return _by_steps(x, n, lambda v: v * 2, step, "hermite_polynomial_h")


def hermite_polynomial_he(x: Any, n: Any) -> Tensor:
    """Hermite's polynomial as probability has it: leading with x^n."""

    def step(v: Tensor, now: Tensor, before: Tensor, k: int) -> Tensor:
        return _ops.sub(_ops.mul(v, now), _ops.mul(before, float(k)))

    return _by_steps(x, n, lambda v: v, step, "hermite_polynomial_he")


def laguerre_polynomial_l(x: Any, n: Any) -> Tensor:
    """Laguerre's polynomial."""

    def step(v: Tensor, now: Tensor, before: Tensor, k: int) -> Tensor:
        grown = _ops.mul(_ops.sub(2.0 * k + 1, v), now)
        return _ops.div(_ops.sub(grown, _ops.mul(before, float(k))), k + 1.0)

    return _by_steps(x, n, lambda v: 1 - v, step, "laguerre_polynomial_l")


def legendre_polynomial_p(x: Any, n: Any) -> Tensor:
    """Legendre's polynomial."""

    def step(v: Tensor, now: Tensor, before: Tensor, k: int) -> Tensor:
        grown = _ops.mul(_ops.mul(v, now), 2.0 * k + 1)
        return _ops.div(_ops.sub(grown, _ops.mul(before, float(k))), k + 1.0)

    return _by_steps(x, n, lambda v: v, step, "legendre_polynomial_p")


# Bernoulli's numbers B_2, B_4, ... over (2 k)!, of Euler's and Maclaurin's sum.
_BERNOULLI = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160,
    -691 / 1307674368000, 1 / 74724249600, -3617 / 10670622842880000,
)  # fmt: skip
_TERMS = 12  # summed one by one before the rest is taken as a whole


def zeta(x: Any, other: Any) -> Tensor:
    """The sum of (other + k)^-x over k = 0, 1, ...: infinite at x = 1, NaN below."""
    x, q = as_tensor(x), as_tensor(other)
    kind = result_type(x, q)
    if kind.is_complex:
        raise TypeError(f"zeta(): {kind.name}; wanted real numbers")
    kind = kind if kind.is_floating_point else _core.float32
    s, a = _ops.cast(x, _core.float64), _ops.cast(q, _core.float64)
    good = _ops.logical_and(_ops.greater(s, 1.0), _ops.greater(a, 0.0))
    s = _ops.where(good, s, 2.0)
    a = _ops.where(good, a, 1.0)
    made = _ops.zeros_like(_ops.add(s, a))
    for k in range(_TERMS):
        made = _ops.add(made, _ops.pow(_ops.add(a, float(k)), _ops.neg(s)))
    far = _ops.add(a, float(_TERMS))
    last = _ops.pow(far, _ops.neg(s))
    whole = _ops.div(_ops.mul(last, far), _ops.sub(s, 1.0))
    rest = _ops.add(whole, _ops.mul(last, 0.5))
    term = _ops.div(_ops.mul(last, s), far)
    for k, weight in enumerate(_BERNOULLI):
        rest = _ops.add(rest, _ops.mul(term, weight))
        up = _ops.mul(_ops.add(s, 2.0 * k + 1), _ops.add(s, 2.0 * k + 2))
        term = _ops.div(_ops.mul(term, up), _ops.square(far))
    made = _ops.add(made, rest)
    wide_s, wide_a = _ops.cast(x, _core.float64), _ops.cast(q, _core.float64)
    pole = _ops.logical_and(_ops.less_equal(wide_a, 0.0),
                            _ops.equal(wide_a, _ops.floor(wide_a)))  # fmt: skip
    pole = _ops.logical_and(_ops.greater(wide_s, 1.0), pole)
    infinite = _ops.logical_or(_ops.equal(wide_s, 1.0), pole)
    made = _ops.where(good, made, float("nan"))
    return _ops.cast(_ops.where(infinite, float("inf"), made), kind)
