"""Random tensors. Every draw depends on the seed and on how many came before."""

from __future__ import annotations

from typing import Any

from .. import _core, _ops
from .._core import Tensor
from .axes import flag, sizes, whole
from .create import check_held
from .device import device_like, placed
from .generators import drawn, whole_seed

__all__ = [
    "bernoulli",
    "manual_seed",
    "multinomial",
    "normal",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "uniform",
]



def manual_seed(seed: int) -> None:
    """The draws after this are those that always follow this seed."""
    _core.manual_seed(whole_seed(seed))


def _static(shape: Any) -> tuple[int, ...]:
    return tuple(whole(s, "shape") for s in sizes(shape))


def _finished(made: Tensor, requires_grad: bool) -> Tensor:
    if flag(requires_grad, "requires_grad"):
        made.requires_grad_()
    return made


def _one(shape: tuple[Any, ...]) -> Any:
    return shape[0] if len(shape) == 1 else shape


@drawn
@placed
def rand(
    *shape: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """Random numbers uniform in [0, 1): rand(2, 3) or rand((2, 3))."""
    made = _ops.random_uniform(_static(_one(shape)), dtype or _core.default_float())
    return _finished(made, requires_grad)


@drawn
@placed
def randn(
    *shape: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """Random numbers with mean 0 and standard deviation 1."""
    made = _ops.random_normal(_static(_one(shape)), dtype or _core.default_float())
    return _finished(made, requires_grad)


def rand_like(x: Tensor, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """rand of x's shape and type."""
    return rand(x.shape, dtype=dtype or x.dtype, device=device_like(x, None),
                requires_grad=requires_grad)  # fmt: skip


def randn_like(x: Tensor, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """randn of x's shape and type."""
    return randn(x.shape, dtype=dtype or x.dtype, device=device_like(x, None),
                 requires_grad=requires_grad)  # fmt: skip


@drawn
@placed
def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    generator: Any = None,
) -> Tensor:
    """Whole numbers low <= n < high: randint(10, (2, 3)), randint(0, 10, (2, 3))."""
    if size is None and isinstance(high, (tuple, list)):
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    return _ops.random_int(
        _static(() if size is None else size), high, lo=low, dtype=dtype or _core.int64
    )


def randint_like(
    x: Tensor, low: Any = None, high: Any = None, *, dtype: Any = None,
    device: Any = None,
) -> Tensor:  # fmt: skip
    """randint of x's shape and type: randint_like(x, 10), randint_like(x, 5, 10)."""
    if low is None or high is None:  # randint_like(x, high=10) has one alone, too
        low, high = 0, high if low is None else low
    if high is None:
        raise TypeError("randint_like(): no high; wanted the end of the numbers")
    low, high = whole(low, "low"), whole(high, "high")
    kind = _core.find_dtype(dtype or x.dtype)
    if kind.name not in ("bool", "string") and not kind.is_floating_point:
        check_held(range(low, high), kind, "randint_like")
    made = randint(low, high, x.shape, device=device_like(x, device))
    return _ops.cast(made, kind)


@drawn
@placed
def randperm(
    n: int, *, dtype: Any = None, device: Any = None, generator: Any = None
) -> Tensor:
    """The numbers 0 to n - 1 in random order."""
    if dtype is not None and not _core.find_dtype(dtype).is_floating_point:
        check_held(range(int(n)), _core.find_dtype(dtype), "randperm")
    made = _ops.permutation(n)
    return made if dtype is None else _ops.cast(made, dtype)


@drawn
def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, dtype: Any = None,
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """Normal numbers of a mean and a standard deviation, which broadcast."""
    if isinstance(std, (int, float)) and std < 0:
        raise ValueError(f"normal(): std is {std}; wanted it 0 or more")
    if size is None:
        both = _ops.add(mean, std)
        size, dtype = both.shape, dtype or both.dtype
    return _ops.add(_ops.mul(randn(size, dtype=dtype), std), mean)


@drawn
def uniform(
    low: Any = 0.0, high: Any = 1.0, size: Any = (), *, dtype: Any = None,
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """Numbers uniform in [low, high)."""
    numbers = isinstance(low, (int, float)) and isinstance(high, (int, float))
    if numbers and low > high:
        raise ValueError(f"uniform(): low is {low}, high {high}; wanted low <= high")
    span = _ops.sub(high, low)
    return _ops.add(_ops.mul(rand(size, dtype=dtype), span), low)


@drawn
def bernoulli(p: Any, *, generator: Any = None) -> Tensor:
    """1 with probability p, else 0, for every element of p."""
    return _ops.bernoulli(p)


@drawn
def multinomial(
    p: Any, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Tensor:
    """Classes drawn from rows of weights p: indices [..., num_samples]."""
    flag(replacement, "replacement")
    return _ops.multinomial(p, num_samples, replacement=replacement)
