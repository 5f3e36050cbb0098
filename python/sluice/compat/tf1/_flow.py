"""Conditions, and what is run for its effect.

The functions they are given are called once, while the graph is built.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ... import _core
from ._dtypes import bool as bool_
from ._dtypes import int64
from ._emit import convert, emit, emit_op, scoped, typed_constant
from ._graphs import get_default_graph, graph_of, inside, opened
from ._leaves import as_leaf, lowered_leaf, predicate, raised_leaf
from ._nest import flatten, pack, same
from ._tensor import IndexedSlices, Operation, Tensor

__all__ = [
    "Assert",
    "Print",
    "case",
    "cond",
    "group",
    "no_op",
    "tuple",
]

# ---- Conditions ----


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: builtins.bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """What one of the functions gives; only what it makes runs.

    A list of one value is that value, unless `strict`.
    """
    if fn1 is not None and true_fn is not None:
        raise TypeError("cond(): 'true_fn' and 'fn1' may not be set simultaneously.")
    if fn2 is not None and false_fn is not None:
        raise TypeError("cond(): 'false_fn' and 'fn2' may not be set simultaneously.")
    yes, no = true_fn or fn1, false_fn or fn2
    if yes is None:
        raise TypeError("cond(): 'true_fn' argument required")
    if no is None:
        raise TypeError("cond(): 'false_fn' argument required")
    if not callable(yes) or not callable(no):
        raise TypeError("'true_fn' must be callable.")
    if isinstance(pred, builtins.bool):
        raise TypeError("'pred' must not be a Python bool.")
    graph = graph_of([pred])
    with opened(graph), graph.name_scope(name or "cond") as scope:
        pred = predicate(pred)
        made: list[Any] = [None, None]

        def branch(which: int, function: Callable[[], Any]) -> Callable[[], Any]:
            def run() -> Any:
                with inside(graph):
                    result = function()
                if result is None:
                    raise ValueError(
                        f"cond(): {'false_fn' if which else 'true_fn'} gives None; "
                        "wanted tensors or an operation"
                    )
                leaves = [_outcome(leaf, not which) for leaf in flatten(result)]
                made[which] = pack(result, leaves)
                if which:
                    _check_branches(*made)
                return [lowered_leaf(leaf) for leaf in leaves]

            return run

        codes = [branch(0, yes), branch(1, no)]
        found = _core.run_branches("cond", pred._core, codes, (), False)
        likes = flatten(made[0])
        results = []
        for like, core in zip(likes, found):
            one = raised_leaf(graph, like, core)
            if isinstance(one, Tensor):
                full = graph.unique_name("Merge")
                one = emit(full, "identity", one)
            results.append(one)
        del scope
        packed = pack(made[0], results)
    if not strict and isinstance(packed, (list, builtins.tuple)) and len(packed) == 1:
        return packed[0]
    return packed


def _outcome(leaf: Any, holds: builtins.bool) -> Any:
    """A tensor; of an operation whether the condition holds, once it has run."""
    if isinstance(leaf, Operation):
        with _core.control_dependencies([leaf._core]):
            return emit(None, "identity", typed_constant(holds, bool_, "holds"))
    if isinstance(leaf, IndexedSlices):
        return convert(leaf)
    leaf = as_leaf(leaf)
    if isinstance(leaf, Tensor):
        # A captured value that a branch returns waits for its control
        # dependencies.
        return emit(None, "identity", leaf)
    return leaf


def _check_branches(a: Any, b: Any) -> None:
    same("cond(): what true_fn and false_fn give", a, b)
    for x, y in zip(flatten(a), flatten(b)):
        if x.dtype != y.dtype:
            raise ValueError(
                "Outputs of true_fn and false_fn must have the same type: "
                f"{x.dtype.name}, {y.dtype.name}"
            )


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: builtins.bool = False,
    strict: builtins.bool = False,
    name: str | None = "case",
) -> Any:
    """What the function of the first condition that holds gives, else `default`.

    Without a default a step in which none holds fails, and with `exclusive` one
    in which two do.
    """
    if isinstance(pred_fn_pairs, dict):
        if not exclusive and len(pred_fn_pairs) > 1:
            # As in TensorFlow, which sorts by name where order matters.
            pairs = sorted(pred_fn_pairs.items(), key=lambda pair: pair[0].name)
        else:
            pairs = list(pred_fn_pairs.items())
    else:
        pairs = list(pred_fn_pairs)
    if not all(isinstance(p, builtins.tuple) and len(p) == 2 for p in pairs):
        raise TypeError(
            "Each entry in pred_fn_pairs must be a 2-tuple. Each entry is (pred, fn)."
        )
    for pred, fn in pairs:
        if isinstance(pred, builtins.bool) or not hasattr(pred, "dtype"):
            raise TypeError(f"pred must be Tensor of type bool: {pred}")
        if pred.dtype != bool_:
            raise TypeError(f"pred must be Tensor of type bool: {pred}")
        if not callable(fn):
            raise TypeError(f"fn for pred {pred.name} must be callable.")
    if default is not None and not callable(default):
        raise TypeError("default must be callable.")
    if not pairs:
        if default is None:
            raise ValueError("case: there are no pairs and no default; wanted some")
        return default()
    preds = [p for p, _ in pairs]
    graph = graph_of(preds)
    with opened(graph), graph.name_scope(name or "case"):
        checks = []
        if exclusive:
            ones = [emit(None, "cast", convert(p), dtype=int64) for p in preds]
            total = emit(None, "add_n", ones)
            one = typed_constant(1, int64, "one")
            message = (
                "case: more than one condition evaluated as True but exclusive=True"
            )
            checks.append(_check(emit(None, "less_equal", total, one), preds, message))
        if default is None:
            some = convert(preds[0])
            for pred in preds[1:]:
                some = emit(None, "logical_or", some, convert(pred))
            message = "case: none of the conditions evaluated as True and no default"
            checks.append(_check(some, preds, message))
            pairs, default = pairs[:-1], pairs[-1][1]
        with _core.control_dependencies([c._core for c in checks]):
            if not pairs:
                made = default()
                return pack(made, [_outcome(x, True) for x in flatten(made)])
            pairs = [(emit(None, "identity", convert(p)), f) for p, f in pairs]
        chain = default
        for pred, function in reversed(pairs):
            chain = _chained(pred, function, chain, strict)
        return chain()


def _chained(pred: Any, yes: Any, no: Any, strict: builtins.bool) -> Callable[[], Any]:
    return lambda: cond(pred, yes, no, strict)


def _check(condition: Any, data: Any, message: str) -> Any:
    full = get_default_graph().unique_name("Assert")
    return emit_op(
        full, "Assert", condition, [convert(d) for d in data], message=message
    )


# ---- Effects ----


def no_op(name: str | None = None) -> Any:
    """An operation that does nothing, once what it waits for is done."""
    with scoped(name, "NoOp") as full:
        return emit_op(full, "NoOp")


def group(*inputs: Any, **kwargs: Any) -> Any:
    """One operation that stands for all of these; its keyword is `name`."""
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {sorted(kwargs)}.")
    given = []
    for x in flatten(list(inputs)):
        if x is None:
            continue
        if not hasattr(x, "graph"):
            raise TypeError(
                "'inputs' should be zero or more (nested) Tensors. Received "
                f"{x!r} with "
                f"type {type(x)}."
            )
        given.append(x)
    graph = graph_of(given)
    with opened(graph), graph.control_dependencies(given):
        with scoped(name, "group_deps", *given[:1]) as full:
            return emit_op(full, "NoOp")


def tuple(tensors: Any, name: str | None = None, control_inputs: Any = None) -> Any:
    """The tensors, none of which is there before all are."""
    given = [t for t in tensors if t is not None]
    if not given:
        raise ValueError("Must have at least one Tensor.")
    graph = graph_of(given)
    with opened(graph), graph.name_scope(name or "tuple"):
        waits = [_waited(t) for t in given] + list(control_inputs or ())
        with graph.control_dependencies(waits):
            return [None if t is None else _identity(t) for t in tensors]


def _waited(value: Any) -> Any:
    return convert(value) if hasattr(value, "_as_tensor") else value


def _identity(value: Any) -> Any:
    from ._select import identity

    return value if isinstance(value, Operation) else identity(value)


def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """The input itself; a step that computes it prints the data to stderr."""
    if first_n is not None and first_n >= 0:
        raise NotImplementedError("Print: first_n is not there; wanted None")
    with scoped(name, "Print", input_, *list(data)) as full:
        limit = 3 if summarize is None else summarize
        prints = [
            emit_op(
                get_default_graph().unique_name("Print"),
                "Print",
                convert(d),
                message=message or "",
                limit=2**31 - 1 if limit < 0 else limit,
            )
            for d in data
        ]
        with _core.control_dependencies([p.op._core for p in prints]):
            return emit(full, "identity", convert(input_))


def Assert(
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> Any:
    """Fails the step, with InvalidArgumentError, when the condition does not hold.

    `summarize` says how many elements are shown; all of them are where it is -1.
    """
    del summarize  # the message shows as many as every message of the system does
    if not isinstance(data, (list, builtins.tuple)):
        raise ValueError("Assert: data is no list; wanted tensors in a list")
    with scoped(name, "Assert", condition, *list(data)) as full:
        holds = convert(condition, name="condition")
        if holds.dtype is not bool_:
            raise TypeError(f"Assert: the condition is {holds.dtype.name}; wanted bool")
        return emit_op(
            full,
            "Assert",
            holds,
            [convert(d) for d in data],
            message="assertion failed",
        )
