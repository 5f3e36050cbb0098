"""Variables by name: get_variable and the scopes it finds them in."""

from __future__ import annotations

import contextlib
import enum
import inspect
from typing import Any

from ... import _core
from ._checks import refuse
from ._dtypes import as_dtype, float32
from ._emit import convert, elements
from ._graphs import Graph, GraphKeys, get_default_graph, opened
from ._shapes import TensorShape
from ._variables import Variable, VariableAggregation, VariableSynchronization

__all__ = [
    "AUTO_REUSE",
    "VariableScope",
    "get_local_variable",
    "get_variable",
    "get_variable_scope",
    "no_regularizer",
    "variable_scope",
]


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


def no_regularizer(_: Any) -> None:
    """As a scope's regularizer: none, whatever the outer scope's is."""
    return None


class VariableScope:
    """What is open: names of variables, whether they are found, how they begin."""

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        dtype: Any = float32,
    ) -> None:
        self._name, self._reuse, self._initializer = name, reuse, initializer
        self._regularizer, self._dtype = regularizer, as_dtype(dtype)
        self._original_name_scope = ""

    @property
    def name(self) -> str:
        """What names of variables begin with."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """What names of operations began with when it was opened first."""
        return self._original_name_scope

    @property
    def reuse(self) -> Any:
        """Whether variables are found: True, None or AUTO_REUSE."""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """How variables begin that say nothing of it."""
        return self._initializer

    @property
    def regularizer(self) -> Any:
        """What is added to the losses of each variable."""
        return self._regularizer

    @property
    def dtype(self) -> Any:
        """The type of variables that say nothing of it."""
        return self._dtype

    def reuse_variables(self) -> None:
        """From now on variables are found, not made."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """How variables begin that say nothing of it."""
        self._initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """What is added to the losses of each variable."""
        self._regularizer = regularizer

    def set_dtype(self, dtype: Any) -> None:
        """The type of variables that say nothing of it."""
        self._dtype = as_dtype(dtype)

    def get_collection(self, name: Any) -> list[Any]:
        """What of a collection is in it."""
        scope = f"{self._name}/" if self._name else None
        return get_default_graph().get_collection(name, scope)

    def trainable_variables(self) -> list[Any]:
        """Its variables that optimizers change."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """Its variables."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)


class _Store:
    """Of one graph: the variables by name, the scopes that are open."""

    def __init__(self) -> None:
        self.variables: dict[str, Variable] = {}
        self.scopes = [VariableScope(None)]
        self.counts: dict[str, int] = {}


def _store(graph: Graph) -> _Store:
    found: _Store = graph.__dict__.setdefault("_variable_store", _Store())
    return found


def get_variable_scope() -> VariableScope:
    """The innermost variable_scope."""
    return _store(get_default_graph()).scopes[-1]


class variable_scope:
    """Names of variables made inside begin with "name/"."""

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        refuse(
            "variable_scope",
            caching_device=caching_device,
            partitioner=partitioner,
            custom_getter=custom_getter,
            constraint=constraint,
        )
        del use_resource  # all variables are resource variables
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if not isinstance(name_or_scope, (str, VariableScope, type(None))):
            raise TypeError(
                "VariableScope: name_or_scope must be a string or VariableScope."
            )
        if reuse not in (None, True, False, AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if reuse and name_or_scope is None:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                "The auxiliary_name_scope must be `True` or `False`, while get "
                f"{auxiliary_name_scope}"
            )
        self._given, self._default_name = name_or_scope, default_name
        self._values = values
        self._initializer, self._regularizer = initializer, regularizer
        self._reuse, self._dtype = reuse, dtype
        self._names = auxiliary_name_scope

    def __enter__(self) -> VariableScope:
        from ._graphs import graph_of

        graph = graph_of(self._values) if self._values else get_default_graph()
        store = _store(graph)
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(opened(graph))
        outer, given = store.scopes[-1], self._given
        counts = dict(store.counts)
        if isinstance(given, VariableScope):
            full, plain, source = given.name, given.name.rpartition("/")[2], given
            counts = {k: v for k, v in counts.items() if not k.startswith(f"{full}/")}
        else:
            plain = given
            if plain is None:
                plain = _unique(store, outer, self._default_name or "")
            full = f"{outer.name}/{plain}" if outer.name else plain
            source = outer
            _open_count(store, full)
        scope = VariableScope(
            self._reuse or source.reuse,
            full,
            source.initializer if self._initializer is None else self._initializer,
            source.regularizer if self._regularizer is None else self._regularizer,
            source.dtype if self._dtype is None else self._dtype,
        )
        if self._names:
            label = plain if isinstance(given, str) or not given else plain
            opened_as = self._stack.enter_context(graph.name_scope(label or None))
        else:
            opened_as = graph.get_name_scope()
            opened_as = f"{opened_as}/" if opened_as else ""
        scope._original_name_scope = (
            given.original_name_scope if isinstance(given, VariableScope) else opened_as
        )
        store.scopes.append(scope)
        self._store, self._counts, self._scope = store, counts, scope
        return scope

    def __exit__(self, *error: Any) -> None:
        self._store.scopes.remove(self._scope)
        _close_counts(self._store, self._scope.name)
        if isinstance(self._given, VariableScope):
            self._store.counts = self._counts
        self._stack.close()


def _open_count(store: _Store, full: str) -> None:
    store.counts[full] = store.counts.get(full, 0) + 1


def _close_counts(store: _Store, full: str) -> None:
    """Scopes within one that is opened anew begin to count anew."""
    for key in store.counts:
        if full and key.startswith(f"{full}/"):
            store.counts[key] = 0


def _unique(store: _Store, outer: VariableScope, prefix: str) -> str:
    name = f"{outer.name}/{prefix}" if outer.name else prefix
    if not store.counts.get(name):
        return prefix
    number = 1
    while store.counts.get(f"{name}_{number}"):
        number += 1
    return f"{prefix}_{number}"


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """The variable of that name in the open scope: made, or found.

    `initializer` is one of the initializers, its class, a function without
    arguments, a tensor, or numbers. All variables are resource variables, of
    which one process has one each: `use_resource`, `synchronization` and
    `aggregation` change no value.
    """
    refuse(
        "get_variable",
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        constraint=constraint,
    )
    del use_resource, synchronization, aggregation
    if not validate_shape:
        raise NotImplementedError("get_variable: validate_shape=False is not there")
    graph = get_default_graph()
    store = _store(graph)
    scope = store.scopes[-1]
    full = f"{scope.name}/{name}" if scope.name else name
    value_given = initializer is not None and not callable(initializer)
    if value_given and shape is not None:
        raise ValueError("If initializer is a constant, do not specify shape.")
    sizes = None if shape is None else TensorShape(shape)
    kind = as_dtype(dtype) if dtype is not None else scope.dtype
    if full in store.variables and scope.reuse:
        return _found(store.variables[full], full, sizes, kind, dtype)
    _check_new(full, scope, store)
    if value_given and dtype is not None:
        _check_type(initializer, kind)
    start, typed = _start(full, initializer, scope, sizes, kind, value_given)
    with opened(graph), _at_root(graph):
        made = Variable(
            start,
            trainable=trainable,
            collections=collections,
            name=full,
            dtype=typed,
        )
    store.variables[full] = made
    chosen = scope.regularizer if regularizer is None else regularizer
    if chosen is not None:
        _regularize(graph, made, full, chosen)
    return made


def _check_new(full: str, scope: Any, store: Any) -> None:
    if scope.reuse is True:
        raise ValueError(
            f"Variable {full} does not exist, or was not created with "
            "tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    if full in store.variables:
        raise ValueError(
            f"Variable {full} already exists, disallowed. Did you mean to set "
            "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )


def _check_type(initializer: Any, kind: Any) -> None:
    made = hasattr(initializer, "graph")
    own = initializer if made else elements(initializer, None)
    if as_dtype(own.dtype) != kind:
        raise ValueError(
            f"Initializer type '{own.dtype}' and explicit dtype '{kind.name}' "
            "don't match."
        )


def _found(variable: Variable, full: str, sizes: Any, kind: Any, dtype: Any) -> Any:
    if sizes is not None and not sizes.is_compatible_with(variable.shape):
        raise ValueError(
            f"Trying to share variable {full}, but specified shape {sizes} and found "
            f"shape {variable.shape}."
        )
    if kind != variable.dtype and dtype is not None:
        raise ValueError(
            f"Trying to share variable {full}, but specified dtype {kind.name} and "
            f"found dtype {variable.dtype.name}."
        )
    return variable


def _start(
    full: str, given: Any, scope: VariableScope, sizes: Any, kind: Any, is_value: bool
) -> tuple[Any, Any]:
    """The initial value of the variable, and its dtype."""
    if is_value:
        return _own_value(given), None
    start = scope.initializer if given is None else given
    if start is None:
        start = _default_initializer(full, kind)
    if not callable(start):
        return _own_value(start), None
    if isinstance(start, type):
        start = start()
    if sizes is not None and sizes.is_fully_defined():
        return (lambda: start(sizes.as_list(), dtype=kind)), kind
    if _needs_no_arguments(start):
        return start, None
    raise ValueError(
        f"Shape of a new variable ({full}) must be fully defined, but instead was "
        f"{sizes if sizes is not None else '<unknown>'}."
    )


def _own_value(value: Any) -> Any:
    """Numbers as a tensor of their own type, made where the variable is; tensors as
    they are."""
    if hasattr(value, "graph"):
        return value
    return lambda: convert(value)


def _default_initializer(full: str, kind: Any) -> Any:
    from ._initializers import glorot_uniform_initializer, zeros_initializer

    if kind.is_floating:
        return glorot_uniform_initializer()
    if kind.is_integer or kind.is_bool:
        return zeros_initializer()
    raise ValueError(f"An initializer for variable {full} of {kind!r} is required")


def _needs_no_arguments(function: Any) -> bool:
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return not any(
        p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        for p in found
    )


@contextlib.contextmanager
def _at_root(graph: Graph) -> Any:
    """The name is that of the scope of variables, whatever name scopes are open."""
    outer, graph._scope = graph._scope, ""
    try:
        yield
    finally:
        graph._scope = outer


def _regularize(graph: Graph, variable: Variable, full: str, regularizer: Any) -> None:
    with opened(graph), _core.control_dependencies(None):
        with graph.name_scope(f"{full}/Regularizer/"):
            loss = regularizer(variable)
    if loss is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: Any = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """The same for a local variable, which is not trained.

    `trainable` is False whatever is given, as in TensorFlow; `use_resource`,
    `synchronization` and `aggregation` change no value.
    """
    del trainable
    keys = [*(collections or ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        False,
        keys,
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        custom_getter,
        constraint,
        synchronization,
        aggregation,
    )
