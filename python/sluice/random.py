"""Random numbers: the seed, distributions, the place in the stream of draws, keys.

Functions draw from one stream, which manual_seed begins anew. With a key in front,
`normal(key, (3,))`, they have the arguments of jax.random and draw what the key says.
"""

from __future__ import annotations

from typing import Any

from . import _core, _keys, _ops
from ._array.draws import (
    bernoulli,
    manual_seed,
    multinomial,
    normal,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    randperm,
    uniform,
)
from ._array.generators import (
    Generator,
    get_rng_state,
    initial_seed,
    set_rng_state,
)
from ._core import Tensor
from ._keys import Key, choice, fold_in, key, key_data, split

__all__ = [
    "Generator",
    "Key",
    "bernoulli",
    "categorical",
    "choice",
    "exponential",
    "fold_in",
    "gamma",
    "get_rng_state",
    "gumbel",
    "initial_seed",
    "key",
    "key_data",
    "manual_seed",
    "multinomial",
    "normal",
    "permutation",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "seed",
    "set_rng_state",
    "shuffle",
    "split",
    "truncated_normal",
    "uniform",
]

seed = manual_seed
categorical = _ops.categorical
shuffle = _ops.shuffle


def exponential(shape: Any = (), *, dtype: Any = None) -> Tensor:
    """Numbers of the exponential distribution with mean 1."""
    return _ops.random_exponential(shape, dtype or _core.default_float())


def truncated_normal(shape: Any = (), *, dtype: Any = None) -> Tensor:
    """Normal numbers, those beyond two standard deviations drawn again."""
    return _ops.truncated_normal(shape, dtype or _core.default_float())


def gamma(alpha: Any) -> Tensor:
    """A number of the gamma distribution for every shape parameter."""
    return _ops.random_gamma(alpha)


def poisson(rate: Any) -> Tensor:
    """A count of the Poisson distribution for every rate."""
    return _ops.random_poisson(rate)


def permutation(x: Any) -> Tensor:
    """The rows of x in random order, or the numbers below an int."""
    return randperm(x) if isinstance(x, int) else _ops.shuffle(x)


def gumbel(shape: Any = (), *, dtype: Any = None) -> Tensor:
    """-log(-log(u)) of uniform numbers."""
    drawn = _ops.maximum(rand(shape, dtype=dtype or _core.default_float()), 1e-30)
    return -_ops.log(-_ops.log(drawn))


# Where the first argument is a key, numbers are the key's.
for _name in """bernoulli categorical exponential gamma gumbel multinomial normal
poisson permutation randint shuffle truncated_normal uniform""".split():
    globals()[_name] = _keys.by_key(globals()[_name], getattr(_keys, _name, None))
