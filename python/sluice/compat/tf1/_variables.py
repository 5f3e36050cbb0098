"""Variables: state that sessions keep, and what changes it.

A read sees every change it was made to wait for, as TensorFlow's resource
variables do.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from ... import _core
from ..._closed import closed
from ._checks import refuse
from ._dtypes import as_dtype
from ._emit import checked, convert, emit
from ._graphs import Graph, GraphKeys, get_default_graph, opened, outside
from ._operators import Operand
from ._shapes import TensorShape
from ._tensor import IndexedSlices, _session_for, wrap, wrap_operation

__all__ = [
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "all_variables",
    "assign",
    "assign_add",
    "assign_sub",
    "global_variables",
    "global_variables_initializer",
    "initialize_all_variables",
    "initialize_local_variables",
    "initialize_variables",
    "is_variable_initialized",
    "local_variables",
    "local_variables_initializer",
    "scatter_add",
    "scatter_sub",
    "scatter_update",
    "trainable_variables",
    "variables_initializer",
]


class VariableSynchronization(enum.Enum):
    """When copies of a variable are made equal; there is one of each."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How copies of a variable are put together; there is one of each."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


@closed
class Variable(Operand):
    """A variable; those that are trainable are what optimizers change.

    All are resource variables: `use_resource`, `synchronization` and `aggregation`
    choose between kinds whose values are the same in one process.
    """

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
    ) -> None:
        refuse(
            "Variable",
            caching_device=caching_device,
            variable_def=variable_def,
            import_scope=import_scope,
            constraint=constraint,
        )
        del use_resource, synchronization, aggregation, expected_shape
        if initial_value is None:
            raise ValueError(
                "initial_value must be specified. Received: initial_value=None"
            )
        if collections is None:
            collections = [GraphKeys.GLOBAL_VARIABLES]
        if not isinstance(collections, (list, tuple, set)):
            raise ValueError(
                "collections argument to Variable constructor must be a list, tuple, "
                f"or set. Got {collections} of type {type(collections)}"
            )
        self._trainable = trainable is None or bool(trainable)
        kind = None if dtype is None else as_dtype(dtype)
        graph = get_default_graph()
        self._graph = graph
        # A variable, and an initial value made here, are created outside the
        # loop or branch that requests the variable.
        with outside(graph), _core.control_dependencies(None):
            graph._check_open()
            full = graph.unique_name(checked(name or "Variable"))
            # Names used by the variable itself.
            graph._used.setdefault(f"{full}/value".lower(), 1)
            graph._used.setdefault(f"{full}/initialize".lower(), 1)
            outer, graph._scope = graph._scope, full
            try:
                start = initial_value() if callable(initial_value) else initial_value
                start = convert(start, kind, name="initial_value")
                self._make(graph, start, full, validate_shape, shape)
            finally:
                graph._scope = outer
        keys = list(collections)
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in keys:
            keys.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(keys, self)
        graph.get_collection_ref("_every_variable").append(self)

    def _make(
        self, graph: Graph, start: Any, full: str, validate: bool, shape: Any
    ) -> None:
        if validate and not start.shape.is_fully_defined():
            raise ValueError(
                "initial_value must have a shape specified: "
                f"{start}; wanted it known, or validate_shape=False"
            )
        if not validate and shape is None:
            shape = TensorShape(None)
        sizes = start.shape if shape is None else TensorShape(shape)
        if not sizes.is_compatible_with(start.shape):
            raise ValueError(
                f"The initial value's shape ({start.shape}) is not compatible with the "
                f"explicitly supplied `shape` argument ({sizes})."
            )
        if sizes.ndims is None:
            raise NotImplementedError(
                "Variable: validate_shape=False is not there; wanted a shape"
            )
        _core.Variable(start._core, name=full, shape=sizes.as_list())
        # Names, not the objects: see _collections.py.
        self._name, self._initial_name = full, start.name
        self._dtype, self._shape = start.dtype, sizes
        graph._made += 1

    @property
    def _variable(self) -> Any:
        value = self._graph.tensor(f"{self._name}/value")
        return _core.variables_behind(value)[0]

    @property
    def _initial_value(self) -> Any:
        return wrap(self._graph, self._graph.tensor(self._initial_name))

    # ---- What it is ----

    @property
    def name(self) -> str:
        """Its full name and ":0"."""
        return f"{self._name}:0"

    @property
    def dtype(self) -> Any:
        """The type of its elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """Its shape."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Its shape."""
        return self.shape

    @property
    def graph(self) -> Graph:
        """The graph it is of."""
        return self._graph

    @property
    def op(self) -> Any:
        """The operation that stands for it."""
        return wrap_operation(self._graph, self._graph.operation(self._name))

    @property
    def device(self) -> str:
        """Where it was asked to be."""
        found: str = self.op.device
        return found

    @property
    def trainable(self) -> bool:
        """Whether optimizers change it."""
        return self._trainable

    @property
    def initializer(self) -> Any:
        """The operation that gives it its initial value."""
        found = self._graph.operation(f"{self._name}/initialize")
        return wrap_operation(self._graph, found)

    @property
    def initial_value(self) -> Any:
        """The value it begins with."""
        return self._initial_value

    @property
    def constraint(self) -> None:
        """There is none."""
        return None

    def initialized_value(self) -> Any:
        """Its value, or the one it begins with as long as it has none."""
        from ._flow import cond

        return cond(
            is_variable_initialized(self), self.read_value, lambda: self._initial_value
        )

    # ---- Its value ----

    def value(self) -> Any:
        """Its value before anything a step does to it."""
        return wrap(self._graph, self._graph.tensor(f"{self._name}/value"))

    def read_value(self) -> Any:
        """Its value, once what the read waits for is done."""
        with opened(self._graph):
            return wrap(self._graph, self._variable.read())

    def _as_tensor(self) -> Any:
        return self.read_value()

    def _as_graph_element(self) -> Any:
        return self.value()

    def eval(self, session: Any = None) -> Any:
        """Its value: numpy's array or scalar, from the default session."""
        return _session_for(self, session, "evaluate tensor using `eval()`").run(self)

    def load(self, value: Any, session: Any = None) -> None:
        """Gives it a value in a session."""
        found = _session_for(self, session, "load a value")
        found.run(self.initializer, {self._initial_value: value})

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """Its rows at indices."""
        from ._arrays import gather

        return gather(self, indices, name=name)

    def set_shape(self, shape: Any) -> None:
        """Checks that it may have that shape."""
        self.shape.assert_is_compatible_with(shape)

    # ---- Changes ----

    def _value_for(self, value: Any, check: bool = True) -> Any:
        value = convert(value, name="value", hint=self.dtype)
        if value.dtype != self.dtype:
            raise TypeError(
                f"the new value of {self.name} is {value.dtype.name}; wanted "
                f"{self.dtype.name}"
            )
        if check and not self.shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Dimension mismatch: {self.name} is {self.shape}, the value is "
                f"{value.shape}"
            )
        return value

    def _changed(self, change: Any, name: str, read_value: bool = True) -> Any:
        graph = self._graph
        full = graph.unique_name(checked(name))
        with _core.control_dependencies([change]):
            if not read_value:
                made = _core.op_function("NoOp")(name=full)
                return wrap_operation(graph, made)
            return emit(full, "identity", self.read_value())

    def _assigned(self, how: str, value: Any, name: str, read_value: bool) -> Any:
        with opened(self._graph) as graph:
            graph._check_open()
            change = getattr(self._variable, how)(self._value_for(value)._core)
            return self._changed(change, name, read_value)

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Its new value, once it has it. Changes are whole: locks change nothing."""
        del use_locking
        return self._assigned("assign", value, name or "Assign", read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Its new value, once this has been added. Locks change nothing."""
        del use_locking
        return self._assigned("assign_add", delta, name or "AssignAdd", read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Its new value, once this has been subtracted. Locks change nothing."""
        del use_locking
        return self._assigned("assign_sub", delta, name or "AssignSub", read_value)

    def _scattered(self, how: str, sparse_delta: Any, name: str | None) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        with opened(self._graph) as graph:
            graph._check_open()
            where = convert(sparse_delta.indices, name="indices")
            values = convert(sparse_delta.values, self.dtype, name="updates")
            change = getattr(self._variable, how)(where._core, values._core)
            label = "".join(part.capitalize() for part in how.split("_"))
            return self._changed(change, name or label)

    def scatter_add(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Its new value, once IndexedSlices have been added. Locks change nothing."""
        del use_locking
        return self._scattered("scatter_add", sparse_delta, name)

    def scatter_sub(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Its new value, once they have been subtracted. Locks change nothing."""
        del use_locking
        return self._scattered("scatter_sub", sparse_delta, name)

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Its new value, once its rows are those. Locks change nothing."""
        del use_locking
        return self._scattered("scatter_update", sparse_delta, name)

    def __iter__(self) -> Any:
        raise TypeError("'Variable' object is not iterable.")

    def __repr__(self) -> str:
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        raise NotImplementedError(
            f"Cannot convert a variable of a graph ({self.name}) to a numpy array; "
            "wanted its value from a session"
        )


# ---- Functions ----


def _variable(what: str, ref: Any) -> Variable:
    if not isinstance(ref, Variable):
        raise TypeError(f"{what}: a {type(ref).__name__}; wanted a tf.Variable")
    return ref


def assign(
    ref: Any,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """The variable's new value, once it has it. Locks change nothing."""
    del use_locking
    if validate_shape is False:
        raise NotImplementedError("assign: validate_shape=False is not there")
    return _variable("assign", ref).assign(value, name=name)


def assign_add(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """The variable's new value, once this has been added. Locks change nothing."""
    del use_locking
    return _variable("assign_add", ref).assign_add(value, name=name)


def assign_sub(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """The variable's new value, once this has been subtracted. Locks change
    nothing."""
    del use_locking
    return _variable("assign_sub", ref).assign_sub(value, name=name)


def scatter_add(
    ref: Any,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """The variable's new value, once rows have been added. Locks change nothing."""
    slices = IndexedSlices(convert(updates), convert(indices))
    return _variable("scatter_add", ref).scatter_add(slices, use_locking, name)


def scatter_sub(
    ref: Any,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """The variable's new value, once rows have been subtracted. Locks change
    nothing."""
    slices = IndexedSlices(convert(updates), convert(indices))
    return _variable("scatter_sub", ref).scatter_sub(slices, use_locking, name)


def scatter_update(
    ref: Any,
    indices: Any,
    updates: Any,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """The variable's new value, once its rows are those. Locks change nothing."""
    slices = IndexedSlices(convert(updates), convert(indices))
    return _variable("scatter_update", ref).scatter_update(slices, use_locking, name)


def is_variable_initialized(variable: Any) -> Any:
    """Whether a variable has a value, as a tensor."""
    found = _variable("is_variable_initialized", variable)
    with opened(found.graph):
        return wrap(found.graph, found._variable.is_initialized())


def _of_scope(key: str, scope: str | None) -> list[Any]:
    return get_default_graph().get_collection(key, scope)


def global_variables(scope: str | None = None) -> list[Any]:
    """The variables of the default graph, those of optimizers among them."""
    return _of_scope(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables() -> list[Any]:
    """The variables of the default graph."""
    return global_variables()


def local_variables(scope: str | None = None) -> list[Any]:
    """The variables that were made local."""
    return _of_scope(GraphKeys.LOCAL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """Those that optimizers change."""
    return _of_scope(GraphKeys.TRAINABLE_VARIABLES, scope)


def variables_initializer(var_list: Any, name: str | None = "init") -> Any:
    """One operation that gives these variables their initial values."""
    from ._flow import group

    return group(*[v.initializer for v in var_list], name=name)


initialize_variables = variables_initializer


def global_variables_initializer() -> Any:
    """One operation that gives all variables so far their initial values."""
    return variables_initializer(global_variables())


def initialize_all_variables() -> Any:
    """The same."""
    return global_variables_initializer()


def local_variables_initializer() -> Any:
    """One operation that gives all local variables their initial values."""
    return variables_initializer(local_variables())


def initialize_local_variables() -> Any:
    """The same."""
    return local_variables_initializer()
