"""Branches and loops as functions of ordinary code.

Imperatively they run at once. In a graph, and in a function being captured, they become
nodes: only the branch taken runs, and a loop runs while its condition holds. Values are
trees (nested tuples, lists, dicts, None, Lists) of tensors and numbers. The code may
read any enclosing variables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._core import List, Save

__all__ = [
    "List",
    "budget",
    "cond",
    "foldl",
    "foldr",
    "for_loop",
    "fori_loop",
    "map_fn",
    "scan",
    "switch",
    "while_loop",
]


def budget(bytes: int | str) -> Save:
    """At most so many bytes kept for the gradient of a loop, for its `save=`.

    A number, or a string such as "256MiB", "1.5GB" or "64 KiB". Values that do not
    fit are rematerialized.
    """
    return _core.budget(bytes)


def _check_callable(what: str, f: object) -> None:
    if not callable(f):
        raise TypeError(f"{what} is a {type(f).__name__}; wanted a function")


def cond(
    pred: Any,
    true_fn: Callable[..., Any],
    false_fn: Callable[..., Any],
    *operands: Any,
) -> Any:
    """`true_fn(*operands)` where `pred` holds, `false_fn(*operands)` else.

    Only the branch taken runs, and only it has a gradient. Both return the same
    structure and types, of whatever sizes. `pred` is a scalar; of numbers, all but
    zero are true.
    """
    _check_callable("cond: true_fn", true_fn)
    _check_callable("cond: false_fn", false_fn)
    if isinstance(pred, bool):  # already decided
        return (true_fn if pred else false_fn)(*operands)
    return _core.run_branches("cond", pred, [true_fn, false_fn], operands, False)


def switch(
    index: Any,
    branches: Sequence[Callable[..., Any]],
    *operands: Any,
    default: Callable[..., Any] | None = None,
) -> Any:
    """`branches[index](*operands)`; only that branch runs.

    An index out of range is an error, or runs `default`.
    """
    codes = list(branches)
    if not codes:
        raise ValueError("switch: there are no branches; wanted at least one")
    if default is not None:
        codes.append(default)
    for i, branch in enumerate(codes):
        _check_callable(f"switch: branch {i}", branch)
    return _core.run_branches("switch", index, codes, operands, default is not None)


def _takes(f: Callable[..., Any], count: int) -> bool | None:
    """Whether f accepts that many arguments; None if unknown."""
    import inspect  # only when needed, because it loads slowly

    try:
        inspect.signature(f).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return None
    return True


def while_loop(
    cond_fn: Callable[..., Any],
    body_fn: Callable[..., Any],
    *init: Any,
    parallel_iterations: int = 10,
    maximum_iterations: int | None = None,
    save: str | Save = "device",
    name: str = "",
) -> Any:
    """`body_fn(*values)` gives the next values, as long as `cond_fn(*values)`.

    Returns the last ones: one value alone, several as a tuple. Each is a tree of
    tensors; structure and types stay, sizes may change. Numbers become tensors:
    int64 and float32, or the type the body gives them. A single tuple or list is
    spread over the arguments when the functions take so many, as in PyTorch and
    TensorFlow; else it is carried as one value, as in JAX.

    parallel_iterations: how many may run at once in a graph. Changes no result.
    maximum_iterations: the loop ends after so many.
    save: what is kept for the gradient: "device" (all it reads), "host" (the same,
        in the host's memory when the device's runs short), "recompute" or
        budget(bytes).
    """
    _check_callable("while_loop: cond_fn", cond_fn)
    _check_callable("while_loop: body_fn", body_fn)
    values, alone = init, len(init) == 1
    if alone and type(init[0]) in (tuple, list) and len(init[0]) != 1:
        count = len(init[0])
        if not _takes(cond_fn, 1) and _takes(cond_fn, count):
            values, alone = tuple(init[0]), False
    limit = -1 if maximum_iterations is None else maximum_iterations
    last = _core.while_loop(
        cond_fn, body_fn, values, save, name, parallel_iterations, limit
    )
    return last[0] if alone else last


def fori_loop(
    lower: Any,
    upper: Any,
    body_fn: Callable[[Any, Any], Any],
    init: Any,
    *,
    parallel_iterations: int = 10,
    save: str | Save = "device",
    name: str = "",
) -> Any:
    """`value = body_fn(i, value)` for i = lower, ..., upper - 1; the last value.

    `init` is a tree of tensors; `lower` and `upper` are whole numbers, tensors or
    not. The options are those of while_loop.
    """
    _check_callable("fori_loop: body_fn", body_fn)
    _, last = while_loop(
        lambda i, _: i < upper,
        lambda i, value: (i + 1, body_fn(i, value)),
        lower,
        init,
        parallel_iterations=parallel_iterations,
        save=save,
        name=name,
    )
    return last


def for_loop(
    count: Any,
    body_fn: Callable[..., Any],
    *init: Any,
    parallel_iterations: int = 10,
    save: str | Save = "device",
    name: str = "",
) -> Any:
    """`body_fn(i, *values)` gives the next values, for i = 0, ..., count - 1.

    Returns the last ones, as while_loop does, whose options it has.
    """
    _check_callable("for_loop: body_fn", body_fn)
    alone = len(init) == 1

    def step(i: Any, *values: Any) -> tuple[Any, ...]:
        made = body_fn(i, *values)
        if alone:
            return i + 1, made
        if made is None and not init:
            return (i + 1,)
        if not isinstance(made, (tuple, list)) or len(made) != len(init):
            raise ValueError(
                f"for_loop: the body gives {_described(made)}; "
                f"wanted {len(init)} values, as it is given"
            )
        return i + 1, *made

    last = _core.while_loop(
        lambda i, *_: i < count, step, (0, *init), save, name or "for_loop",
        parallel_iterations, -1,
    )
    return last[1] if alone else last[1:]


def _described(value: object) -> str:
    if isinstance(value, (tuple, list)):
        return f"{len(value)} values"
    return f"a {type(value).__name__}"


def map_fn(
    f: Callable[[Any], Any],
    xs: Any,
    *,
    parallel_iterations: int = 10,
    save: str | Save = "device",
    name: str = "",
) -> Any:
    """f of every element of xs along axis 0, stacked.

    xs is a tensor, or a tree of tensors of equal length; so is what f gives.
    """
    _check_callable("map_fn: f", f)
    return _core.map_fn(f, xs, save, name, parallel_iterations)


def scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any = None,
    *,
    length: int | None = None,
    reverse: bool = False,
    parallel_iterations: int = 10,
    save: str | Save = "device",
    name: str = "",
) -> Any:
    """A state carried along a sequence: `f(state, x)` for every x along axis 0.

    f gives a pair: what is kept, and the next state; scan then returns the pair
    (kept, stacked along axis 0; the last state). That is the other way round than
    JAX's (carry, y). When f gives just the next state, all states are returned,
    stacked. States, elements and what is kept are trees of tensors.

    length: without xs, f is called so many times, with None.
    reverse: from the last element to the first.
    """
    _check_callable("scan: f", f)
    code = f
    if xs is None:
        if length is None:
            raise TypeError("scan: neither xs nor length is given; wanted one of them")
        xs = _core.op_function("Range")(0, length, 1)

        def code(state: Any, _: Any) -> Any:
            return f(state, None)

    return _core.scan(code, init, xs, reverse, save, name, parallel_iterations)


_NOTHING: Any = object()


def _fold(
    f: Callable[[Any, Any], Any],
    xs: Any,
    init: Any,
    reverse: bool,
    save: str | Save,
    name: str,
) -> Any:
    _check_callable("foldr: f" if reverse else "foldl: f", f)
    given = init is not _NOTHING
    return _core.fold(f, xs, init if given else None, given, reverse, save, name, 10)


def foldl(
    f: Callable[[Any, Any], Any],
    xs: Any,
    init: Any = _NOTHING,
    *,
    save: str | Save = "device",
    name: str = "",
) -> Any:
    """f(f(f(init, x0), x1), x2) ...; without init the first element is it."""
    return _fold(f, xs, init, False, save, name)


def foldr(
    f: Callable[[Any, Any], Any],
    xs: Any,
    init: Any = _NOTHING,
    *,
    save: str | Save = "device",
    name: str = "",
) -> Any:
    """The same as foldl from the last element to the first."""
    return _fold(f, xs, init, True, save, name)
