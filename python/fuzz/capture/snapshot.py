"""What a program shows at one moment: results and all state that can be reached.

A snapshot is a dict from paths ("net.w.grad", "result[0]") to values that nothing
changes later: copies of elements, flags, plain Python values.
"""

from __future__ import annotations

import dataclasses
import enum
import types
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class TensorSeen:
    dtype: str
    shape: tuple[int, ...]
    values: Any  # a numpy array
    requires_grad: bool
    leaf: bool

    def __str__(self) -> str:
        text = np.array2string(np.asarray(self.values), precision=6, threshold=12)
        flags = " requires_grad" * self.requires_grad + " leaf" * self.leaf
        return f"{' '.join(text.split())} {self.dtype}{flags}"


class Leaked(enum.Enum):
    """A tensor of a graph that was left where the program can see it."""

    GRAPH = "a tensor of a graph"


Snapshot = dict[str, Any]


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "requires_grad") and hasattr(value, "backward")


class _Walk:
    def __init__(self) -> None:
        self.out: Snapshot = {}
        self.open: set[int] = set()

    def tensor(self, t: Any, path: str) -> None:
        if getattr(t, "symbolic", False):
            self.out[path] = Leaked.GRAPH
            return
        values = np.array(t.detach().numpy(), copy=True)
        self.out[path] = TensorSeen(
            str(t.dtype).rpartition(".")[2], tuple(values.shape), values,
            bool(t.requires_grad), bool(t.is_leaf),
        )
        # Of a tensor that is no leaf, asking for the gradient only warns.
        grad = t.grad if t.is_leaf or t.retains_grad else None
        if grad is not None:
            self.walk(grad, path + ".grad")

    def module(self, m: Any, path: str) -> None:
        self.out[path + ".training"] = m.training
        for name, p in m.named_parameters(recurse=False):
            self.walk(p, f"{path}.{name}")
        for name, b in m.named_buffers(recurse=False):
            self.walk(b, f"{path}.{name}")
        for name, child in m.named_children():
            self.walk(child, f"{path}.{name}")
        self.attributes(m, path)

    def attributes(self, value: Any, path: str) -> None:
        for name, item in sorted(vars(value).items()):
            if not name.startswith("_") and name != "training":
                self.walk(item, f"{path}.{name}")

    def optimizer(self, o: Any, path: str) -> None:
        for i, group in enumerate(o.param_groups):
            for key in ("lr", "momentum", "weight_decay", "betas", "eps"):
                if key in group:
                    self.walk(group[key], f"{path}.groups[{i}].{key}")
        state = o.state_dict()
        if "param_groups" not in state:  # PyTorch's is of another form
            for key, item in sorted(state.items()):
                self.walk(item, f"{path}.state[{key!r}]")

    def walk(self, value: Any, path: str) -> None:
        if value is None or isinstance(value, (bool, int, float, complex, str)):
            self.out[path] = value
            return
        if _is_tensor(value):
            self.tensor(value, path)
            return
        if id(value) in self.open:
            return
        self.open.add(id(value))
        if isinstance(value, (list, tuple)):
            self.out[path + ".class"] = type(value).__name__
            self.out[path + ".len"] = len(value)
            for i, item in enumerate(value):
                self.walk(item, f"{path}[{i}]")
        elif isinstance(value, dict):
            self.out[path + ".keys"] = " ".join(map(str, value))
            for key, item in value.items():
                self.walk(item, f"{path}[{key!r}]")
        elif hasattr(value, "named_parameters"):
            self.module(value, path)
        elif hasattr(value, "param_groups"):
            self.optimizer(value, path)
        elif hasattr(value, "get_last_lr"):
            self.walk(value.get_last_lr(), path + ".get_last_lr()")
        elif isinstance(value, (set, frozenset)):
            # Python promises no order, which depends on what was added when.
            self.out[path + ".class"] = type(value).__name__
            self.out[path] = " ".join(sorted(map(repr, value)))
        elif isinstance(value, np.ndarray):
            self.out[path] = value.copy()
        elif not callable(value) and not isinstance(value, types.ModuleType):
            if hasattr(value, "__dict__"):
                self.out[path + ".class"] = type(value).__name__
                self.attributes(value, path)
            else:
                # Types of elements have their library's name before their own.
                self.out[path] = repr(value).rpartition(".")[2]
        self.open.discard(id(value))


def take(**reachable: Any) -> Snapshot:
    """A snapshot of some values, by name."""
    walk = _Walk()
    for name, value in reachable.items():
        walk.walk(value, name)
    return walk.out
