"""function: Python recorded once as a graph and run as a cached plan."""

from __future__ import annotations

import copy
import functools
import types
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _core
from ._core import Function

if TYPE_CHECKING:
    import inspect

__all__ = ["Function", "Trace", "Traces", "function"]


class Trace(NamedTuple):
    """One recording of a captured function."""

    signature: str
    """Types and numbers of axes of the tensors, and the other arguments."""
    why: str
    """What differed from the previous recording, by argument."""
    milliseconds: float
    """How long it took to record."""
    nodes: int
    """The number of nodes in the graph."""
    captured: int
    """The number of captured tensors that the function reads or writes."""
    calls: int
    """How often it has run."""


class Traces(list["Trace"]):
    """What a captured function has recorded, oldest first. Prints as a table."""

    def __init__(self, name: str, traces: list[Trace]) -> None:
        super().__init__(traces)
        self.name = name

    def __repr__(self) -> str:
        rows = [("signature", "calls", "nodes", "captured", "ms", "why")]
        rows += [
            (t.signature or "()", str(t.calls), str(t.nodes), str(t.captured),
             f"{t.milliseconds:.2f}", t.why)
            for t in self
        ]
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        lines = [f"{self.name}: {len(self)} trace{'' if len(self) == 1 else 's'}"]
        for row in rows:
            cells = [row[0].ljust(widths[0])]
            cells += [row[i].rjust(widths[i]) for i in range(1, 5)]
            lines.append("  ".join([*cells, row[5]]))
        return "\n".join(lines)


def _ledger(name: str, rows: list[tuple[str, str, float, int, int, int]]) -> Traces:
    return Traces(name, [Trace(*row) for row in rows])


_core.set_ledger(_ledger)


_OPTIONS = "__sl_options__"


def _copied(self: Any, memo: dict[int, Any]) -> Any:
    """A deepcopy of a captured method belongs to the copied object, like that of a
    method. Functions are not copied."""
    code = self.__dict__.get("__wrapped__")
    made = copy.deepcopy(code, memo)
    return self if made is code else _again(made, self.__dict__[_OPTIONS])


def _again(code: Any, options: dict[str, Any]) -> Any:
    return function(code, **options)


def _reduced(self: Any) -> Any:
    """For pickle: the captured code, or the name where that suffices to find it."""
    code = self.__dict__.get("__wrapped__")
    if code is None or isinstance(code, types.FunctionType):
        return self.__qualname__
    return _again, (code, self.__dict__[_OPTIONS])


setattr(Function, "__copy__", lambda self: self)
setattr(Function, "__deepcopy__", _copied)
setattr(Function, "__reduce__", _reduced)


class _OfCode:
    """Forwards f.__defaults__ and the like to the captured function. An assignment
    takes effect at the next call."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, made: Any, _: Any = None) -> Any:
        return self if made is None else getattr(made.__wrapped__, self._name)

    def __set__(self, made: Any, value: Any) -> None:
        setattr(made.__wrapped__, self._name, value)

    def __delete__(self, made: Any) -> None:
        delattr(made.__wrapped__, self._name)


for _name in ("__code__", "__defaults__", "__kwdefaults__"):
    setattr(Function, _name, _OfCode(_name))


# CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR.
_YIELDS = 0x20 | 0x80 | 0x200


def _converted(f: Callable[..., Any]) -> Callable[..., Any]:
    """f with its control flow over tensors as graph control flow, if possible."""
    try:
        from ._convert import convert
    except ImportError:
        return f
    try:
        return convert(f)
    except Exception as error:  # the function can still run unconverted
        warnings.warn(
            f"{getattr(f, '__qualname__', f)}: its if, while and for stay Python's: "
            f"{error}",
            stacklevel=2,
        )
        return f


def _as_called(f: Any) -> Any:
    """f without __wrapped__: functools.wraps shows the signature of the inner function,
    but calls go to the outer one."""
    if isinstance(f, types.MethodType):
        return types.MethodType(_as_called(f.__func__), f.__self__)
    if isinstance(f, functools.partial):
        return functools.partial(_as_called(f.func), *f.args, **f.keywords)
    told = isinstance(f, types.FunctionType) and vars(f)
    if not told or not ({"__wrapped__", "__signature__"} & told.keys()):
        return f
    made = types.FunctionType(
        f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__
    )
    made.__kwdefaults__ = f.__kwdefaults__
    return made


def _signature(f: Callable[..., Any]) -> inspect.Signature:
    import inspect  # only when needed, because it loads slowly

    try:
        return inspect.signature(_as_called(f))
    except ValueError:  # a C function
        kinds = inspect.Parameter
        return inspect.Signature(
            [kinds("args", kinds.VAR_POSITIONAL), kinds("kwargs", kinds.VAR_KEYWORD)]
        )


@overload
def function(
    f: Callable[..., Any],
    *,
    name: str | None = None,
    max_traces: int = 32,
    autoconvert: bool = True,
    one_graph: bool = False,
) -> Function: ...


@overload
def function(
    f: None = None,
    *,
    name: str | None = None,
    max_traces: int = 32,
    autoconvert: bool = True,
    one_graph: bool = False,
) -> Callable[[Callable[..., Any]], Function]: ...


def function(
    f: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    max_traces: int = 32,
    autoconvert: bool = True,
    one_graph: bool = False,
) -> Any:
    """Python code as a graph, recorded at the first call and run as a plan.

        @sl.function
        def step(images, labels):
            loss = loss_fn(net(images), labels)
            optimizer.zero_grad(); loss.backward(); optimizer.step()
            return loss

    Arguments and results are trees (nested tuples, lists, dicts, dataclasses).
    Tensors and arrays in them are fed at every call; one recording serves all
    sizes of a dtype and rank. Everything else is part of the recording: strings
    and numbers by value, other objects by identity. A number that arrives with a
    third value is passed to the code as a tensor from then on, which takes the
    dtype of its operands as the number does. If the code needs a number there, as
    `range` does, it is recorded for each value instead.

    Captured tensors are read at every call. Writes into them, and gradients left
    on them, happen at every call. So do assignments to attributes, elements of
    containers, globals and nonlocals, and print. Other values that the code reads
    outside are compared at every call, and a difference leads to another recording
    (docs/capture.md). An exception of the code propagates unchanged, after the
    effects that precede it.

    name: for messages and graphs; the function's own by default.
    max_traces: recordings kept; the least recently used is dropped first.
    autoconvert: if, while and for over tensors become part of the graph.
    one_graph: refuse code that cannot become one graph for all values. By default
    such code is recorded for the paths that the values of calls take.

    `f.traces()` lists the recordings and their reasons. `f.graph(*args)` and
    `f.explain(*args)` show the graph and the plan.
    """
    if f is None:
        return functools.partial(
            function, name=name, max_traces=max_traces, autoconvert=autoconvert,
            one_graph=one_graph,
        )  # fmt: skip
    if isinstance(f, Function):
        return f
    if isinstance(f, (staticmethod, classmethod)):
        kind = type(f)
        return kind(
            function(
                f.__func__, name=name, max_traces=max_traces, autoconvert=autoconvert,
                one_graph=one_graph,
            )
        )  # fmt: skip
    if not callable(f):
        raise TypeError(f"function: f is a {type(f).__name__}; wanted a function")
    flags = getattr(getattr(f, "__code__", None), "co_flags", 0)
    if flags & _YIELDS:
        raise TypeError(
            f"function: {getattr(f, '__name__', f)} is a generator or a coroutine, "
            "which runs bit by bit; wanted a function that returns"
        )
    if name is None:
        own = getattr(f, "__name__", type(f).__name__)
        name = own if own.isidentifier() else "function"
    made = _core.make_function(
        f, _signature, _converted if autoconvert else None, name, max_traces,
        one_graph,
    )  # fmt: skip
    # The attributes of a callable object stay its own.
    own_dict = ("__dict__",) if hasattr(f, "__code__") else ()
    functools.update_wrapper(made, f, updated=own_dict)
    made.__dict__[_OPTIONS] = {
        "name": name, "max_traces": max_traces, "autoconvert": autoconvert,
        "one_graph": one_graph,
    }  # fmt: skip
    return made
