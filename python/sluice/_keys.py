"""Keys of random numbers, as in jax.random: equal keys give equal numbers.

    key = sl.random.key(0)
    first, second = sl.random.split(key)
    x = sl.random.normal(first, (3,))

A key is a value: other draws do not change its numbers. In captured functions, loops
and `vmap` it is an argument like any other.
"""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable, Iterator
from typing import Any

from . import _core, _ops, tree
from ._array.create import arange
from ._array.device import beside
from ._array.shape import as_tensor
from ._core import Tensor

__all__ = ["Key", "fold_in", "key", "key_data", "split"]

_u64 = _core.uint64
Shape = Any


class Key:
    """A key, or a tensor of keys: made by key, split and fold_in."""

    def __init__(self, data: Tensor) -> None:
        self._data = data

    @property
    def shape(self) -> Any:
        """() for one key, (n,) for the result of split(key, n)."""
        return self._data.shape

    def __len__(self) -> int:
        return len(self._data)

    def __iter__(self) -> Iterator[Key]:
        return (Key(self._data[i]) for i in range(len(self)))

    def __getitem__(self, place: Any) -> Key:
        return Key(self._data[place])

    def __repr__(self) -> str:
        return f"Key({self._data.tolist()})" if not self._data.symbolic else "Key(...)"


tree.register(Key, lambda k: ((k._data,), None), lambda more, data: Key(*data))


def _u(value: int) -> Tensor:
    return _core.tensor(value, _u64)


def _mixed(x: Tensor) -> Tensor:
    """Mixes all bits of a 64-bit number, as in SplitMix64."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = _ops.mul(_ops.bitwise_xor(x, _ops.right_shift(x, _u(shift))), _u(factor))
    return _ops.bitwise_xor(x, _ops.right_shift(x, _u(31)))


def _child(data: Tensor, number: Tensor) -> Tensor:
    """The key derived from a key and a number."""
    step = _ops.mul(_ops.cast(number, _u64) + _u(1), _u(0x9E3779B97F4A7C15))
    own = _mixed(_ops.cast(data, _u64) + _u(0x632BE59BD9B4E019))
    return _ops.cast(_mixed(_ops.add(own, step)), _core.int64)


def key(seed: Any) -> Key:
    """The key of a seed."""
    seed = as_tensor(seed)
    if seed.dtype.is_floating_point or seed.ndim:
        raise TypeError(f"key(): seed is {seed.dtype.name} of {list(seed.shape)}; "
                        "wanted an int")  # fmt: skip
    return Key(_child(_core.tensor(0, _core.int64), _ops.cast(seed, _core.int64)))


def _data(of: Any, what: str) -> Tensor:
    if not isinstance(of, Key):
        raise TypeError(
            f"{what}(): key is a {type(of).__name__}; wanted what random.key gives"
        )
    return of._data


def key_data(key: Key) -> Tensor:
    """The numbers that a key is."""
    return _data(key, "key_data")


def split(key: Key, num: int = 2) -> Key:
    """As many keys, each of which gives numbers of its own."""
    data = _data(key, "split")
    return Key(_child(_ops.expand_dims(data, -1), beside(data, arange(num))))


def fold_in(key: Key, data: Any) -> Key:
    """The key of a key and a number, such as a step's."""
    number = _ops.cast(as_tensor(data), _core.int64)
    # Distinct from the keys of split.
    return Key(_child(_child(_data(key, "fold_in"), number), _core.tensor(-7)))


def _single(of: Key, what: str) -> Tensor:
    data = _data(of, what)
    if data.ndim:
        raise ValueError(
            f"{what}(): {list(data.shape)} keys; wanted one, or vmap over them"
        )
    return data


def _uniform(of: Key, shape: Shape, dtype: Any, what: str, seed: int = 0) -> Tensor:
    dtype = dtype or _core.default_float()
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    kind = _core.float64 if dtype == _core.float64 else _core.float32
    made = _ops.keyed_uniform(_single(of, what), shape=shape, dtype=kind, seed=seed)
    return made if made.dtype == dtype else _ops.cast(made, dtype)


def uniform(
    key: Key, shape: Shape = (), dtype: Any = None, minval: Any = 0.0, maxval: Any = 1.0
) -> Tensor:
    """Numbers from minval up to maxval."""
    return _uniform(key, shape, dtype, "uniform") * (maxval - minval) + minval


def normal(key: Key, shape: Shape = (), dtype: Any = None) -> Tensor:
    """Normal numbers with mean 0 and standard deviation 1."""
    dtype = dtype or _core.default_float()
    wide = _core.float64 if dtype == _core.float64 else _core.float32
    size = _ops.sqrt(-2 * _ops.log1p(-_uniform(key, shape, wide, "normal")))
    turn = _uniform(key, shape, wide, "normal", seed=1) * (2 * math.pi)
    return _ops.cast(size * _ops.cos(turn), dtype)


def exponential(key: Key, shape: Shape = (), dtype: Any = None) -> Tensor:
    """Numbers of the exponential distribution with mean 1."""
    return -_ops.log1p(-_uniform(key, shape, dtype, "exponential"))


def gumbel(key: Key, shape: Shape = (), dtype: Any = None) -> Tensor:
    """-log(-log(u)) of uniform numbers."""
    drawn = _ops.maximum(_uniform(key, shape, dtype, "gumbel"), 1e-30)
    return -_ops.log(-_ops.log(drawn))


def truncated_normal(
    key: Key, lower: Any = -2.0, upper: Any = 2.0, shape: Shape = (), dtype: Any = None
) -> Tensor:
    """Normal numbers between two bounds."""
    from .special import ndtr, ndtri

    low, high = ndtr(as_tensor(lower)), ndtr(as_tensor(upper))
    drawn = _uniform(key, shape, dtype, "truncated_normal")
    return _ops.clip(ndtri(low + drawn * (high - low)), lower, upper)


def bernoulli(key: Key, p: Any = 0.5, shape: Shape = None) -> Tensor:
    """True with a chance, by default of each element of p."""
    shape = as_tensor(p).shape if shape is None else shape
    return _uniform(key, shape, None, "bernoulli") < p


def randint(
    key: Key, shape: Shape, minval: Any, maxval: Any, dtype: Any = None
) -> Tensor:
    """Whole numbers from minval up to, but not, maxval."""
    drawn = _uniform(key, shape, _core.float64, "randint")
    made = _ops.floor(drawn * (as_tensor(maxval) - as_tensor(minval)))
    return _ops.cast(_ops.cast(made, _core.int64) + minval, dtype or _core.int64)


def categorical(
    key: Key, logits: Any, axis: int = -1, shape: Shape = None
) -> Tensor:
    """Classes along an axis, by logarithms of their weights."""
    logits = as_tensor(logits)
    axis = axis % logits.ndim
    rest = (*logits.shape[:axis], *logits.shape[axis + 1 :])
    shape = rest if shape is None else tuple(shape)
    more = shape[: len(shape) - len(rest)]
    whole = (*more, *logits.shape)
    return (logits + gumbel(key, whole, logits.dtype)).argmax(axis + len(more))


def permutation(key: Key, x: Any) -> Tensor:
    """The rows of x in random order, or the numbers below an int."""
    rows = beside(_data(key, "permutation"), arange(x)) if isinstance(x, int) else (
        as_tensor(x))  # fmt: skip
    drawn = _uniform(key, (rows.shape[0],), _core.float64, "permutation")
    return _ops.gather(rows, drawn.argsort(), axis=0)


def choice(
    key: Key, a: Any, shape: Shape = (), replace: bool = True, p: Any = None
) -> Tensor:
    """Rows of a, or numbers below an int, by their chances."""
    rows = beside(_data(key, "choice"), arange(a)) if isinstance(a, int) else (
        as_tensor(a))  # fmt: skip
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    count = math.prod(shape)
    if not replace:
        if count > int(rows.shape[0]):
            raise ValueError(
                f"choice(): {count} of {rows.shape[0]} rows without replacement"
            )
        noise = gumbel(key, (rows.shape[0],), _core.float64)
        order = noise if p is None else noise + _ops.log(as_tensor(p))
        places = order.argsort(descending=True)[:count]
    elif p is None:
        places = randint(key, (count,), 0, rows.shape[0])
    else:
        places = categorical(key, _ops.log(as_tensor(p)), shape=(count,))
    return _ops.gather(rows, places.reshape(shape), axis=0)


def by_key(plain: Callable[..., Any], of_key: Callable[..., Any] | None) -> Any:
    """A function that draws by a key if its first argument is one."""

    def function(*args: Any, **kwargs: Any) -> Any:
        if not (args and isinstance(args[0], Key)) and "key" not in kwargs:
            return plain(*args, **kwargs)
        if of_key is None:
            raise TypeError(
                f"{plain.__name__}(): it takes no key; wanted sl.manual_seed, or "
                "uniform numbers of a key"
            )
        return of_key(*args, **kwargs)

    functools.update_wrapper(function, plain)
    if not isinstance(plain, types.FunctionType):
        del function.__wrapped__  # an op's function has no signature
    return function
