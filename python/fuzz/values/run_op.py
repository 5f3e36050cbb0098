"""All samples of one operator on both sides, and what came of each."""

from __future__ import annotations

import contextlib
import signal
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_map

import counterparts
import sluice as sl
from cross import CannotCross, dtype_name, options, to_sluice, to_torch
from forms import Call, other_forms
from judge import compare
from settle import settled

DTYPES = [torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16]
SAMPLES = "sample_inputs"  # or "reference_inputs": more of them, with extremes
SECONDS = 60  # a sample that takes longer hangs

# What they hold is anything.
UNWRITTEN = {"empty", "empty_like", "new_empty", "empty_strided", "empty_permuted",
             "new_empty_strided", "resize_", "resize_as_"}  # fmt: skip


# Drawn at random; some of them by a seed of the database's own.
DRAWN = {"bernoulli", "cauchy", "exponential", "geometric", "log_normal",
         "multinomial", "normal", "pca_lowrank", "rand", "rand_like", "randint",
         "randint_like", "svd_lowrank", "randn", "randn_like", "uniform",
         "nn.functional.alpha_dropout", "nn.functional.dropout",
         "nn.functional.dropout1d", "nn.functional.dropout2d",
         "nn.functional.dropout3d", "nn.functional.feature_alpha_dropout",
         "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d",
         "nn.functional.rrelu"}  # fmt: skip


class Hangs(Exception):
    """One sample took longer than SECONDS."""


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _copies(value: Any) -> Any:
    """Arguments of their own: some operators write to theirs."""
    return tree_map(
        lambda v: v.detach().clone().requires_grad_(v.requires_grad)
        if isinstance(v, torch.Tensor) else v, value)  # fmt: skip


def _call_torch(function: Callable[..., Any], call: Call, seed: int = 0) -> Any:
    torch.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*_copies(call.args), **_copies(call.kwargs))


def _same(a: Any, b: Any) -> bool:
    return compare(a, b)[0] == "equal"


def _double(value: Any) -> Any:
    return tree_map(
        lambda v: v.double()
        if isinstance(v, torch.Tensor) and v.is_floating_point()
        else torch.float64 if isinstance(v, torch.dtype) and v.is_floating_point
        else v, value)  # fmt: skip


def _exact(function: Callable[..., Any], call: Call) -> Any:
    try:
        return _call_torch(function, Call(_double(call.args), _double(call.kwargs)))
    except Exception:
        return None


def _refusal(error: BaseException) -> str:
    text = str(error).splitlines()
    return f"{type(error).__name__}: {text[0][:160] if text else ''}"


def one_call(
    op: Any, theirs: Callable[..., Any], ours: Callable[..., Any], call: Call
) -> tuple[str, str]:
    """What came of one call: equal, value, shape, dtype, refused, skipped, hangs."""
    try:
        wanted = _call_torch(theirs, call)
    except Exception as error:
        return "skipped", _refusal(error)
    try:
        mine = Call(to_sluice(call.args), to_sluice(options(call.kwargs)))
    except CannotCross as error:
        return "skipped", f"argument: {error}"
    try:
        with _in_time(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = ours(*mine.args, **mine.kwargs)
            if made is NotImplemented:
                raise TypeError("NotImplemented")
            got = to_torch(made)
    except Hangs:
        return "hangs", ""
    except Exception as error:
        return "refused", _refusal(error)
    drawn = (
        draws(op.name, call)
        or not _same(wanted, _call_torch(theirs, call, seed=1))
    )
    values = not drawn and op.name not in UNWRITTEN
    kind, text = compare(
        settled(op.name, wanted), settled(op.name, got), values=values
    )
    if kind == "value":
        exact = _exact(theirs, call)
        kind, text = compare(
            settled(op.name, wanted), settled(op.name, got), values=values,
            exact=None if exact is None else settled(op.name, exact))  # fmt: skip
    if kind != "equal" or op.name in DRAWN:
        return kind, text
    return _memory(theirs, call, ours)


def _shares_torch(theirs: Callable[..., Any], call: Call) -> bool | None:
    args = _copies(call.args)
    first = args[0] if args and isinstance(args[0], torch.Tensor) else None
    if first is None or first.numel() == 0:
        return None
    made = theirs(*args, **_copies(call.kwargs))
    made = made[0] if isinstance(made, (list, tuple)) and made else made
    if not isinstance(made, torch.Tensor) or made.numel() == 0:
        return None
    return (made.untyped_storage().data_ptr()
            == first.untyped_storage().data_ptr())  # fmt: skip


def _memory(
    theirs: Callable[..., Any], call: Call, ours: Callable[..., Any]
) -> tuple[str, str]:
    """Whether the result is a view of the first argument on one side only."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs_shares = _shares_torch(theirs, call)
            if theirs_shares is None:
                return "equal", ""
            mine = Call(to_sluice(call.args), to_sluice(options(call.kwargs)))
            made = ours(*mine.args, **mine.kwargs)
            made = made[0] if isinstance(made, (list, tuple)) else made
            if dtype_name(made.dtype) == "bfloat16":
                return "equal", ""
            shares = np.shares_memory(made.numpy(), mine.args[0].numpy())
    except Exception:
        return "equal", ""
    if shares == theirs_shares:
        return "equal", ""
    if theirs_shares:
        return "copy", "a copy; PyTorch's is a view"
    return "view", "shares memory with its argument; PyTorch's does not"


def _tensors(value: Any, kind: type) -> list[Any]:
    if isinstance(value, kind):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _tensors(v, kind)]
    if isinstance(value, dict):
        return [t for v in value.values() for t in _tensors(v, kind)]
    return []


def draws(name: str, call: Call) -> bool:
    """Whether a call drops some of its elements: PyTorch's choice of them."""
    if name == "nn.functional.multi_head_attention_forward":
        return bool(call.kwargs.get("training"))  # its samples drop half then
    return name in DRAWN or bool(call.kwargs.get("dropout_p"))


def one_gradient(
    op: Any, theirs: Callable[..., Any], ours: Callable[..., Any], call: Call
) -> tuple[str, str]:
    """The gradients of a weighted sum of the results, in all that ask for one."""
    if draws(op.name, call):
        return "skipped", "drawn at random"
    args, kwargs = _copies(call.args), _copies(call.kwargs)
    wanted_in = [t for t in _tensors((args, kwargs), torch.Tensor) if t.requires_grad]
    if not wanted_in:
        return "skipped", "no input asks for gradients"
    try:
        torch.manual_seed(0)
        out = settled(op.name, theirs(*args, **kwargs))
        outs = [t for t in _tensors(out, torch.Tensor) if t.requires_grad]
        generator = torch.Generator().manual_seed(7)
        weights = [torch.randn(t.shape, generator=generator, dtype=torch.float64)
                   .to(t.dtype) for t in outs]  # fmt: skip
        wanted = torch.autograd.grad(
            outs, wanted_in, weights, allow_unused=True)  # fmt: skip
    except Exception as error:
        return "skipped", _refusal(error)
    if not outs or any(t.is_complex() for t in wanted_in + outs):
        return "skipped", "complex numbers"
    try:
        mine = Call(to_sluice(call.args), to_sluice(options(call.kwargs)))
        mine_in = [t for t in _tensors((mine.args, mine.kwargs), sl.Tensor)
                   if t.requires_grad]  # fmt: skip
    except CannotCross as error:
        return "skipped", f"argument: {error}"
    try:
        with _in_time():
            made = settled(op.name, ours(*mine.args, **mine.kwargs))
            made = [t for t in _tensors(made, sl.Tensor) if t.requires_grad]
            if len(made) != len(outs):
                # Without a gradient, or with one of zeros: that says the same.
                if all(w is None or not w.any() for w in wanted):
                    return "equal", ""
                return "shape", f"{len(made)} results have gradients; wanted {len(outs)}"
            got = sl.autograd.grad(
                made, mine_in, [to_sluice(w) for w in weights], allow_unused=True)
            got = [to_torch(g) if g is not None else None for g in got]
    except Hangs:
        return "hangs", ""
    except Exception as error:
        return "refused", _refusal(error)
    # None and zeros say the same.
    fill = [(torch.zeros_like(t) if w is None else w,
             torch.zeros_like(t) if g is None else g)
            for t, w, g in zip(wanted_in, wanted, got)]  # fmt: skip
    return compare([w for w, _ in fill], [g for _, g in fill])


def run_op(op: Any, quick: bool = False) -> Iterator[tuple[str, str, int, str, str]]:
    """(dtype, form, sample, outcome, text) of every call of one operator."""
    ours, method = counterparts.function(op), counterparts.method(op)
    if ours is None and method is None:
        yield "", "", 0, "no counterpart", ""
        return
    theirs, their_method = op.get_op(), counterparts.torch_method(op)
    forms_of = next((d for d in DTYPES if d in op.supported_dtypes("cpu")), None)
    for dtype in DTYPES:
        if dtype not in op.supported_dtypes("cpu"):
            continue
        for n, call in enumerate(_samples(op, dtype, False)):
            if quick and n > 5:
                break
            tries = []
            if ours is not None:
                tries.append(("function", theirs, ours, call))
            if method is not None and their_method is not None and isinstance(
                call.args[0], torch.Tensor):  # fmt: skip
                tries.append(("method", their_method, method, call))
            if dtype == forms_of:
                for form, again in other_forms(op.name, call):
                    if ours is not None:
                        tries.append((form, theirs, ours, again))
                    if method is not None and their_method is not None:
                        tries.append(("method " + form, their_method, method, again))
            for form, a, b, c in tries:
                kind, text = one_call(op, a, b, c)
                if kind == "skipped" and form not in ("function", "method"):
                    continue
                yield dtype_name(dtype), form, n, kind, text
    if ours is None or not op.supports_autograd:
        return
    if torch.float64 not in op.supported_dtypes("cpu"):
        return
    for n, call in enumerate(_samples(op, torch.float64, True)):
        if quick and n > 5:
            break
        kind, text = one_gradient(op, theirs, ours, call)
        yield "float64", "gradient", n, kind, text


def _samples(op: Any, dtype: torch.dtype, grad: bool) -> Iterator[Call]:
    torch.manual_seed(1)
    np.random.seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = getattr(op, SAMPLES)("cpu", dtype, requires_grad=grad)
            for s in made:
                yield Call((s.input, *s.args), dict(s.kwargs))
        except Exception:
            return
