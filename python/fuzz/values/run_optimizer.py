"""One optimizer of PyTorch's database on both sides: parameters after each step.

Ours runs at once, captured, and with a second optimizer that takes over in the
middle from the first one's `state_dict()`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch

import sluice as sl
from cross import CannotCross, dtype_name, options, to_sluice, to_torch
from judge import compare

DTYPES = [torch.float32, torch.float64]
SHAPES = [(2, 3), (3,), ()]
STEPS = 5


def _starts(dtype: Any) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Numbers to begin with, and those to come near to."""
    generator = torch.Generator().manual_seed(3)
    draw = lambda s: torch.randn(s, generator=generator, dtype=torch.float64)
    return [draw(s).to(dtype) for s in SHAPES], [draw(s).to(dtype) for s in SHAPES]


def _loss(params: list[Any], goals: list[Any]) -> Any:
    """Curved in every direction, and no square, whose gradient is too regular."""
    return sum(((p - g) ** 2).sum() + (p * g).sin().sum()
               for p, g in zip(params, goals))  # fmt: skip


def _step(optimizer: Any, params: list[Any], goals: list[Any]) -> Any:
    def closure() -> Any:
        optimizer.zero_grad()
        loss = _loss(params, goals)
        loss.backward()
        return loss

    if type(optimizer).__name__ == "LBFGS":
        return optimizer.step(closure)
    loss = closure()
    optimizer.step()
    return loss


def _run(
    params: list[Any], goals: list[Any], make: Callable[[], Any], form: str
) -> list[Any]:
    """The loss and all parameters after each step."""
    optimizer, seen = make(), []
    step = lambda: _step(optimizer, params, goals)
    if form == "captured":
        step = sl.function(step)
    for n in range(STEPS):
        if form == "loaded" and n == 2:
            state = optimizer.state_dict()
            optimizer = make()
            optimizer.load_state_dict(state)
        loss = step()
        seen += [loss.detach(), *(p.detach().clone() for p in params)]
    return seen


def _theirs(info: Any, kwargs: dict[str, Any], dtype: Any, start: Any) -> list[Any]:
    begin, goals = start
    params = [torch.nn.Parameter(p.detach().clone().to(dtype)) for p in begin]
    make = lambda: info.optim_cls(params, **kwargs)
    return _run(params, [g.to(dtype) for g in goals], make, "at once")


def _one(info: Any, kwargs: dict[str, Any], dtype: Any, form: str) -> tuple[str, str]:
    start = _starts(dtype)
    try:
        wanted = _theirs(info, kwargs, dtype, start)
    except Exception as error:
        return "skipped", str(error)[:160]
    try:
        ours = getattr(sl.optim, info.optim_cls.__name__)
        params = [sl.nn.Parameter(to_sluice(p)) for p in start[0]]
        mine = to_sluice(options(kwargs))
        got = _run(params, to_sluice(start[1]), lambda: ours(params, **mine), form)
    except CannotCross as error:
        return "skipped", f"argument: {error}"
    except Exception as error:
        return "refused", f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"
    kind, text = compare(wanted, to_torch(got))
    if kind == "value":
        exact = _theirs(info, kwargs, torch.float64, start)
        kind, text = compare(wanted, to_torch(got), exact=exact)
    return kind, text


def run_optimizer(info: Any) -> Iterator[tuple[str, str, int, str, str]]:
    """(type, form, number, outcome, text) of every sample."""
    if not hasattr(sl.optim, info.optim_cls.__name__):
        yield "", "", 0, "no counterpart", ""
        return
    for dtype in DTYPES:
        for n, sample in enumerate(info.optim_inputs_func(device="cpu")):
            for form in ("at once", "captured", "loaded"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    outcome, text = _one(info, sample.kwargs, dtype, form)
                yield (dtype_name(dtype), form, n, outcome,
                       f"{sample.desc}: {text}")  # fmt: skip
