"""Each argument of an optimizer or a scheduler set in turn, on both sides."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch

import sluice as sl
from cross import to_sluice, to_torch
from judge import compare
from keyword_values import others

SKIPPED = {"self", "params", "optimizer", "foreach", "fused", "capturable",
           "verbose", "closure", "last_epoch"}  # fmt: skip
STEPS = 12
Outcome = tuple[str, str]

# What a scheduler must be given; what it may be given besides lies beside it.
SCHEDULERS: dict[str, dict[str, Any]] = {
    "StepLR": {"step_size": 3},
    "MultiStepLR": {"milestones": [2, 5]},
    "ConstantLR": {},
    "LinearLR": {},
    "ExponentialLR": {"gamma": 0.8},
    "PolynomialLR": {},
    "CosineAnnealingLR": {"T_max": 6},
    "CosineAnnealingWarmRestarts": {"T_0": 3},
    "CyclicLR": {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": 3},
    "OneCycleLR": {"max_lr": 0.2, "total_steps": 13},
    "ReduceLROnPlateau": {},
    "LambdaLR": {"lr_lambda": lambda n: 0.9**n},
    "MultiplicativeLR": {"lr_lambda": lambda n: 0.9},
}
WORDS = {
    "mode": ["min", "max", "triangular", "triangular2", "exp_range", "bogus"],
    "threshold_mode": ["rel", "abs", "bogus"],
    "anneal_strategy": ["cos", "linear", "bogus"],
    "scale_mode": ["cycle", "iterations", "bogus"],
    "betas": [(0.5, 0.9), (0.9, 0.5), (1.5, 0.9), [0.5, 0.5], (0.9,)],
    "etas": [(0.4, 1.5), (0.5, 1.2)],
    "step_sizes": [(1e-3, 1.0), (1e-6, 0.01)],
    "line_search_fn": ["strong_wolfe", "bogus"],
    "eps": [1e-2, 0.5, -1.0, (1e-3, 1e-3)],
    "adjust_lr_fn": ["original", "match_rms_adamw", "bogus"],
    "milestones": [[1, 3], [2, 5, 7], [], 3],
    "cooldown": [0, 1, 3], "patience": [0, 1, 3], "threshold": [0.1, 0.5, 1e-8],
    "scale_fn": [lambda x: 1 / (x + 1)],
}  # fmt: skip


def _values(name: str, now: Any) -> list[Any]:
    return [v for v in WORDS.get(name, []) or others(name, now) if repr(v) != repr(now)]


def _steps(side: Any, cls: Any, kwargs: dict[str, Any]) -> Any:
    """Where some steps down a bowl lead."""
    start = torch.linspace(-2, 3, 12, dtype=torch.float64).reshape(3, 4)
    kwargs = dict(kwargs)
    if side is torch:
        p = start.clone().requires_grad_()
    else:
        p, kwargs = to_sluice(start).requires_grad_(), to_sluice(kwargs)
    optimizer = cls([p], **kwargs)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = ((p - 1) ** 4).sum() + (p * p).sum()
        loss.backward()
        return loss

    for _ in range(5):
        if cls.__name__ == "LBFGS":
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()
    return p.detach() if side is torch else to_torch(p)


def _rates(side: Any, cls: Any, kwargs: dict[str, Any]) -> Any:
    """The learning rates and momenta a scheduler sets, step by step."""
    p = side.ones(2, requires_grad=True)
    optimizer = side.optim.SGD([p], lr=0.1, momentum=0.5)
    scheduler = cls(optimizer, **kwargs)
    made = []
    for i in range(STEPS):
        made.append(float(optimizer.param_groups[0]["lr"]))
        made.append(float(optimizer.param_groups[0]["momentum"]))
        optimizer.step()
        if cls.__name__ == "ReduceLROnPlateau":
            scheduler.step(1.0 - (0.05 if i == 4 else 0.0) + 0.001 * i)
        else:
            scheduler.step()
    return torch.tensor(made, dtype=torch.float64)


def _judged(run: Callable[..., Any], theirs: Any, ours: Any, base: dict[str, Any],
            changed: dict[str, Any]) -> Outcome:  # fmt: skip
    try:
        wanted = run(torch, theirs, changed)
    except Exception as error:
        text = f"{type(error).__name__}: {str(error)[:90]}"
        try:
            got = run(sl, ours, changed)
        except Exception:
            return "equal", ""
        same = compare(run(sl, ours, base), got)[0] == "equal"
        return "accepted", ("ignored; " if same else "") + text
    try:
        got = run(sl, ours, changed)
    except Exception as error:
        return "refused", f"{type(error).__name__}: {str(error)[:90]}"
    kind, text = compare(wanted, got)
    if kind == "value" and compare(run(sl, ours, base), got)[0] == "equal":
        return "swallowed", text
    return kind, text


def run_optimizers(names: set[str]) -> Iterator[tuple[str, str, str, Outcome]]:
    """(class, form, the argument and its value, outcome) of every call."""
    warnings.simplefilter("ignore")
    found: list[tuple[str, Any, Any, Any, dict[str, Any]]] = []
    for name in sorted(set(dir(torch.optim)) & set(dir(sl.optim))):
        cls, ours = getattr(torch.optim, name), getattr(sl.optim, name)
        if inspect.isclass(cls) and issubclass(cls, torch.optim.Optimizer):
            if name not in ("Optimizer", "SparseAdam"):
                found.append((name, _steps, cls, ours, {"lr": 0.01}))
    theirs = torch.optim.lr_scheduler
    for name, base in SCHEDULERS.items():
        if hasattr(sl.optim.lr_scheduler, name):
            mine = getattr(sl.optim.lr_scheduler, name)
            found.append((name, _rates, getattr(theirs, name), mine, base))
    for name, run, cls, ours, base in found:
        if names and "optim." + name not in names:
            continue
        yield "optim." + name, "base", "", _judged(run, cls, ours, base, base)
        for p in inspect.signature(cls.__init__).parameters.values():
            if p.name in SKIPPED or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                continue
            now = base.get(p.name, None if p.default is p.empty else p.default)
            for value in _values(p.name, now):
                changed = {**base, p.name: value}
                yield ("optim." + name, "keyword", f"{p.name}={value!r}",
                       _judged(run, cls, ours, base, changed))  # fmt: skip
