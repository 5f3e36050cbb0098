"""Calls public functions with arguments nobody would give them.

    python fuzz_child.py SEED LOG [NAME]

Every call is written to LOG before it is made: when the process dies, the last
line says of what. Run by test_fuzz.py, with little memory, in an empty folder.
"""

from __future__ import annotations

import inspect
import random
import resource
import sys
import types

import numpy as np
from sanitized import SANITIZED

# Eight gigabytes: what asks for more gets a MemoryError.
if not SANITIZED:
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

import sluice as sl  # noqa: E402
from sluice import (  # noqa: E402
    autograd, data, io, linalg, nn, optim, random as sl_random, report, testing, train,
    tree,
)

# These wait, sleep, print or end what the test runs in, as they should.
LEFT_OUT = {"sleep", "print", "breakpoint", "set_num_threads", "wait_for"}
CALLS_OF_EACH = 40
# What a Python program may expect to catch.
FINE = (
    ArithmeticError, AssertionError, AttributeError, BufferError, EOFError,
    ImportError, LookupError, MemoryError, NameError, OSError, RuntimeError,
    TypeError, UnicodeError, ValueError, StopIteration, Warning,
)


class Odd:
    """An object of no use to anybody."""

    def __getattr__(self, name: str):
        raise RuntimeError("no " + name)


class Cyclic(list):
    def __init__(self):
        super().__init__([1.0])
        self.append(self)


def anything(r: random.Random):
    """One argument: sensible ones and others."""
    shape = [r.choice((0, 1, 2, 3, 5)) for _ in range(r.randrange(5))]
    dtype = r.choice(("float32", "float64", "int64", "int32", "bool", "uint8",
                      "float16", "complex64"))
    makers = (
        lambda: None, lambda: True, lambda: False,
        lambda: r.choice((-(2**63), -5, -1, 0, 1, 2, 3, 7, 2**31, 2**62, 10**30)),
        lambda: r.choice((0.0, -0.5, 1.5, 1e300, float("nan"), float("inf"))),
        lambda: r.choice(("", "x", "mean", "same", "float32", "\0", "é" * 50)),
        lambda: b"bytes", lambda: 1j, lambda: Ellipsis, lambda: slice(None, -3, 2),
        lambda: [1, 2, 3], lambda: [[1, 2], [3]], lambda: [[], []], lambda: [],
        lambda: (0, 1), lambda: [-1, 0], lambda: [None, 2], lambda: {"a": 1},
        lambda: {1, 2}, lambda: [np.ones(2), np.ones(3)], lambda: ["a", 1],
        lambda: Odd(), lambda: Odd, lambda: Cyclic(), lambda: sl, lambda: int,
        lambda: (lambda *a: a[0] if a else None), lambda: (lambda x: x * 2),
        lambda: range(3), lambda: (i for i in range(3)),
        lambda: np.zeros(shape, dtype), lambda: np.array(["a", "b"]),
        lambda: np.array([object()]), lambda: np.zeros(3)[::-1],
        lambda: np.datetime64("2020-01-01"), lambda: np.float32(1),
        lambda: sl.float32, lambda: sl.int64, lambda: sl.string,
        lambda: sl.Tensor,
    )
    tensors = (
        lambda: sl.tensor(np.ones(shape, dtype)),
        lambda: sl.tensor(np.arange(6.0, dtype="float32").reshape(2, 3)),
        lambda: sl.tensor([0, 1, 1]), lambda: sl.tensor([-7, 100]),
        lambda: sl.tensor([float("nan"), 1.0]),
        lambda: sl.tensor(2.0), lambda: sl.tensor(1), lambda: sl.tensor(True),
        lambda: sl.ones((2, 3)).requires_grad_(),
        lambda: sl.ones((3, 3)),
    )
    return r.choice(tensors if r.random() < 0.55 else makers)()


def functions() -> dict[str, object]:
    """Everything public that can be called, by the name users write."""
    found: dict[str, object] = {}

    def add(prefix: str, owner: object, names) -> None:
        for name in names:
            if name.startswith("_") or name in LEFT_OUT:
                continue
            value = getattr(owner, name)
            if isinstance(value, types.ModuleType) or not callable(value):
                continue
            if inspect.isclass(value) and issubclass(value, BaseException):
                continue
            found[prefix + name] = value

    add("sl.", sl, dir(sl))
    add("Tensor.", sl.Tensor, dir(sl.Tensor))
    for name, module in (("nn", nn), ("nn.functional", nn.functional),
                         ("nn.init", nn.init), ("optim", optim),
                         ("linalg", linalg), ("autograd", autograd),
                         ("data", data), ("io", io), ("report", report),
                         ("train", train),
                         ("random", sl_random), ("testing", testing),
                         ("tree", tree)):
        add(name + ".", module, getattr(module, "__all__", dir(module)))
    return found


def names_of(function: object) -> list[str]:
    try:
        return [p for p in inspect.signature(function).parameters]
    except (TypeError, ValueError):
        return ["axis", "dim", "dtype", "keepdims", "name", "out"]


def attack(name: str, function, r: random.Random, log) -> None:
    for call in range(CALLS_OF_EACH):
        args = [anything(r) for _ in range(r.randrange(5))]
        if name.startswith("Tensor.") and (not args or r.random() < 0.9):
            args[:1] = [sl.tensor(np.ones((2, 3), "float32"))]
        kwargs = {}
        if r.random() < 0.3:
            kwargs[r.choice(names_of(function) or ["axis"])] = anything(r)
        log.write(f"{name} {call}\n")
        try:
            function(*args, **kwargs)
        except FINE:
            pass
        except SystemError as error:
            raise SystemExit(f"{name} {call}: {error!r}") from error


def main() -> None:
    seed = int(sys.argv[1])
    with open(sys.argv[2], "w", buffering=1) as log:
        all_functions = functions()
        chosen = sys.argv[3:] or sorted(all_functions)
        for name in chosen:
            # Of its own for each: one more function changes nothing for others.
            attack(name, all_functions[name], random.Random(f"{seed} {name}"), log)
        sl.ones(3) + 1  # it still works
        log.write(f"done {len(chosen)}\n")


if __name__ == "__main__":
    main()
