"""Ops on complex numbers without complex kernels, made of ops on their parts.

The extension calls `call` with the op's name. Elementwise functions come from the
namespace of the array standard. A linear op runs on both parts, a bilinear one on all
four pairs of parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core, _ops
from ._core import Tensor
from .array_api import _complex, _elementwise as _each, linalg as _matrices
from .array_api._statistics import _complex_products, prod as _prod

__all__: list[str] = []

_c64 = _core.complex64
Options = dict[str, Any]
Made = Callable[[str, list[Tensor], Options], Any]


def _one(f: Callable[[Tensor], Tensor]) -> Made:
    return lambda name, xs, options: f(xs[0])


def _sigmoid(z: Tensor) -> Tensor:
    return _ops.div(1.0, _ops.add(_each.exp(_ops.neg(z)), 1.0))


def _exp2(z: Tensor) -> Tensor:
    return _each.exp(_ops.mul(z, 0.6931471805599453))


def _power(name: str, xs: list[Tensor], options: Options) -> Any:
    return _complex.power_with_gradient(*(_ops.cast(x, _c64) for x in xs))


def _on_both_parts(name: str, xs: list[Tensor], options: Options) -> Any:
    """A linear op."""
    op = _core.op_function(name)
    return _ops.make_complex(*(op(part(xs[0]), **options)
                               for part in (_ops.real, _ops.imag)))  # fmt: skip


def _product(name: str, xs: list[Tensor], options: Options) -> Any:
    """An op that is linear in each of two operands."""
    if len(xs) != 2:
        return NotImplemented
    op = _core.op_function(name)
    if name == "Einsum":
        op = lambda a, b, **more: _core.op_function(name)([a, b], **more)  # noqa: E731
    (ar, ai), (br, bi) = (
        (_ops.real(x), _ops.imag(x)) for x in (_ops.cast(x, _c64) for x in xs)
    )
    re = _ops.sub(op(ar, br, **options), op(ai, bi, **options))
    return _ops.make_complex(re, _ops.add(op(ar, bi, **options), op(ai, br, **options)))


def _products(name: str, xs: list[Tensor], options: Options) -> Any:
    axes = options.get("axes")
    return _prod(xs[0], axis=tuple(axes) if axes else None,
                 keepdims=options.get("keep_dims", False))  # fmt: skip


def _running(name: str, xs: list[Tensor], options: Options) -> Any:
    if options.get("exclusive") or options.get("reverse"):
        return NotImplemented
    return _complex_products(xs[0], options.get("axis", 0) % xs[0].ndim)


def _solve(name: str, xs: list[Tensor], options: Options) -> Any:
    return _matrices.solve(*(_ops.cast(x, _c64) for x in xs))


_CALLS: dict[str, Made] = {
    **{
        name: _one(getattr(_each, name.lower()))
        for name in """Acos Acosh Asin Asinh Atan Atanh Cos Cosh Exp Expm1 Log Log10
        Log1p Log2 Reciprocal Sin Sinh Sqrt Tan Tanh IsFinite IsInf IsNan""".split()
    },
    "Exp2": _one(_exp2),
    "Rsqrt": _one(lambda z: _ops.div(1.0, _each.sqrt(z))),
    "Sigmoid": _one(_sigmoid),
    "Pow": _power,
    "Mean": _on_both_parts,
    "Norm": lambda name, xs, options: _ops.norm(_ops.complex_abs(xs[0]), **options),
    "CumSum": _on_both_parts,
    "Prod": _products,
    "CumProd": _running,
    "Inverse": _one(_matrices.inv),
    "Det": _one(_matrices.det),
    "Solve": _solve,
    **dict.fromkeys("MatMul BatchMatMul MatVec Dot Outer Einsum".split(), _product),
}


def call(name: str, operands: list[Tensor], options: Options) -> Any:
    """The result, or NotImplemented if the op has no such form."""
    made = _CALLS.get(name)
    return NotImplemented if made is None else made(name, operands, options)
