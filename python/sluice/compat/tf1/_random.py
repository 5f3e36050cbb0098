"""Random numbers, and what their seeds mean.

An operation without a seed, of its own or the graph's, draws other numbers in
every session. With one it draws the same sequence in each: the n-th time it
runs in a session, whatever else runs, it gives the same numbers, and two with
equal seeds give equal ones. They are not the numbers TensorFlow draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from ._constants import known, known_ints
from ._dtypes import as_dtype, float32, float64, int32, int64, uint64
from ._emit import convert, emit, scoped, typed_constant
from ._graphs import get_default_graph, get_seed
from ._tensor import wrap

__all__ = [
    "multinomial",
    "random_normal",
    "random_shuffle",
    "random_uniform",
    "truncated_normal",
]


def _key(seeds: tuple[int, int]) -> Any:
    """A number for each time this runs in a session: one that the seeds give and
    that counts on."""
    graph = get_default_graph()
    full = graph.unique_name("counter")
    with _core.control_dependencies(None):
        zero = typed_constant(0, int64, "zero")
        counter = _core.Variable(zero._core, name=full)
    graph._counters.append(counter.initializer.name)
    one = typed_constant(1, int64, "one")
    change = counter.assign_add(one._core)
    with _core.control_dependencies([change]):
        count = counter.read()
    mixed = (seeds[0] * 0x9E3779B1 + seeds[1] * 0x85EBCA6B) % 2**31
    start = typed_constant(mixed << 32, int64, "start")
    return emit(None, "add", wrap(graph, count), start)


def uniform(shape: Any, kind: Any, seed: int | None, lanes: int = 1) -> list[Any]:
    """Numbers of [0, 1), so many times over."""
    seeds = get_seed(seed)
    seeded = seeds[0] is not None and seeds[1] is not None
    if known(shape) is None:
        key = (
            _key((seeds[0] or 0, seeds[1] or 0))
            if seeded
            else emit(None, "random_int", [], hi=2**62, dtype=int64)
        )
        return [_hashed(shape, kind, key, lane) for lane in range(lanes)]
    sizes = known_ints(shape, "the shape of random numbers")
    if not seeded:
        return [emit(None, "random_uniform", sizes, dtype=kind) for _ in range(lanes)]
    key = _key((seeds[0] or 0, seeds[1] or 0))
    return [
        emit(None, "keyed_uniform", key, sizes, dtype=kind, seed=lane + 1)
        for lane in range(lanes)
    ]


def _hashed(shape: Any, kind: Any, key: Any, lane: int) -> Any:
    """The same in a shape that is known only when a step runs: the key and the
    place of each element, stirred until every bit depends on all of them."""

    def number(value: int) -> Any:
        return typed_constant(value, uint64, "number")

    sizes = emit(None, "cast", convert(shape, name="shape"), dtype=int64)
    count = emit(None, "prod", sizes)
    ends = [typed_constant(0, int64, "zero"), count, typed_constant(1, int64, "one")]
    places = emit(None, "cast", emit(None, "range", *ends), dtype=uint64)
    start = emit(None, "cast", key, dtype=uint64)
    start = emit(None, "mul", start, number(0xD1342543DE82EF95))
    start = emit(None, "add", start, number(lane * 0xA0761D6478BD642F % 2**64))
    bits = emit(None, "mul", places, number(0x9E3779B97F4A7C15))
    bits = emit(None, "add", bits, start)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 0)):
        bits = emit(
            None, "bitwise_xor", bits, emit(None, "right_shift", bits, number(shift))
        )
        if factor:
            bits = emit(None, "mul", bits, number(factor))
    digits = {"float64": 53, "float32": 24}.get(kind.name, 11)
    top = emit(None, "right_shift", bits, number(64 - digits))
    # Integers below 2 ** 53 are exact as doubles.
    share = emit(None, "cast", emit(None, "cast", top, dtype=int64), dtype=float64)
    scale = typed_constant(2.0**-digits, float64, "scale")
    made = emit(None, "cast", emit(None, "mul", share, scale), dtype=kind)
    return emit(None, "reshape", made, sizes)


def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Random numbers of [minval, maxval); whole ones need a maxval."""
    kind = as_dtype(dtype)
    if maxval is None:
        if kind.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
        maxval = 1
    if not kind.is_floating and kind not in (int32, int64):
        raise ValueError(
            f"random_uniform: dtype is {kind!r}; wanted floats or integers"
        )
    with scoped(name, "random_uniform", shape, minval, maxval) as full:
        low = convert(minval, kind, name="min")
        high = convert(maxval, kind, name="max")
        if not kind.is_integer:
            (drawn,) = uniform(shape, kind, seed)
            width = emit(None, "sub", high, low)
            return emit(full, "add", emit(None, "mul", drawn, width), low)
        ends = [known(low), known(high)]
        if ends[0] is not None and ends[1] is not None and (ends[0] >= ends[1]).any():
            raise ValueError(f"Need minval < maxval, got {ends[0]} >= {ends[1]}")
        # 53 random bits: more than the range of an int32.
        (drawn,) = uniform(shape, float64, seed)
        low64, high64 = (emit(None, "cast", v, dtype=float64) for v in (low, high))
        span = emit(None, "sub", high64, low64)
        place = emit(None, "floor", emit(None, "mul", drawn, span))
        return emit(full, "add", emit(None, "cast", place, dtype=kind), low)


def _normals(shape: Any, kind: Any, seed: int | None) -> Any:
    if get_seed(seed)[0] is None and known(shape) is not None:
        sizes = known_ints(shape, "the shape of random numbers")
        return emit(None, "random_normal", sizes, dtype=kind)
    # The Box-Muller method; 1 - u is never 0.
    first, second = uniform(shape, kind, seed, 2)
    one = typed_constant(1, kind, "one")
    minus_two = typed_constant(-2, kind, "minus_two")
    turn = typed_constant(2 * np.pi, kind, "turn")
    away = emit(None, "log", emit(None, "sub", one, first))
    radius = emit(None, "sqrt", emit(None, "mul", away, minus_two))
    angle = emit(None, "cos", emit(None, "mul", second, turn))
    return emit(None, "mul", radius, angle)


def _spread(full: str, drawn: Any, mean: Any, stddev: Any) -> Any:
    wide = emit(None, "mul", drawn, convert(stddev, drawn.dtype, name="stddev"))
    return emit(full, "add", wide, convert(mean, drawn.dtype, name="mean"))


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Random numbers of a normal distribution."""
    with scoped(name, "random_normal", shape, mean, stddev) as full:
        return _spread(full, _normals(shape, as_dtype(dtype), seed), mean, stddev)


# 4.6 % of normal numbers exceed 2 in magnitude; all of this many draws do with
# a probability of 10 ** -16.
_TRIES = 12


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """The same, drawn again where further away than two deviations."""
    kind = as_dtype(dtype)
    with scoped(name, "truncated_normal", shape, mean, stddev) as full:
        if get_seed(seed)[0] is None:
            sizes = known_ints(shape, "the shape of random numbers")
            drawn = emit(None, "truncated_normal", sizes, dtype=kind)
            return _spread(full, drawn, mean, stddev)
        sizes = known_ints(shape, "the shape of random numbers")
        many = _normals([_TRIES, *sizes], kind, seed)
        two = typed_constant(2, kind, "two")
        near = emit(None, "less_equal", emit(None, "abs", many), two)
        first = emit(None, "argmax", emit(None, "cast", near, dtype=int32), axis=0)
        hot = emit(None, "one_hot", first, depth=_TRIES, dtype=kind)
        order = [len(sizes), *range(len(sizes))]
        chosen = emit(None, "transpose", hot, perm=order)
        drawn = emit(None, "sum", emit(None, "mul", many, chosen), axes=[0])
        return _spread(full, drawn, mean, stddev)


def random_shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """Slices along the first axis in random order."""
    with scoped(name, "RandomShuffle", value) as full:
        x = convert(value, name="value")
        if get_seed(seed)[0] is None:
            return emit(full, "shuffle", x)
        count = x.shape[0].value
        if count is None:
            raise NotImplementedError("random_shuffle: a seed, and a size not known")
        (drawn,) = uniform([count], float64, seed)
        order = emit(None, "arg_sort", drawn)
        return emit(full, "gather", x, order, axis=0)


def multinomial(
    logits: Any,
    num_samples: Any,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Any:
    """Classes drawn from rows of logits."""
    kind = int64 if output_dtype is None else as_dtype(output_dtype)
    with scoped(name, "multinomial", logits) as full:
        x = convert(logits, name="logits")
        if x.shape.ndims != 2:
            raise ValueError(f"multinomial: logits is {x.shape}; wanted a matrix")
        count = known_ints(num_samples, "multinomial: num_samples")[0]
        rows, classes = x.shape.as_list()
        if rows is None or classes is None:
            raise NotImplementedError("multinomial: wanted a known shape of logits")
        # The argmax of logits plus Gumbel noise is a draw.
        (drawn,) = uniform([rows, count, classes], float32, seed)
        tiny = typed_constant(1e-38, float32, "tiny")
        noise = emit(None, "log", emit(None, "maximum", drawn, tiny))
        noise = emit(None, "log", emit(None, "neg", noise))
        wide = emit(None, "expand_dims", emit(None, "cast", x, dtype=float32), axis=1)
        found = emit(None, "argmax", emit(None, "sub", wide, noise), axis=2)
        return emit(full, "cast", found, dtype=kind)
