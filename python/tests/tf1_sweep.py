"""Calls made of tables: every operation of TensorFlow 1 that sluice.compat.tf1 has
and that takes arrays, on every type of element, with its gradients.

`calls()` gives (text, function of tf); the function gives an expression, as in
tf1_values.py.
"""

import itertools

import numpy as np

TYPES = "float32 float64 float16 int32 int64 int8 uint8 bool".split()
# Edges: zeros of both signs, ties, halves, infinities, what is no number.
FLOATS = [-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 1.5, 2.5, 3.0, np.inf, -np.inf, np.nan]
WHOLE = [-3, -1, 0, 1, 2, 3, 7]
UNARY = """abs acos acosh asin asinh atan atanh ceil cos cosh digamma erf erfc exp
expm1 floor identity is_finite is_inf is_nan lgamma log log1p logical_not negative
ones_like reciprocal round rsqrt sigmoid sign sin sinh sqrt square tan tanh to_float
to_double to_int32 to_int64 zeros_like nn.relu nn.relu6 nn.elu nn.selu nn.softplus
nn.softsign nn.leaky_relu nn.l2_loss nn.softmax nn.log_softmax nn.zero_fraction
size rank shape transpose reduce_logsumexp squeeze""".split()
BINARY = """add subtract multiply div divide truediv realdiv floordiv floor_div
floormod mod pow equal not_equal less less_equal greater greater_equal logical_and
logical_or logical_xor maximum minimum squared_difference atan2 div_no_nan""".split()
REDUCTIONS = """reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_all
reduce_any argmax argmin cumsum cumprod count_nonzero""".split()
# Where TensorFlow's own kernels differ from machine to machine, or are wrong.
SKIPPED = {
    "reciprocal int": "TensorFlow divides whole numbers",
    "pow int": "negative powers of whole numbers",
    "to_int32 float": "infinity as a whole number",
    "to_int64 float": "infinity as a whole number",
    "digamma float": "at zero: not a number, or infinite",
    "erf float64": "of infinity: not a number in TensorFlow",
    "nn.softmax float": "beside infinity TensorFlow has zeros on some processors",
    "gradient cumprod": "of zeros: 0 in TensorFlow, which divides by them",
    "gradient is_": "an error in TensorFlow, none here",
}


def skipped(text):
    """Whether a call is one of those."""
    return any(text.startswith(start) for start in SKIPPED)


def values(kind):
    if kind.startswith("float"):
        return np.array(FLOATS, kind)
    if kind == "bool":
        return np.array([True, False, True])
    whole = [abs(v) for v in WHOLE] if kind.startswith("u") else WHOLE
    return np.array(whole, kind)


def _named(tf, name):
    for part in name.split("."):
        tf = getattr(tf, part)
    return tf


def _unary(name, kind):
    return lambda tf: _named(tf, name)(tf.constant(values(kind)))


def _binary(name, kind, other):
    def build(tf):
        a, b = values(kind), values(other)
        if kind == other and "div" in name or "mod" in name:
            if not kind.startswith("float"):
                b = b[b != 0] if kind != "bool" else b
        grid = [g.copy() for g in np.meshgrid(a, b)]
        return _named(tf, name)(tf.constant(grid[0]), tf.constant(grid[1]))

    return build


def _reduced(name, kind, keywords):
    def build(tf):
        a = values(kind)[: 6 if kind != "bool" else 3]
        if kind.startswith("float"):
            a = np.array([-2.5, 1.0, 3.0, 3.0, 0.5, -1.0], kind)
        square = np.stack([a, a[::-1]])
        return _named(tf, name)(tf.constant(square), **keywords)

    return build


def _gradient(build, kinds):
    """The gradients of the sum of what an operation gives."""

    def of(tf):
        made = [tf.constant(v) for v in kinds]
        found = tf.gradients(build(tf, *made), made)
        return ["none" if g is None else g for g in found]

    return of


# Points where a gradient has one value or TensorFlow chooses one.
POINTS = np.array([-2.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0, 6.0], np.float32)
INSIDE = np.array([-0.75, -0.25, 0.25, 0.5], np.float32)
POSITIVE = np.array([0.25, 0.5, 1.5, 2.0], np.float32)
AT = {
    **dict.fromkeys("acos asin atanh".split(), INSIDE),
    **dict.fromkeys("acosh".split(), POSITIVE + 1),
    **dict.fromkeys("digamma lgamma log log1p rsqrt sqrt reciprocal".split(), POSITIVE),
}


def calls():
    """(text, build) of every call."""
    for name, kind in itertools.product(UNARY, TYPES):
        yield f"{name} {kind}", _unary(name, kind)
    for name, kind in itertools.product(BINARY, TYPES):
        yield f"{name} {kind}", _binary(name, kind, kind)
    for name in BINARY:
        yield f"{name} float32 int32", _binary(name, "float32", "int32")
        yield f"{name} int32 int64", _binary(name, "int32", "int64")
    for name, kind in itertools.product(REDUCTIONS, TYPES):
        options = [{}, {"axis": 0}, {"axis": -1}, {"axis": 5}]
        if name.startswith("reduce"):
            options += [
                {"axis": []},
                {"axis": [0, 1]},
                {"axis": 1, "keepdims": True},
                {"keep_dims": True},
                {"axis": [0, 0]},
            ]
        if name.startswith("cum"):
            options += [{"exclusive": True}, {"reverse": True}]
            options[0] = {"axis": 1}
        for keywords in options:
            yield f"{name} {kind} {keywords}", _reduced(name, kind, keywords)
    for name in UNARY:
        at = AT.get(name, POINTS)
        yield f"gradient {name}", _gradient(
            lambda tf, x, n=name: _named(tf, n)(x), [at]
        )
    first, second = (g.copy() for g in np.meshgrid(POINTS, POINTS))
    for name in BINARY:
        a, b = first, second
        if name in ("pow", "div", "divide", "truediv", "realdiv"):
            a, b = (g.copy() for g in np.meshgrid(POSITIVE, POINTS + 0.125))
        if "mod" in name or "floor" in name:
            b = b + np.float32(0.125)
        if name == "atan2":
            a, b = a + np.float32(0.1), b + np.float32(0.1)
        yield f"gradient {name}", _gradient(
            lambda tf, x, y, n=name: _named(tf, n)(x, y), [a, b]
        )
    tied = np.array([[1.0, 2.0, 2.0], [2.0, 0.0, 3.0]], np.float32)
    for name in REDUCTIONS:
        for keywords in ({}, {"axis": 0}, {"axis": 1}):
            if name.startswith("cum") and not keywords:
                continue
            yield f"gradient {name} {keywords}", _gradient(
                lambda tf, x, n=name, k=keywords: _named(tf, n)(x, **k), [tied]
            )
