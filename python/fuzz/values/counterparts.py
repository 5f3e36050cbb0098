"""Our functions and methods with the names of PyTorch's operators."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch

import sluice as sl

# Operators that stand for a symbol of Python.
_SYMBOLS = {
    "__radd__": lambda x, y: y + x,
    "__rand__": lambda x, y: y & x,
    "__rdiv__": lambda x, y: y / x,
    "__rmatmul__": lambda x, y: y @ x,
    "__rmod__": lambda x, y: y % x,
    "__rmul__": lambda x, y: y * x,
    "__ror__": lambda x, y: y | x,
    "__rpow__": lambda x, y: y**x,
    "__rsub__": lambda x, y: y - x,
    "__rxor__": lambda x, y: y ^ x,
    "__getitem__": lambda x, i: x[i],
    "where": lambda x, condition, other: sl.where(condition, x, other),
    "special.polygamma": lambda x, n: sl.polygamma(n, x),
    "polygamma": lambda x, n: sl.polygamma(n, x),
    "H": lambda x: x.H,
    "T": lambda x: x.T,
    "item": lambda x: x.item(),
    "mH": lambda x: x.mH,
    "mT": lambda x: x.mT,
    "zero_": lambda x: x.clone().zero_(),
    # Their samples are factors of a matrix of low rank.
    "svd_lowrank": lambda a, b, **options: sl.svd_lowrank(a @ b.mT, **options),
    "pca_lowrank": lambda a, b, **options: sl.pca_lowrank(a @ b.mT, **options),
    "linalg.pinv.singular": lambda a, b: sl.linalg.pinv(a @ b.mT),
    # Their samples have the table first.
    "nn.functional.embedding": lambda table, x, **options: (
        sl.nn.functional.embedding(x, table, **options)
    ),
    "nn.functional.embedding_bag": lambda table, x, **options: (
        sl.nn.functional.embedding_bag(x, table, **options)
    ),
}


# In the database these stand for the methods that write over a tensor.
_DRAWN_IN_PLACE = {"cauchy", "exponential", "geometric", "log_normal", "uniform"}


def of_name(root: Any, name: str) -> Any:
    """A function by a dotted name, or None."""
    try:
        return functools.reduce(getattr, name.split("."), root)
    except AttributeError:
        return None


def function(op: Any) -> Callable[..., Any] | None:
    """Ours, of the name PyTorch's function has."""
    full = f"{op.name}.{op.variant_test_name}"
    if full in _SYMBOLS or op.name in _SYMBOLS:
        return _SYMBOLS.get(full) or _SYMBOLS[op.name]
    if full == "linalg.lstsq.grad_oriented":
        return lambda *a, **k: sl.linalg.lstsq(*a, **k)[:2]
    if op.variant_test_name == "in_place" or op.name in _DRAWN_IN_PLACE:
        found = getattr(sl.Tensor, op.name + "_", None)
        return None if found is None else lambda x, *a, **k: found(x.clone(), *a, **k)
    name = op.name
    if name.startswith("special."):
        # Ours has some of them at the top alone, as PyTorch does.
        if of_name(sl, name) is None and of_name(torch, name.removeprefix("special.")):
            name = name.removeprefix("special.")
    if of_name(torch, op.name) is None:
        return None  # a method alone
    found = of_name(sl, name)
    if inspect.ismodule(found) or inspect.isclass(found):
        return None
    return found if callable(found) else None


def method(op: Any) -> Callable[..., Any] | None:
    """Our method of that name, where PyTorch's class has it too."""
    name = op.name.rsplit(".", 1)[-1]
    if op.variant_test_name == "in_place" or op.name in _DRAWN_IN_PLACE:
        return None
    if op.name in _SYMBOLS:
        return None  # their samples have an order of their own
    if "." in op.name or name.startswith("__") or op.method_variant is None:
        return None
    found = getattr(sl.Tensor, name, None)
    return found if callable(found) else None


def torch_method(op: Any) -> Callable[..., Any] | None:
    return getattr(torch.Tensor, op.name, None)
