"""Elementwise functions: operands meet by the standard's table.

A function is a row: its name, what serves for real numbers, what for complex ones,
the kinds it takes. Kinds go from bools (0), integers and floats to complex numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _core, _ops
from .._array import math as _math
from .._array.shape import own_copy
from .._core import Tensor
from . import _complex, _complex_inverse as _inverse
from ._operands import array, filled, of_kind, pair

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]

_BOOL, _INT, _FLOAT, _COMPLEX = range(4)
Unary = Callable[[Tensor], Tensor]
Binary = Callable[[Tensor, Tensor], Tensor]


def _one(
    name: str,
    doc: str,
    of_real: Unary,
    of_complex: Unary | None = None,
    lowest: int = _FLOAT,
) -> Unary:
    highest = _FLOAT if of_complex is None else _COMPLEX

    def function(x: Tensor, /) -> Tensor:
        x = of_kind(array(x, name), name, lowest, highest)
        if of_complex is not None and x.dtype.is_complex:
            return of_complex(x)
        return of_real(x)

    return _named(function, name, doc)


def _two(
    name: str,
    doc: str,
    of_real: Binary,
    of_complex: Binary | None = None,
    lowest: int = _INT,
    highest: int = _FLOAT,
) -> Callable[[Any, Any], Tensor]:
    if of_complex is not None:
        highest = _COMPLEX

    def function(x1: Any, x2: Any, /) -> Tensor:
        a, b = pair(x1, x2, name)
        of_kind(a, name, lowest, highest)
        if of_complex is not None and a.dtype.is_complex:
            return of_complex(a, b)
        return of_real(a, b)

    return _named(function, name, doc)


def _named(function: Any, name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _of(f: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]) -> Unary:
    return _complex.on_parts(f)


# Floating point numbers, real and complex. The derivative is that of complex ones.
def _analytic(
    name: str, doc: str, of_real: Unary, of_complex: Unary, slope: Binary
) -> Unary:
    return _one(name, doc, of_real, _complex.with_slope(of_complex, slope))


def _inverted(x: Tensor) -> Tensor:
    return _ops.div(1.0, x)


def _rest(z: Tensor) -> Tensor:
    """1 - z^2."""
    return _ops.sub(1.0, _ops.square(z))


def _more(z: Tensor) -> Tensor:
    """1 + z^2."""
    return _ops.add(_ops.square(z), 1.0)


acos = _analytic("acos", "The angle with this cosine.", _ops.acos, _of(_inverse.acos),
                 lambda z, y: _ops.neg(_inverted(sqrt(_rest(z)))))  # fmt: skip
acosh = _analytic("acosh", "The inverse of cosh.", _ops.acosh, _of(_inverse.acosh),
                  lambda z, y: _inverted(_ops.mul(sqrt(_ops.sub(z, 1.0)),
                                                  sqrt(_ops.add(z, 1.0)))))  # fmt: skip
asin = _analytic("asin", "The angle with this sine.", _ops.asin, _of(_inverse.asin),
                 lambda z, y: _inverted(sqrt(_rest(z))))  # fmt: skip
asinh = _analytic("asinh", "The inverse of sinh.", _ops.asinh, _of(_inverse.asinh),
                  lambda z, y: _inverted(sqrt(_more(z))))  # fmt: skip
atan = _analytic("atan", "The angle with this tangent.", _ops.atan,
                 _complex.turned(_inverse.atanh),
                 lambda z, y: _inverted(_more(z)))  # fmt: skip
atanh = _analytic("atanh", "The inverse of tanh.", _ops.atanh, _of(_inverse.atanh),
                  lambda z, y: _inverted(_rest(z)))  # fmt: skip
cos = _analytic("cos", "The cosine.", _ops.cos, _of(_complex.cos),
                lambda z, y: _ops.neg(sin(z)))  # fmt: skip
cosh = _analytic("cosh", "The hyperbolic cosine.", _ops.cosh, _of(_complex.cosh),
                 lambda z, y: sinh(z))  # fmt: skip
exp = _analytic("exp", "e to the power of x.", _ops.exp, _of(_complex.exp),
                lambda z, y: y)  # fmt: skip
expm1 = _analytic("expm1", "e^x - 1, exact near 0.", _ops.expm1, _of(_complex.expm1),
                  lambda z, y: _ops.add(y, 1.0))  # fmt: skip
log = _analytic("log", "The natural logarithm.", _ops.log, _of(_complex.log),
                lambda z, y: _inverted(z))  # fmt: skip
log1p = _analytic("log1p", "log(1 + x), exact near 0.", _ops.log1p,
                  _of(_complex.log1p),
                  lambda z, y: _inverted(_ops.add(z, 1.0)))  # fmt: skip
log2 = _analytic("log2", "The logarithm to base 2.", _ops.log2, _of(_complex.log_to(2)),
                 lambda z, y: _inverted(_ops.mul(z, math.log(2))))  # fmt: skip
log10 = _analytic("log10", "The logarithm to base 10.", _ops.log10,
                  _of(_complex.log_to(10)),
                  lambda z, y: _inverted(_ops.mul(z, math.log(10))))  # fmt: skip
reciprocal = _analytic("reciprocal", "1 / x.", _ops.reciprocal,
                       _of(_complex.reciprocal),
                       lambda z, y: _ops.neg(_ops.square(y)))  # fmt: skip
sin = _analytic("sin", "The sine.", _ops.sin, _complex.turned(_complex.sinh),
                lambda z, y: cos(z))  # fmt: skip
sinh = _analytic("sinh", "The hyperbolic sine.", _ops.sinh, _of(_complex.sinh),
                 lambda z, y: cosh(z))  # fmt: skip
sqrt = _analytic("sqrt", "The square root.", _ops.sqrt, _of(_complex.sqrt),
                 lambda z, y: _ops.div(0.5, y))  # fmt: skip
tan = _analytic("tan", "The tangent.", _ops.tan, _complex.turned(_complex.tanh),
                lambda z, y: _more(y))  # fmt: skip
tanh = _analytic("tanh", "The hyperbolic tangent.", _ops.tanh, _of(_complex.tanh),
                 lambda z, y: _rest(y))  # fmt: skip

# Numbers of every kind.
abs = _one("abs", "The absolute value.", _ops.abs, _ops.complex_abs, _INT)
ceil = _one("ceil", "The smallest integer not below x.", _math.ceil, None, _INT)
conj = _one("conj", "The complex conjugate.", own_copy, _ops.conj, _INT)
floor = _one("floor", "The largest integer not above x.", _math.floor, None, _INT)
negative = _one("negative", "-x.", _ops.neg, _ops.neg, _INT)
round = _one("round", "The nearest integer; halves go to even.", _math.round,
             _of(_complex.rounded), _INT)  # fmt: skip
signbit = _one("signbit", "Whether x is negative, -0.0 included.", _math.signbit)
square = _one("square", "x times x.", _ops.square, _ops.square, _INT)
trunc = _one("trunc", "x without its fraction.", _math.trunc, None, _INT)
bitwise_invert = _one("bitwise_invert", "Every bit flipped; of bools the opposite.",
                      lambda x: ~x, None, _BOOL)  # fmt: skip


def _known(value: bool) -> Unary:
    return lambda x: filled(x, x.shape, value, _core.bool)


def _of_floats(f: Unary, otherwise: bool) -> Unary:
    """f of floats; of integers the answer is known."""
    known = _known(otherwise)
    return lambda x: f(x) if x.dtype.is_floating_point else known(x)


isfinite = _one("isfinite", "Whether x is neither infinite nor NaN.",
                _of_floats(_ops.isfinite, True), _complex.both_finite,
                _INT)  # fmt: skip
isinf = _one("isinf", "Whether x is infinite.", _of_floats(_ops.isinf, False),
             _complex.either(_ops.isinf), _INT)  # fmt: skip
isnan = _one("isnan", "Whether x is NaN.", _of_floats(_ops.isnan, False),
             _complex.either(_ops.isnan), _INT)  # fmt: skip
logical_not = _one("logical_not", "Whether x is false.", _math.logical_not, None, _BOOL)


def _floor_divide(a: Tensor, b: Tensor) -> Tensor:
    """An infinite x1 stays infinite, as the standard has it, where PyTorch's is NaN,
    and a quotient by infinity is 0, where PyTorch's is -1 for different signs."""
    made = _ops.floor_div(a, b)
    if not a.dtype.is_floating_point:
        return made
    wild = _ops.logical_xor(_ops.isinf(a), _ops.isinf(b))
    known = _ops.logical_not(_ops.logical_or(_ops.isnan(a), _ops.isnan(b)))
    return _ops.where(_ops.logical_and(wild, known), _ops.div(a, b), made)


add = _two("add", "x1 + x2.", _ops.add, _ops.add)
subtract = _two("subtract", "x1 - x2.", _ops.sub, _ops.sub)
multiply = _two("multiply", "x1 times x2.", _ops.mul, _ops.mul)
divide = _two("divide", "x1 / x2; integers give floats.", _math.divide, _ops.div)
floor_divide = _two("floor_divide", "x1 / x2, rounded down.", _floor_divide)
remainder = _two("remainder", "What floor_divide leaves, with the sign of x2.",
                 _ops.mod)  # fmt: skip
pow = _two("pow", "x1 to the power of x2.", _ops.pow, _complex.power_with_gradient)
atan2 = _two("atan2", "The angle of the point (x2, x1).", _ops.atan2, None, _FLOAT)
copysign = _two("copysign", "x1 with the sign of x2.", _ops.copy_sign, None, _FLOAT)
hypot = _two("hypot", "The length of the vector (x1, x2).", _ops.hypot, None, _FLOAT)
logaddexp = _two("logaddexp", "log(exp(x1) + exp(x2)).", _ops.log_add_exp, None,
                 _FLOAT)  # fmt: skip
nextafter = _two("nextafter", "The number after x1 towards x2.", _ops.next_after, None,
                 _FLOAT)  # fmt: skip
maximum = _two("maximum", "The larger of both; NaN wins.", _ops.maximum)
minimum = _two("minimum", "The smaller of both; NaN wins.", _ops.minimum)

equal = _two("equal", "Whether both are equal.", _ops.equal, _ops.equal, _BOOL)
not_equal = _two("not_equal", "Whether both differ.", _ops.not_equal, _ops.not_equal,
                 _BOOL)  # fmt: skip
greater = _two("greater", "x1 > x2.", _ops.greater)
greater_equal = _two("greater_equal", "x1 >= x2.", _ops.greater_equal)
less = _two("less", "x1 < x2.", _ops.less)
less_equal = _two("less_equal", "x1 <= x2.", _ops.less_equal)

bitwise_and = _two("bitwise_and", "The bits set in both.", _ops.bitwise_and, None,
                   _BOOL, _INT)  # fmt: skip
bitwise_or = _two("bitwise_or", "The bits set in one or both.", _ops.bitwise_or, None,
                  _BOOL, _INT)  # fmt: skip
bitwise_xor = _two("bitwise_xor", "The bits set in just one.", _ops.bitwise_xor, None,
                   _BOOL, _INT)  # fmt: skip
bitwise_left_shift = _two("bitwise_left_shift", "x1 with its bits moved up.",
                          _math.bitwise_left_shift, None, _INT, _INT)  # fmt: skip
bitwise_right_shift = _two("bitwise_right_shift", "x1 with its bits moved down.",
                           _math.bitwise_right_shift, None, _INT, _INT)  # fmt: skip
logical_and = _two("logical_and", "Whether both are true.", _math.logical_and, None,
                   _BOOL)  # fmt: skip
logical_or = _two("logical_or", "Whether one or both are true.", _math.logical_or, None,
                  _BOOL)  # fmt: skip
logical_xor = _two("logical_xor", "Whether just one is true.", _math.logical_xor, None,
                   _BOOL)  # fmt: skip


def positive(x: Tensor, /) -> Tensor:
    """x, with elements of its own."""
    return own_copy(of_kind(array(x, "positive"), "positive", _INT, _COMPLEX))


def real(x: Tensor, /) -> Tensor:
    """The real parts; real numbers are their own."""
    x = of_kind(array(x, "real"), "real", _INT, _COMPLEX)
    return _ops.real(x) if x.dtype.is_complex else own_copy(x)


def imag(x: Tensor, /) -> Tensor:
    """The imaginary parts."""
    return _ops.imag(of_kind(array(x, "imag"), "imag", _COMPLEX, _COMPLEX))


def sign(x: Tensor, /) -> Tensor:
    """-1, 0 or 1; NaN of NaN; of complex numbers x / |x|."""
    x = of_kind(array(x, "sign"), "sign", _INT, _COMPLEX)
    if x.dtype.is_complex:
        return _complex.on_parts(_complex.sign)(x)
    made = _ops.sign(x)
    return _ops.where(_ops.isnan(x), x, made) if x.dtype.is_floating_point else made
