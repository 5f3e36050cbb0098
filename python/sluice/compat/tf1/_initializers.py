"""How variables begin: objects that are called with a shape and a type."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._dtypes import as_dtype, float32
from ._emit import constant
from ._random import random_normal, random_uniform, truncated_normal
from ._shapes import TensorShape

__all__ = [
    "constant_initializer",
    "glorot_normal_initializer",
    "glorot_uniform_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "truncated_normal_initializer",
    "variance_scaling_initializer",
    "zeros_initializer",
]


class Initializer:
    """What all of them have. `partition_info` belongs to partitioned variables,
    which are not there."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        """The first value of a variable of that shape."""
        if partition_info is not None:
            raise NotImplementedError("initializers: partition_info is not there")
        kind = as_dtype(getattr(self, "dtype", float32) if dtype is None else dtype)
        return self._draw(TensorShape(shape).as_list(), kind)

    def _draw(self, sizes: list[Any], kind: Any) -> Any:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made of."""
        return {
            k: v.name if k == "dtype" else v
            for k, v in vars(self).items()
            if not k.startswith("_")
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """One made of such arguments."""
        return cls(**config)


class zeros_initializer(Initializer):
    """Zeros."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def _draw(self, sizes: list[Any], kind: Any) -> Any:
        from ._fills import zeros

        return zeros(sizes, kind)


class ones_initializer(Initializer):
    """Ones."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def _draw(self, sizes: list[Any], kind: Any) -> Any:
        from ._fills import ones

        return ones(sizes, kind)


class constant_initializer(Initializer):
    """That value, or those elements, the last again where they are too few."""

    def __init__(
        self, value: Any = 0, dtype: Any = float32, verify_shape: bool = False
    ) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value} of type: "
                f"{type(value).__name__}. Expected Python scalar, list or tuple of "
                "values, or numpy.ndarray."
            )
        self.value, self.dtype = value, as_dtype(dtype)
        self._verify_shape = verify_shape

    def _draw(self, sizes: list[Any], kind: Any) -> Any:
        return constant(self.value, kind, sizes, verify_shape=self._verify_shape)


class random_uniform_initializer(Initializer):
    """Random numbers between two: 0 and 1."""

    def __init__(
        self,
        minval: Any = 0.0,
        maxval: Any = None,
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed
        self.dtype = as_dtype(dtype)

    def _draw(self, sizes: list[Any], kind: Any) -> Any:
        low = int(self.minval) if kind.is_integer else self.minval
        return random_uniform(sizes, low, self.maxval, kind, self.seed)


class random_normal_initializer(Initializer):
    """Random numbers of a normal distribution."""

    def __init__(
        self,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed
        self.dtype = _float("random_normal_initializer", dtype)

    def _draw(self, sizes: list[Any], kind: Any) -> Any:
        return random_normal(sizes, self.mean, self.stddev, kind, self.seed)


class truncated_normal_initializer(Initializer):
    """The same, none further away than two deviations."""

    def __init__(
        self,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed
        self.dtype = _float("truncated_normal_initializer", dtype)

    def _draw(self, sizes: list[Any], kind: Any) -> Any:
        return truncated_normal(sizes, self.mean, self.stddev, kind, self.seed)


def _float(what: str, dtype: Any) -> Any:
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"{what}: dtype is {kind!r}; wanted a float")
    return kind


def _fans(sizes: list[int]) -> tuple[int, int]:
    """How many inputs and outputs meet in a kernel of that shape."""
    if not sizes:
        return 1, 1
    if len(sizes) == 1:
        return sizes[0], sizes[0]
    field = math.prod(sizes[:-2])
    return sizes[-2] * field, sizes[-1] * field


class variance_scaling_initializer(Initializer):
    """Random numbers whose spread depends on how many inputs and outputs meet."""

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Got: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                f"Argument `mode` is {mode!r}; wanted fan_in, fan_out, " "fan_avg"
            )
        distribution = distribution.lower()
        known = ("normal", "uniform", "truncated_normal", "untruncated_normal")
        if distribution not in known:
            raise ValueError(
                f"Argument `distribution` is {distribution!r}; wanted one of {known}"
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed = seed
        self.dtype = _float("variance_scaling_initializer", dtype)

    def _draw(self, sizes: list[Any], kind: Any) -> Any:
        into, out = _fans(sizes)
        count = {"fan_in": into, "fan_out": out, "fan_avg": (into + out) / 2.0}
        scale = self.scale / max(1.0, count[self.mode])
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return random_uniform(sizes, -limit, limit, kind, self.seed)
        if self.distribution == "untruncated_normal":
            return random_normal(sizes, 0.0, math.sqrt(scale), kind, self.seed)
        # The standard deviation of a normal distribution truncated at 2 is
        # smaller by this factor.
        deviation = math.sqrt(scale) / 0.87962566103423978
        return truncated_normal(sizes, 0.0, deviation, kind, self.seed)


class glorot_uniform_initializer(variance_scaling_initializer):
    """Uniform, by the mean of inputs and outputs."""

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made of."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class glorot_normal_initializer(variance_scaling_initializer):
    """Normal, by the mean of inputs and outputs."""

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made of."""
        return {"seed": self.seed, "dtype": self.dtype.name}
