"""The numbers every library begins with: the same weights, the same batches.

Weights are drawn one after another, the n-th from a generator of its own, so that
libraries agree as long as they ask for the same shapes in the same order.
"""

from __future__ import annotations

import numpy as np


def weight(number: int, shape: tuple[int, ...]) -> np.ndarray:
    """The n-th weight: small enough that deep networks neither fade nor burst."""
    random = np.random.default_rng(1000 + number)
    if len(shape) == 1:  # biases, and scales of normalisation
        return random.uniform(0.3, 0.7, shape).astype(np.float32)
    fan_in = int(np.prod(shape[1:]))
    reach = np.sqrt(3.0 / fan_in)
    return random.uniform(-reach, reach, shape).astype(np.float32)


class Weights:
    """Hands out weights: on the first pass it makes them, then it deals them again."""

    def __init__(self) -> None:
        self.made: list[np.ndarray] = []

    def take(self, *shape: int) -> np.ndarray:
        self.made.append(weight(len(self.made), shape))
        return self.made[-1]


class Deal:
    """What `Weights` made, in order, as somebody's arrays."""

    def __init__(self, arrays: list) -> None:
        self.left = iter(arrays)

    def take(self, *shape: int):
        given = next(self.left)
        assert tuple(given.shape) == shape, f"got {given.shape}, wanted {shape}"
        return given


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def integers(seed: int, end: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, end, shape)
