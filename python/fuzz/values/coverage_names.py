"""Writes coverage.txt: every name of PyTorch's and the array standard's lists.

    coverage_names.py ARRAY_API_STUBS      (with PyTorch installed)

One line for each: the name, and what stands for it here ("=", a dotted name of the
package), "refused" with a reason, or "missing". The page docs/python/coverage.md and
the test that names stay are made of this file alone (coverage_page.py).
"""

from __future__ import annotations

import ast
import inspect
import os
import pathlib
import sys
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

import counterparts
import sluice as sl
from coverage_page import Entry

HERE = os.path.dirname(os.path.abspath(__file__))

# Why names that begin so are not there.
REFUSED = {
    "_": "a part of PyTorch's own workings",
    "torch.": "a part of PyTorch's own workings",
    "native_": "a part of PyTorch's own workings; the function without native_ is there",
    "max_pool2d_with_indices_backward": "a part of PyTorch's own workings",
    "grid_sampler_": "a part of PyTorch's own workings; nn.functional.grid_sample is there",
    "jiterator_": "CUDA source as a string; captured functions are compiled",
    "sparse.": "there are no sparse matrices",
    "to_sparse": "there are no sparse matrices",
    "SparseAdam": "there are no sparse matrices; SGD and Adam take sparse gradients",
    "as_strided": "memory seen with any strides: tensors have views of whole axes alone",
    "empty_strided": "tensors are laid out in order",
    "new_empty_strided": "tensors are laid out in order",
    "empty_permuted": "tensors are laid out in order",
    "resize_": "a tensor keeps its size",
    "cdouble": "there is no complex128",
    "chalf": "there is no complex32",
    "hash_tensor": "a part of PyTorch's own workings",
    "slice": "x[a:b:c] of Python",
    "linalg.ldl_": "factors of LAPACK's own form; lu_factor and lu_solve take matrices "
    "that are not definite, too",
    "ldl_": "factors of LAPACK's own form; lu_factor and lu_solve take matrices that are "
    "not definite, too",
    "grouped_mm": "for GPUs' formats of 8 bits; matmul of each group",
    "scaled_": "for GPUs' formats of 8 bits; matmul",
    "SyncBatchNorm": "statistics of all ranks; GroupNorm and LayerNorm need none",
    "DataParallel": "DistributedDataParallel is there",
    "Container": "an old name of PyTorch's own; Module is there",
    "NLLLoss2d": "an old name; NLLLoss takes images",
    "UninitializedBuffer": "a part of PyTorch's lazy modules' own workings",
    "UninitializedParameter": "a part of PyTorch's lazy modules' own workings",
    "RNNCellBase": "a part of PyTorch's own workings",
    "CrossMapLRN2d": "an old name; LocalResponseNorm is there",
}


def dotted(op: Any) -> str | None:
    """The name in our package of what stands for an operator, or None."""
    name = op.name
    if counterparts.function(op) is None and counterparts.method(op) is None:
        return None
    drawn = name in counterparts._DRAWN_IN_PLACE or op.variant_test_name == "in_place"
    tries = ["Tensor." + name + "_"] if drawn else []
    tries += [name, "Tensor." + name, name.removeprefix("special.")]
    tries += {"__rdiv__": ["Tensor.__rtruediv__"]}.get(name, [])
    for at in tries:
        found = counterparts.of_name(sl, at)
        if found is not None and not inspect.ismodule(found):
            return at
    return None


def refused(name: str) -> str | None:
    for start, reason in REFUSED.items():
        if name == start or (start[-1] in "_." and name.startswith(start)):
            return reason
        if start in ("as_strided", "resize_") and name.startswith(start):
            return reason
    return None


def line(name: str, at: str | None) -> str:
    if at is not None:
        return f"{name} = {at}"
    reason = refused(name)
    return f"{name} refused {reason}" if reason else f"{name} missing"


def operators() -> list[str]:
    made = {}
    for op in op_db:
        variant = "." + op.variant_test_name if op.variant_test_name else ""
        made[op.name + variant] = line(op.name + variant, dotted(op))
    return [made[name] for name in sorted(made)]


def classes(module: Any, prefix: str, base: Any) -> list[str]:
    names = [n for n in dir(module) if inspect.isclass(getattr(module, n))
             and issubclass(getattr(module, n), base) and not n.startswith("_")]  # fmt: skip
    return named(names, prefix)


def named(names: list[str], prefix: str) -> list[str]:
    """A line for each name of a module, where ours is of the same name."""
    there = [(n, prefix + n) for n in names]
    return [line(n, at if Entry(n, at, "").found(sl) else None) for n, at in there]


def functions(module: Any, prefix: str) -> list[str]:
    """The functions that PyTorch documents."""
    names = [n for n in dir(module) if not n.startswith("_")
             and callable(getattr(module, n)) and not inspect.isclass(getattr(module, n))
             and (getattr(module, n).__doc__ or "").strip()
             and not n.startswith(("has_torch", "handle_torch", "boolean_dispatch"))
             and getattr(getattr(module, n), "__module__", None) != "typing"]  # fmt: skip
    return named(names, prefix)


def standard(stubs: pathlib.Path) -> list[str]:
    """What the stubs of the array standard list as __all__, with its extensions."""
    made = []
    for path in sorted(stubs.glob("*.py")):
        inner = {"fft": "fft.", "linalg": "linalg."}.get(path.stem, "")
        if path.stem in ("__init__", "_types", "array_object", "info"):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and getattr(
                node.targets[0], "id", "") == "__all__":  # fmt: skip
                made += [inner + n for n in ast.literal_eval(node.value)]
            elif isinstance(node, ast.AugAssign) and getattr(
                node.target, "id", "") == "__all__":  # fmt: skip
                made += [inner + n for n in ast.literal_eval(node.value)]
    return named(sorted(set(made)), "array_api.")


def main() -> None:
    optimizer = torch.optim.Optimizer
    schedulers = torch.optim.lr_scheduler
    parts = {
        "operators": operators(),
        "modules": classes(torch.nn, "nn.", torch.nn.Module),
        "functions of nn": functions(torch.nn.functional, "nn.functional."),
        "optimizers": classes(torch.optim, "optim.", optimizer),
        "schedulers": classes(schedulers, "optim.lr_scheduler.", schedulers.LRScheduler),
        "linalg": functions(torch.linalg, "linalg."),
        "fft": functions(torch.fft, "fft."),
        "special": functions(torch.special, "special."),
        "distributions": named(sorted(torch.distributions.__all__), "distributions."),
        "array standard": standard(pathlib.Path(sys.argv[1])),
    }
    with open(os.path.join(HERE, "coverage.txt"), "w", encoding="utf-8") as out:
        print(f"# Written by coverage_names.py, PyTorch {torch.__version__}.", file=out)
        for title, lines in parts.items():
            print(f"\n## {title}", *lines, sep="\n", file=out)


if __name__ == "__main__":
    main()
