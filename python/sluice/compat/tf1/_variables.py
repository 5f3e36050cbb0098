"""Variables, their scopes and initial values."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ... import _core
from ..._core import Operation, Tensor
from ._arrays import constant, convert_to_tensor, random_normal, random_uniform
from ._arrays import truncated_normal
from ._graphs import GraphKeys, get_default_graph, name_scope, opened, recorded, unique

__all__ = [
    "AUTO_REUSE",
    "Variable",
    "assign",
    "assign_add",
    "assign_sub",
    "constant_initializer",
    "get_variable",
    "get_variable_scope",
    "glorot_uniform_initializer",
    "global_variables",
    "global_variables_initializer",
    "initialize_all_variables",
    "local_variables_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "trainable_variables",
    "truncated_normal_initializer",
    "variable_scope",
    "variables_initializer",
    "zeros_initializer",
]

AUTO_REUSE = "auto_reuse"


class Variable(_core.Variable):
    """A variable; those that are trainable are what optimizers change."""

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool = True,
        collections: list[str] | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        with opened() as graph, _core.control_dependencies(None):
            if callable(initial_value) and not isinstance(initial_value, Tensor):
                initial_value = initial_value()
            start = convert_to_tensor(initial_value, dtype)
            super().__init__(start, name=unique(name or "Variable"))
        self.trainable = trainable
        self.initial_value = start
        keys = collections or [GraphKeys.GLOBAL_VARIABLES]
        if trainable and GraphKeys.TRAINABLE_VARIABLES not in keys:
            keys = [*keys, GraphKeys.TRAINABLE_VARIABLES]
        for key in keys:
            graph.add_to_collection(key, self)

    def assign(self, value: Any, name: str | None = None) -> Any:
        """Its new value, once it has it."""
        return _after(self, super().assign(value, unique(name)))

    def assign_add(self, value: Any, name: str | None = None) -> Any:
        """Its new value, once this has been added."""
        return _after(self, super().assign_add(value, unique(name)))

    def assign_sub(self, value: Any, name: str | None = None) -> Any:
        """Its new value, once this has been subtracted."""
        return _after(self, super().assign_sub(value, unique(name)))

    def initialized_value(self) -> Tensor:
        """The value it begins with, for other variables to begin with."""
        return self.initial_value

    def get_shape(self) -> Any:
        """Its shape."""
        return self.shape


def _after(variable: Variable, change: Operation) -> Tensor:
    # Opening a graph anew would leave the branch or loop this is in.
    inside = _core.current_graph() is variable.graph
    with contextlib.nullcontext() if inside else variable.graph:
        with _core.control_dependencies([change]):
            return variable.read()


@recorded
def assign(
    ref: Variable, value: Any, validate_shape: bool = True, name: str | None = None
) -> Any:
    """The variable's new value, once it has it."""
    return ref.assign(value, name)


@recorded
def assign_add(ref: Variable, value: Any, name: Any = None) -> Any:
    """The variable's new value, once this has been added."""
    return ref.assign_add(value, name)


@recorded
def assign_sub(ref: Variable, value: Any, name: Any = None) -> Any:
    """The variable's new value, once this has been subtracted."""
    return ref.assign_sub(value, name)


def global_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph."""
    found = get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)
    return [v for v in found if scope is None or v.name.startswith(scope)]


def trainable_variables(scope: str | None = None) -> list[Variable]:
    """Those of them that optimizers change."""
    found = get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES)
    return [v for v in found if scope is None or v.name.startswith(scope)]


def global_variables_initializer() -> Operation:
    """One operation that gives all variables so far their initial values."""
    return _core.initialize_variables(get_default_graph())


initialize_all_variables = global_variables_initializer


@recorded
def variables_initializer(var_list: Any, name: str | None = "init") -> Operation:
    """One operation that gives these variables their initial values."""
    with _core.control_dependencies([v.initializer for v in var_list]):
        made: Operation = _core.op_function("NoOp")(name=unique(name))
        return made


def local_variables_initializer() -> Operation:
    """Accepted: there are no variables of that kind."""
    return variables_initializer([])


# ---- Initial values ----

Initializer = Callable[..., Any]


def zeros_initializer(dtype: Any = _core.float32) -> Initializer:
    """Zeros."""
    return lambda shape, dtype=dtype, partition_info=None: constant(0, dtype, shape)


def ones_initializer(dtype: Any = _core.float32) -> Initializer:
    """Ones."""
    return lambda shape, dtype=dtype, partition_info=None: constant(1, dtype, shape)


def constant_initializer(value: Any = 0, dtype: Any = _core.float32) -> Initializer:
    """That value, or those elements."""
    return lambda shape, dtype=dtype, partition_info=None: constant(value, dtype, shape)


def random_normal_initializer(
    mean: float = 0.0, stddev: float = 1.0, seed: Any = None, dtype: Any = _core.float32
) -> Initializer:
    """Random numbers of a normal distribution."""
    return lambda shape, dtype=dtype, partition_info=None: random_normal(
        shape, mean, stddev, dtype, seed
    )


def truncated_normal_initializer(
    mean: float = 0.0, stddev: float = 1.0, seed: Any = None, dtype: Any = _core.float32
) -> Initializer:
    """The same, none further away than two deviations."""
    return lambda shape, dtype=dtype, partition_info=None: truncated_normal(
        shape, mean, stddev, dtype, seed
    )


def random_uniform_initializer(
    minval: float = -0.05,
    maxval: float = 0.05,
    seed: Any = None,
    dtype: Any = _core.float32,
) -> Initializer:
    """Random numbers between two."""
    return lambda shape, dtype=dtype, partition_info=None: random_uniform(
        shape, minval, maxval, dtype, seed
    )


def glorot_uniform_initializer(
    seed: Any = None, dtype: Any = _core.float32
) -> Initializer:
    """Random numbers whose range depends on how many inputs and outputs meet."""

    def draw(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Tensor:
        sizes = list(shape)
        field = math.prod(sizes[:-2])
        ends = sizes[-2:] if len(sizes) >= 2 else [sizes[0] if sizes else 1] * 2
        limit = math.sqrt(6.0 / (field * (ends[0] + ends[1])))
        return random_uniform(shape, -limit, limit, dtype, seed)

    return draw


# ---- Scopes ----


class VariableScope:
    """What is open: names of variables, whether they are found, how they begin."""

    def __init__(self, name: str, reuse: Any, initializer: Any) -> None:
        self.name, self.reuse, self.initializer = name, reuse, initializer

    def reuse_variables(self) -> None:
        """From now on variables are found, not made."""
        self.reuse = True


class _Open(threading.local):
    def __init__(self) -> None:
        self.scopes = [VariableScope("", None, None)]


_open = _Open()


def get_variable_scope() -> VariableScope:
    """The innermost variable_scope."""
    return _open.scopes[-1]


@contextlib.contextmanager
def variable_scope(
    name_or_scope: Any,
    default_name: str | None = None,
    values: Any = None,
    initializer: Any = None,
    reuse: Any = None,
) -> Iterator[VariableScope]:
    """Names of variables made inside begin with "name/"."""
    outer = get_variable_scope()
    if isinstance(name_or_scope, VariableScope):
        name, plain = name_or_scope.name, name_or_scope.name.rpartition("/")[2]
        initializer = initializer or name_or_scope.initializer
        reuse = name_or_scope.reuse if reuse is None else reuse
    else:
        plain = name_or_scope or default_name or ""
        name = f"{outer.name}/{plain}" if outer.name else plain
    scope = VariableScope(
        name, outer.reuse if reuse is None else reuse, initializer or outer.initializer
    )
    with name_scope(plain or None):
        _open.scopes.append(scope)
        try:
            yield scope
        finally:
            _open.scopes.pop()


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = _core.float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: list[str] | None = None,
) -> Variable:
    """The variable of that name in the open scope: made, or found."""
    scope = get_variable_scope()
    full = f"{scope.name}/{name}" if scope.name else name
    graph = get_default_graph()
    known: dict[str, Variable] = graph.__dict__.setdefault("known_variables", {})
    if scope.reuse and full in known:
        return known[full]
    if scope.reuse is True:
        raise ValueError(f"variable {full!r} is not there; wanted it made before reuse")
    if full in known:
        raise ValueError(f"variable {full!r} is there; wanted reuse=True in its scope")
    start = initializer or scope.initializer or glorot_uniform_initializer()
    if callable(start) and not isinstance(start, Tensor):
        if shape is None:
            raise ValueError(f"variable {full!r} has no shape")
        sizes = [shape] if isinstance(shape, int) else list(shape)
        begin = lambda: start(sizes, dtype)  # noqa: E731
    else:
        begin = lambda: start  # noqa: E731
    # The name is that of the scope of variables, whatever name scopes are open.
    with opened(), _core_root():
        made = Variable(
            begin, trainable=trainable, collections=collections, name=full, dtype=dtype
        )
    if regularizer is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, regularizer(made))
    known[full] = made
    return made


@contextlib.contextmanager
def _core_root() -> Iterator[None]:
    from ._graphs import _names

    graph = get_default_graph()
    saved, _names.scopes = _names.scopes, []
    try:
        with graph:  # starts afresh: no name scope
            yield
    finally:
        _names.scopes = saved
