"""Elementwise operations: operands of one type, as TensorFlow wants them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._dtypes import DType, as_dtype, float32, float64, int32, int64, string
from ._dtypes import bool as bool_
from ._emit import convert, emit, scoped, typed_constant

# Extended by the functions made from the tables below.
__all__ = [
    "abs",
    "add",
    "atan2",
    "cast",
    "ceil",
    "div",
    "div_no_nan",
    "divide",
    "floor",
    "floor_div",
    "floordiv",
    "logical_not",
    "logical_xor",
    "mod",
    "multiply",
    "pow",
    "round",
    "saturate_cast",
    "sign",
    "subtract",
    "to_bfloat16",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
    "truediv",
]

_abs, _pow, _round = abs, pow, round

# The types that an operation supports.
_FLOATS = "a real or complex float"
_REALS = "a real float"
_NUMBERS = "a number"
_ORDERED = "a real number"
_SIGNED = "a number that has a sign"
_WIDE = "a float, int32 or int64"
_BOOLS = "bool"
_ANY = "anything"


def allowed(op: str, dtype: DType, kinds: str) -> None:
    """TypeError unless the operation takes that type."""
    number = dtype.is_floating or dtype.is_integer or dtype.is_complex
    fits = {
        _FLOATS: dtype.is_floating or dtype.is_complex,
        _REALS: dtype.is_floating,
        _NUMBERS: number,
        _ORDERED: number and not dtype.is_complex,
        _SIGNED: number and not dtype.is_unsigned,
        _WIDE: number and (not dtype.is_integer or dtype in (int32, int64)),
        _BOOLS: dtype is bool_,
        _ANY: True,
    }[kinds]
    if not fits:
        raise TypeError(
            f"Value passed to parameter 'x' of {op} has DataType {dtype.name}; "
            f"wanted {kinds}"
        )


def _unary(op: str, label: str, kinds: str) -> Callable[..., Any]:
    def call(x: Any, name: str | None = None) -> Any:
        with scoped(name, label, x) as full:
            x = convert(x, name="x")
            allowed(label, x.dtype, kinds)
            return emit(full, op, x)

    call.__doc__ = f"{label} of each element."
    return call


# name: (op, the name of the node, the supported types)
_UNARY = {
    "acos": ("acos", "Acos", _FLOATS),
    "acosh": ("acosh", "Acosh", _FLOATS),
    "asin": ("asin", "Asin", _FLOATS),
    "asinh": ("asinh", "Asinh", _FLOATS),
    "atan": ("atan", "Atan", _FLOATS),
    "atanh": ("atanh", "Atanh", _FLOATS),
    "cos": ("cos", "Cos", _FLOATS),
    "cosh": ("cosh", "Cosh", _FLOATS),
    "digamma": ("digamma", "Digamma", _REALS),
    "erf": ("erf", "Erf", _REALS),
    "erfc": ("erfc", "Erfc", _REALS),
    "exp": ("exp", "Exp", _FLOATS),
    "expm1": ("expm1", "Expm1", _FLOATS),
    "is_finite": ("isfinite", "IsFinite", _REALS),
    "is_inf": ("isinf", "IsInf", _REALS),
    "is_nan": ("isnan", "IsNan", _REALS),
    "lgamma": ("lgamma", "Lgamma", _REALS),
    "log": ("log", "Log", _FLOATS),
    "log1p": ("log1p", "Log1p", _FLOATS),
    "negative": ("neg", "Neg", _SIGNED),
    "reciprocal": ("reciprocal", "Reciprocal", _FLOATS),
    "rsqrt": ("rsqrt", "Rsqrt", _FLOATS),
    "sigmoid": ("sigmoid", "Sigmoid", _FLOATS),
    "sin": ("sin", "Sin", _FLOATS),
    "sinh": ("sinh", "Sinh", _FLOATS),
    "sqrt": ("sqrt", "Sqrt", _FLOATS),
    "square": ("square", "Square", _NUMBERS),
    "tan": ("tan", "Tan", _FLOATS),
    "tanh": ("tanh", "Tanh", _FLOATS),
}
for _name, _row in _UNARY.items():
    globals()[_name] = _unary(*_row)
    globals()[_name].__name__ = globals()[_name].__qualname__ = _name
    __all__.append(_name)
negative = globals()["negative"]
sqrt = globals()["sqrt"]


def same_type(op: str, x: Any, y: Any) -> None:
    if x.dtype != y.dtype:
        raise TypeError(
            f"Input 'y' of '{op}' Op has type {y.dtype.name} that does not match "
            f"type {x.dtype.name} of argument 'x'."
        )


def _pair(op: str, x: Any, y: Any, kinds: str) -> tuple[Any, Any]:
    """Both operands; the second takes the type of the first."""
    x = convert(x, name="x")
    y = convert(y, name="y", hint=x.dtype)
    same_type(op, x, y)
    allowed(op, x.dtype, kinds)
    return x, y


def _binary(op: str, label: str, kinds: str) -> Callable[..., Any]:
    def call(x: Any, y: Any, name: str | None = None) -> Any:
        with scoped(name, label, x, y) as full:
            x, y = _pair(label, x, y, kinds)
            if x.dtype is string and op == "not_equal":
                return emit(full, "logical_not", emit(None, "string_equal", x, y))
            return emit(full, "string_equal" if x.dtype is string else op, x, y)

    call.__doc__ = f"{label} of each pair of elements; both of one type."
    return call


_BINARY = {
    "equal": ("equal", "Equal", _ANY),
    "greater": ("greater", "Greater", _ORDERED),
    "greater_equal": ("greater_equal", "GreaterEqual", _ORDERED),
    "less": ("less", "Less", _ORDERED),
    "less_equal": ("less_equal", "LessEqual", _ORDERED),
    "logical_and": ("logical_and", "LogicalAnd", _BOOLS),
    "logical_or": ("logical_or", "LogicalOr", _BOOLS),
    "not_equal": ("not_equal", "NotEqual", _ANY),
    "realdiv": ("div", "RealDiv", _FLOATS),
    "squared_difference": ("squared_difference", "SquaredDifference", _WIDE),
    "floormod": ("mod", "FloorMod", _ORDERED),
}
for _name, _row in _BINARY.items():
    globals()[_name] = _binary(*_row)
    globals()[_name].__name__ = globals()[_name].__qualname__ = _name
    __all__.append(_name)
floormod = globals()["floormod"]
mod = floormod


def _extreme(label: str, keeps: str) -> Callable[..., Any]:
    """The first operand where it is kept, else the second.

    At ties all of the gradient is the first one's, as TensorFlow has it.
    """

    def call(x: Any, y: Any, name: str | None = None) -> Any:
        with scoped(name, label, x, y) as full:
            x, y = _pair(label, x, y, _ORDERED)
            first = emit(None, keeps, x, y)
            if x.dtype.is_floating:  # what is no number stays
                first = emit(None, "logical_or", first, emit(None, "isnan", x))
            return emit(full, "where", first, x, y)

    call.__name__ = call.__qualname__ = label.lower()
    call.__doc__ = f"{label} of each pair of elements; both of one type."
    return call


maximum = _extreme("Maximum", "greater_equal")
minimum = _extreme("Minimum", "less_equal")
__all__ += ["maximum", "minimum"]


def add(x: Any, y: Any, name: str | None = None) -> Any:
    """The sum; of strings one after the other."""
    with scoped(name, "Add", x, y) as full:
        return _sum(full, *_pair("Add", x, y, _ANY))


def _sum(full: str, x: Any, y: Any) -> Any:
    if x.dtype is string:
        return emit(full, "string_join", [x, y])
    allowed("Add", x.dtype, _NUMBERS)
    return emit(full, "add", x, y)


def subtract(x: Any, y: Any, name: str | None = None) -> Any:
    """x - y."""
    with scoped(name, "Sub", x, y) as full:
        return emit(full, "sub", *_pair("Sub", x, y, _NUMBERS))


def multiply(x: Any, y: Any, name: str | None = None) -> Any:
    """x * y."""
    with scoped(name, "Mul", x, y) as full:
        return emit(full, "mul", *_pair("Mul", x, y, _NUMBERS))


def pow(x: Any, y: Any, name: str | None = None) -> Any:
    """x to the power of y."""
    with scoped(name, "Pow", x, y) as full:
        return emit(full, "pow", *_pair("Pow", x, y, _SIGNED))


def atan2(y: Any, x: Any, name: str | None = None) -> Any:
    """The angle of the point (x, y)."""
    with scoped(name, "Atan2", y, x) as full:
        return emit(full, "atan2", *_pair("Atan2", y, x, _REALS))


def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Any:
    """Whether one of them holds, and not both."""
    with scoped(name, "LogicalXor", x, y) as full:
        return emit(full, "logical_xor", *_pair("LogicalXor", x, y, _BOOLS))


def logical_not(x: Any, name: str | None = None) -> Any:
    """Whether it does not hold."""
    with scoped(name, "LogicalNot", x) as full:
        x = convert(x, name="x")
        allowed("LogicalNot", x.dtype, _BOOLS)
        return emit(full, "logical_not", x)


def inverted(x: Any) -> Any:
    """~x."""
    x = convert(x)
    if x.dtype is bool_:
        return logical_not(x)
    if not x.dtype.is_integer:
        raise TypeError(f"~ of {x.dtype.name}; wanted bool or whole numbers")
    with scoped(None, "Invert", x) as full:
        return emit(full, "bitwise_not", x)


# ---- Division ----

_QUOTIENT = {
    "int8": float32,
    "int16": float32,
    "uint8": float32,
    "uint16": float32,
    "int32": float64,
    "int64": float64,
    "uint32": float64,
    "uint64": float64,
}


def _real_quotient(full: str, x: Any, y: Any, op: str = "div") -> Any:
    x = convert(x, name="x")
    y = convert(y, name="y", hint=x.dtype)
    if x.dtype != y.dtype:
        raise TypeError(
            "`x` and `y` must have the same dtype, got "
            f"{x.dtype.name} != {y.dtype.name}."
        )
    kind = _QUOTIENT.get(x.dtype.name)
    if kind is not None:
        x, y = (emit(None, "cast", v, dtype=kind) for v in (x, y))
    allowed("truediv", x.dtype, _FLOATS)
    return emit(full, op, x, y)


def truediv(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y as Python 3 has it: of whole numbers a float, float64 for int32."""
    with scoped(name, "truediv", x, y) as full:
        return _real_quotient(full, x, y)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y as Python 3 has it."""
    from ._operators import Operand

    if not isinstance(x, Operand):
        x = convert(x, y.dtype if isinstance(y, Operand) else None)
    with scoped(name, "truediv", x, y) as full:
        return _real_quotient(full, x, y)


def div(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y as Python 2 has it: of whole numbers rounded down."""
    with scoped(name, "div", x, y) as full:
        x = convert(x, name="x")
        y = convert(y, x.dtype, name="y")
        allowed("div", x.dtype, _NUMBERS)
        whole = x.dtype.is_integer
        return emit(full, "floor_div" if whole else "div", x, y)


def _rounded_down(full: str, x: Any, y: Any) -> Any:
    if x.dtype.is_integer:
        return emit(full, "floor_div", x, y)
    # Not floor division as in Python, which subtracts the remainder first: 1 by
    # 0.1 is 10, and infinity by a number is infinity.
    return emit(full, "floor", emit(None, "div", x, y))


def floordiv(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y rounded down."""
    with scoped(name, "floordiv", x, y) as full:
        return _rounded_down(full, *_pair("floordiv", x, y, _ORDERED))


def floor_div(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y rounded down."""
    with scoped(name, "FloorDiv", x, y) as full:
        return _rounded_down(full, *_pair("FloorDiv", x, y, _ORDERED))


def div_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, and 0 where y is."""
    with scoped(name, "div_no_nan", x, y) as full:
        return _real_quotient(full, x, y, "div_no_nan")


# ---- Operators ----

_OPERATORS: dict[str, tuple[str, str]] = {
    "sub": ("sub", _NUMBERS),
    "mul": ("mul", _NUMBERS),
    "mod": ("mod", _ORDERED),
    "pow": ("pow", _SIGNED),
    "Less": ("less", _ORDERED),
    "LessEqual": ("less_equal", _ORDERED),
    "Greater": ("greater", _ORDERED),
    "GreaterEqual": ("greater_equal", _ORDERED),
}
_BITS = {
    "and": ("logical_and", "bitwise_and"),
    "or": ("logical_or", "bitwise_or"),
    "xor": ("logical_xor", "bitwise_xor"),
}


def operator(name: str, x: Any, y: Any) -> Any:
    """A Python operator applied to a tensor and another operand."""
    if y is None:
        raise ValueError("None values not supported.")
    if name == "matmul":
        from ._linalg import matmul

        return matmul(x, convert(y, hint=convert(x).dtype), name="matmul")
    with scoped(None, name, x, y) as full:
        if name == "truediv":
            return _real_quotient(full, x, y)
        x, y = _pair(name, x, y, _ANY)
        if name == "add":
            return _sum(full, x, y)
        if name in _BITS:
            if x.dtype is not bool_ and not x.dtype.is_integer:
                raise TypeError(f"{name} of {x.dtype.name}; wanted bool or integers")
            return emit(full, _BITS[name][x.dtype is not bool_], x, y)
        if name == "floordiv":
            allowed(name, x.dtype, _ORDERED)
            return _rounded_down(full, x, y)
        op, kinds = _OPERATORS[name]
        allowed(name, x.dtype, kinds)
        return emit(full, op, x, y)


def operator_back(name: str, x: Any, y: Any) -> Any:
    """The same where only the second one is a tensor: the first takes its type."""
    y = convert(y)
    with scoped(None, name, y):
        x = convert(x, y.dtype, name="x")
    return operator(name, x, y)


# ---- Types ----


def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """The elements as another type."""
    kind = as_dtype(dtype)
    if hasattr(x, "_as_tensor"):
        x = x._as_tensor()
    from ._tensor import IndexedSlices, Tensor

    if isinstance(x, Tensor) and x.dtype is kind:
        return x
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, kind, name), x.indices, x.dense_shape)
    with scoped(name, "Cast", x) as full:
        x = convert(x, name="x")
        if x.dtype is kind:
            return x
        if string in (x.dtype, kind):
            raise TypeError(
                f"Cast {x.dtype.name} to {kind.name} is not supported; wanted "
                "tf.as_string or tf.string_to_number"
            )
        return emit(full, "cast", x, dtype=kind)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """The elements as another type, at most its largest and at least its smallest."""
    kind = as_dtype(dtype)
    with scoped(name, "saturate_cast", value):
        value = convert(value, name="value")
        if value.dtype.min < kind.min:
            value = maximum(value, typed_constant(kind.min, value.dtype, "min"))
        if value.dtype.max > kind.max:
            value = minimum(value, typed_constant(kind.max, value.dtype, "max"))
        return cast(value, kind)


def to_float(x: Any, name: str | None = "ToFloat") -> Any:
    """The elements as float32."""
    return cast(x, float32, name)


def to_double(x: Any, name: str | None = "ToDouble") -> Any:
    """The elements as float64."""
    return cast(x, float64, name)


def to_int32(x: Any, name: str | None = "ToInt32") -> Any:
    """The elements as int32."""
    return cast(x, int32, name)


def to_int64(x: Any, name: str | None = "ToInt64") -> Any:
    """The elements as int64."""
    return cast(x, int64, name)


def to_bfloat16(x: Any, name: str | None = "ToBFloat16") -> Any:
    """The elements as bfloat16."""
    return cast(x, "bfloat16", name)


# ---- Others ----


def _floored(op: str, label: str) -> Callable[..., Any]:
    def call(x: Any, name: str | None = None) -> Any:
        with scoped(name, label, x) as full:
            x = convert(x, name="x")
            allowed(label, x.dtype, _REALS)
            return emit(full, op, x)

    call.__name__ = call.__qualname__ = op
    call.__doc__ = f"{label} of each element."
    return call


floor = _floored("floor", "Floor")
ceil = _floored("ceil", "Ceil")


def round(x: Any, name: str | None = None) -> Any:
    """To the nearest whole number, of two to the even one."""
    with scoped(name, "Round", x) as full:
        x = convert(x, name="x")
        allowed("Round", x.dtype, _NUMBERS)
        return x if x.dtype.is_integer else emit(full, "round", x)


def abs(x: Any, name: str | None = None) -> Any:
    """The absolute value; of complex numbers the real modulus."""
    with scoped(name, "Abs", x) as full:
        x = convert(x, name="x")
        allowed("Abs", x.dtype, _SIGNED)
        return emit(full, "complex_abs" if x.dtype.is_complex else "abs", x)


def sign(x: Any, name: str | None = None) -> Any:
    """-1, 0 or 1."""
    with scoped(name, "Sign", x) as full:
        x = convert(x, name="x")
        allowed("Sign", x.dtype, _SIGNED)
        if not x.dtype.is_floating:
            return emit(full, "sign", x)
        # Its gradient is zeros instead of None.
        here = emit(None, "ones_like", emit(None, "isnan", x))
        return emit(full, "where", here, emit(None, "sign", x), x)
