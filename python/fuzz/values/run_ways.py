"""One operator of PyTorch's database in every way a call can run here.

Compared with the imperative call: the captured call, and its gradient taken outside and
inside a captured function. Also compared: `vmap` over many examples with one example
after the other, and the second gradient with PyTorch's. A call that raises in one mode
must raise in the others, and PyTorch's samples of wrong input must raise in all modes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch

import counterparts
import sluice as sl
from cross import CannotCross, dtype_name, options, to_sluice, to_torch
from forms import Call
from judge import compare
from run_op import (
    DRAWN,
    UNWRITTEN,
    Hangs,
    _copies,
    _in_time,
    _samples,
    _tensors,
    draws,
)
from settle import settled

DTYPES = [torch.float64, torch.float32, torch.int64, torch.bool]
Outcome = tuple[str, str]


def _error(error: BaseException) -> str:
    text = str(error).splitlines()
    return f"{type(error).__name__}: {text[0][:150] if text else ''}"


def _try(call: Callable[[], Any]) -> tuple[Any, str]:
    """The result, or why there is none."""
    try:
        with _in_time(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return to_torch(call()), ""
    except Hangs:
        return None, "hangs"
    except Exception as error:
        return None, _error(error)


def _same(now: tuple[Any, str], other: tuple[Any, str], name: str = "") -> Outcome:
    """name: of the operator, where these are its results."""
    if now[1] and other[1]:
        return "equal", ""
    if now[1]:
        return "accepted", f"at once {now[1]}"
    if other[1]:
        return ("hangs" if other[1] == "hangs" else "refused"), other[1]
    if name:
        return compare(settled(name, now[0]), settled(name, other[0]))
    return compare(now[0], other[0])


def _leaves(call: Call) -> list[Any]:
    return [t for t in _tensors((call.args, call.kwargs), sl.Tensor)
            if t.requires_grad]  # fmt: skip


def _crossed(call: Call) -> Call:
    return Call(to_sluice(call.args), to_sluice(options(call.kwargs)))


def _weighted(outs: list[Any]) -> Any:
    """One number that depends on every element in a way of its own."""
    total = 0.0
    for i, t in enumerate(outs):
        total = total + (t * (t * 0.3 + 1.0 + i)).sum()
    return total


def _gradients(ours: Callable[..., Any], call: Call) -> list[Any]:
    made = [t for t in _tensors(ours(*call.args, **call.kwargs), sl.Tensor)
            if t.requires_grad]  # fmt: skip
    leaves = _leaves(call)
    if not made:
        return [None for _ in leaves]
    return list(sl.autograd.grad(_weighted(made), leaves, allow_unused=True))


def _filled(grads: list[Any], like: list[Any]) -> list[Any]:
    """None and zeros say the same."""
    return [sl.zeros_like(t) if g is None else g for g, t in zip(grads, like)]


def _captured(op: Any, ours: Callable[..., Any], call: Call) -> Outcome:
    def once() -> Any:
        mine = _crossed(call)
        return ours(*mine.args, **mine.kwargs)

    def later() -> Any:
        mine = _crossed(call)
        return sl.function(ours)(*mine.args, **mine.kwargs)

    return _same(_try(once), _try(later), op.name)


def _captured_gradient(
    op: Any, ours: Callable[..., Any], call: Call, inside: bool
) -> Outcome:
    def once() -> Any:
        mine = _crossed(call)
        return _filled(_gradients(ours, mine), _leaves(mine))

    def later() -> Any:
        mine = _crossed(call)
        if not inside:
            return _filled(_gradients(sl.function(ours), mine), _leaves(mine))

        def gradients(args: Any, kwargs: Any) -> Any:
            given = Call(args, kwargs)
            return _filled(_gradients(ours, given), _leaves(given))

        return sl.function(gradients)(mine.args, mine.kwargs)

    now = _try(once)
    if now[1]:
        return "skipped", now[1]
    return _same(now, _try(later))


def _second_gradient(
    op: Any, theirs: Callable[..., Any], ours: Callable[..., Any], call: Call
) -> Outcome:
    def second(grad: Any, outs: list[Any], leaves: list[Any], zeros: Any) -> Any:
        if not outs:
            return [zeros(t) for t in leaves]
        first = grad(_weighted(outs), leaves, create_graph=True, allow_unused=True)
        again = [g for g in first if g is not None and g.requires_grad]
        if not again:
            return [zeros(t) for t in leaves]
        made = grad(_weighted(again), leaves, allow_unused=True)
        return [zeros(t) if g is None else g for g, t in zip(made, leaves)]

    args, kwargs = _copies(call.args), _copies(call.kwargs)
    leaves = [t for t in _tensors((args, kwargs), torch.Tensor) if t.requires_grad]
    if not leaves:
        return "skipped", "no input asks for gradients"
    try:
        out = settled(op.name, theirs(*args, **kwargs))
        outs = [t for t in _tensors(out, torch.Tensor) if t.requires_grad]
        if not outs or any(t.is_complex() for t in outs):
            return "skipped", "no result with a gradient"
        wanted = second(torch.autograd.grad, outs, leaves, torch.zeros_like)
    except Exception as error:
        return "skipped", _error(error)

    def mine() -> Any:
        own = _crossed(call)
        made = settled(op.name, ours(*own.args, **own.kwargs))
        made = [t for t in _tensors(made, sl.Tensor) if t.requires_grad]
        return second(sl.autograd.grad, made, _leaves(own), sl.zeros_like)

    return _same((wanted, ""), _try(mine))


def _lanes(op: Any, ours: Callable[..., Any], call: Call) -> Outcome:
    """Two examples, the second half of the first, by vmap and one by one."""
    try:
        mine = _crossed(Call(_copies(call.args), _copies(call.kwargs)))
    except CannotCross as error:
        return "skipped", str(error)
    places = [i for i, a in enumerate(mine.args)
              if isinstance(a, sl.Tensor) and a.is_floating_point()]  # fmt: skip
    if not places:
        return "skipped", "no tensor of floats"
    lanes = []
    for scale in (1.0, 0.5):
        args = [a * scale if i in places else a for i, a in enumerate(mine.args)]
        made = _try(lambda: ours(*args, **mine.kwargs))
        if made[1]:
            return "skipped", made[1]
        lanes.append(settled(op.name, made[0]))

    def together() -> Any:
        def example(*given: Any) -> Any:
            args = list(mine.args)
            for i, tensor in zip(places, given):
                args[i] = tensor
            return ours(*args, **mine.kwargs)

        return sl.vmap(example)(*(sl.stack([mine.args[i], mine.args[i] * 0.5])
                                  for i in places))  # fmt: skip

    made, why = _try(together)
    if why:
        return ("hangs" if why == "hangs" else "refused"), why
    for n, lane in enumerate(lanes):
        kind, text = compare(lane, settled(op.name, _lane(made, n)))
        if kind != "equal":
            return kind, f"lane {n}: {text}"
    return "equal", ""


def _wrong(op: Any, ours: Callable[..., Any]) -> Iterator[tuple[str, int, Outcome]]:
    """Samples that PyTorch refuses."""
    try:
        samples = list(op.error_inputs("cpu")) if op.error_inputs_func else []
    except Exception:
        return
    for n, wrong in enumerate(samples):
        given = wrong.sample_input
        call = Call((given.input, *given.args), dict(given.kwargs))
        try:
            op.get_op()(*_copies(call.args), **_copies(call.kwargs))
            continue
        except Exception as error:
            why = _error(error)
        for way, function in (("", ours), (" captured", sl.function(ours))):
            try:
                mine = _crossed(call)
            except CannotCross as error:
                yield "wrong input" + way, n, ("skipped", str(error))
                continue
            made, refused = _try(lambda: function(*mine.args, **mine.kwargs))
            yield "wrong input" + way, n, (
                ("equal", "") if refused else ("accepted", f"PyTorch: {why}"))


def _lane(value: Any, n: int) -> Any:
    if isinstance(value, (list, tuple)):
        return [_lane(v, n) for v in value]
    return value[n] if isinstance(value, torch.Tensor) else value


def run_ways(op: Any, most: int) -> Iterator[tuple[str, str, int, str, str]]:
    """(type, way, sample, outcome, text) of at most so many samples per type."""
    ours, theirs = counterparts.function(op), op.get_op()
    if ours is None or op.name in DRAWN or op.name in UNWRITTEN:
        yield "", "", 0, "no counterpart", ""
        return
    for way, n, (kind, text) in _wrong(op, ours):
        yield "", way, n, kind, text
    for dtype in DTYPES:
        if dtype not in op.supported_dtypes("cpu"):
            continue
        grad = dtype == torch.float64 and op.supports_autograd
        for n, call in enumerate(_samples(op, dtype, grad)):
            if n >= most:
                break
            if draws(op.name, call):
                continue
            ways = [("captured", lambda: _captured(op, ours, call))]
            if dtype == torch.float64:
                ways.append(("vmap", lambda: _lanes(op, ours, call)))
            if grad:
                ways += [
                    ("gradient outside",
                     lambda: _captured_gradient(op, ours, call, False)),
                    ("gradient inside",
                     lambda: _captured_gradient(op, ours, call, True)),
                    ("second gradient",
                     lambda: _second_gradient(op, theirs, ours, call)),
                ]  # fmt: skip
            for way, run in ways:
                try:
                    kind, text = run()
                except CannotCross as error:
                    kind, text = "skipped", f"argument: {error}"
                yield dtype_name(dtype), way, n, kind, text
