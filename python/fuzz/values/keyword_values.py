"""Values to try for a parameter, by its name and by what it is now."""

from __future__ import annotations

from typing import Any

import torch

WORDS = {
    "reduction": ["none", "sum", "mean", "bogus"],
    "reduce": ["sum", "prod", "mean", "amax", "amin", "bogus"],
    "mode": ["sum", "mean", "max", "nearest", "bilinear", "reflect", "replicate",
             "circular", "constant", "reduced", "complete", "r", "bogus", "trilinear",
             "linear", "bicubic", "nearest-exact", "area"],
    "padding_mode": ["zeros", "border", "reflection", "reflect", "replicate",
                     "circular", "bogus"],
    "norm": ["backward", "ortho", "forward", "bogus"],
    "indexing": ["ij", "xy", "bogus"],
    "interpolation": ["linear", "lower", "higher", "midpoint", "nearest", "bogus"],
    "rounding_mode": ["floor", "trunc", "bogus"],
    "side": ["left", "right", "bogus"],
    "approximate": ["none", "tanh", "bogus"],
    "ord": [1, 2, 0, -1, float("inf"), "fro", "nuc", "bogus"],
    "p": [0.0, 0.5, 1.0, 2.0, 3.0, float("inf"), "fro", "nuc", "bogus", -1.0],
    "UPLO": ["L", "U", "bogus"],
    "dtype": [torch.float64, torch.float32, torch.int32, torch.bool],
    "nonlinearity": ["tanh", "relu", "bogus"],
    "activation": ["relu", "gelu", "bogus"],
    "pad_mode": ["constant", "reflect", "bogus"],
    "padding": [0, 1, 2, (1,), (1, 1), (0, 1), "same", "valid", "bogus", -1],
}  # fmt: skip


def others(name: str, now: Any) -> list[Any]:
    """Other values than the one it has; PyTorch says which of them mean something."""
    if name in WORDS and not (name == "p" and isinstance(now, str)):
        tried = list(WORDS[name])
    elif isinstance(now, bool):
        tried = [True, False, "yes", 2]
    elif isinstance(now, int):
        tried = [0, 1, 2, 3, -1, -2, -100, 1.5, True]
    elif isinstance(now, float):
        tried = [0.0, 0.5, 1.0, 2.0, -0.5, float("nan"), "x"]
    elif isinstance(now, str):
        tried = ["bogus", now.upper(), 0]
    elif isinstance(now, torch.dtype):
        tried = WORDS["dtype"]
    elif isinstance(now, (list, tuple)):
        tried = [0, 1, 2, (), [0], [1], [0, 1], [1, 1], [2, 1], [-1], [0, 0],
                 [1, 1, 1, 1, 1]]  # fmt: skip
    elif now is None:
        tried = [0, 1, 2, -1, 0.5, True, False, [0], [0, 1], [1, 1], [2, 2], (),
                 "bogus", torch.float64, torch.tensor([1.0, 2.0]),
                 torch.tensor(1.0)]  # fmt: skip
    else:
        tried = []
    return [v for v in tried if not _same(v, now)]


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and not isinstance(a, torch.Tensor) and a == b
