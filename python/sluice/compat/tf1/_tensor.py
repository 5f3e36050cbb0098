"""Tensor and Operation: TensorFlow's view of the nodes of a graph.

A Tensor stands for one output of a node, for as long as the graph lives, and
keeps it alive. Two of one output are the same object; `==` asks for that.
"""

from __future__ import annotations

from typing import Any

from ... import _core
from ._dtypes import DType, as_dtype
from ._graphs import Graph, opened
from ._operators import Operand
from ._shapes import TensorShape
from .errors import NodeDef

__all__ = ["IndexedSlices", "Operation", "Tensor"]


class Tensor(Operand):
    """A value that sessions compute."""

    __slots__ = ("__weakref__", "_core", "_fed", "_graph", "_name")
    _core: Any

    def __init__(self) -> None:
        raise TypeError("Tensors are made by operations, as tf.constant")

    @property
    def graph(self) -> Graph:
        """The graph it is of."""
        return self._graph

    @property
    def name(self) -> str:
        """The operation's name, ":" and which of its outputs it is: "x:0"."""
        return self._name

    @property
    def op(self) -> Operation:
        """The operation that gives it."""
        return wrap_operation(self._graph, self._fed.op)

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return as_dtype(self._core.dtype)

    @property
    def shape(self) -> TensorShape:
        """What is known of its shape."""
        return TensorShape(self._core.shape)

    @property
    def value_index(self) -> int:
        """Which output of its operation it is."""
        return int(self._name.rpartition(":")[2])

    @property
    def device(self) -> str:
        """Where it was asked to be."""
        return _device_name(self._fed.op.device)

    def get_shape(self) -> TensorShape:
        """What is known of its shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Says more of its shape; a step that has another fails."""
        merged = self.shape.merge_with(shape)
        if merged != self.shape:
            with opened(self._graph):
                self._core = _core.op_function("EnsureShape")(
                    self._core, shape=merged.as_list()
                )

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Its value: numpy's array or scalar, from the default session."""
        return _session_for(self, session, "evaluate tensor using `eval()`").run(
            self, feed_dict
        )

    def consumers(self) -> list[Operation]:
        """The operations that read it."""
        return [op for op in self._graph.get_operations() if self in op.inputs]

    def __repr__(self) -> str:
        return f"<tf.Tensor {self._name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        return f'Tensor("{self._name}", shape={self.shape}, dtype={self.dtype.name})'

    def __bool__(self) -> bool:
        raise TypeError(
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed; "
            f"wanted tf.cond for {self._name}"
        )

    def __iter__(self) -> Any:
        raise TypeError(
            "Iterating over a symbolic `tf.Tensor` is not allowed; wanted "
            f"tf.unstack or tf.map_fn for {self._name}"
        )

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self._name}). "
            "Please call `x.shape` rather than `len(x)` for shape information."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self._name}) to a numpy array. "
            "This error may indicate that you're trying to pass a Tensor to a NumPy "
            "call, which is not supported."
        )


class Operation:
    """A node of a graph. Its `type` is the name of the system's own op."""

    __slots__ = ("__weakref__", "_core", "_graph")
    _core: Any

    def __init__(self) -> None:
        raise TypeError("Operations are made by functions, as tf.no_op")

    @property
    def graph(self) -> Graph:
        """The graph it is of."""
        return self._graph

    @property
    def name(self) -> str:
        """Its full name."""
        found: str = self._core.name
        return found

    @property
    def type(self) -> str:
        """The op, by the system's own name of it."""
        found: str = self._core.type
        return found

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The tensors it reads."""
        return tuple(wrap(self._graph, t) for t in self._core.inputs)

    @property
    def outputs(self) -> list[Any]:
        """The tensors it gives."""
        return [wrap(self._graph, t) for t in self._core.outputs]

    @property
    def control_inputs(self) -> list[Any]:
        """The operations it waits for."""
        return [wrap_operation(self._graph, op) for op in self._core.control_inputs]

    @property
    def device(self) -> str:
        """Where it was asked to run."""
        return _device_name(self._core.device)

    @property
    def node_def(self) -> NodeDef:
        """Its record."""
        inputs = [t.name for t in self._core.inputs]
        return NodeDef(self.name, self.type, inputs, self.device)

    def values(self) -> tuple[Any, ...]:
        """The tensors it gives."""
        return tuple(self.outputs)

    def get_attr(self, name: str) -> Any:
        """One of its attributes; ValueError when it has no such."""
        attrs = self._core.attrs
        if name not in attrs:
            raise ValueError(f"Operation {self.name!r} has no attr named {name!r}.")
        found = attrs[name]
        return as_dtype(found) if isinstance(found, _core.dtype) else found

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs it in the default session."""
        _session_for(self, session, "execute operation using `run()`").run(
            self, feed_dict
        )

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"

    def __str__(self) -> str:
        return str(self.node_def)


class IndexedSlices:
    """Slices of a tensor: `values[i]` is at `indices[i]`, and adds to the others."""

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    @property
    def values(self) -> Any:
        """The slices."""
        return self._values

    @property
    def indices(self) -> Any:
        """Where they are along the first axis."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole, or None."""
        return self._dense_shape

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return self._values.dtype

    @property
    def graph(self) -> Any:
        """The graph it is of."""
        return self._values.graph

    @property
    def name(self) -> str:
        """The name of its values."""
        found: str = self._values.name
        return found

    @property
    def op(self) -> Any:
        """The operation that gives its values."""
        return self._values.op

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)


from collections import namedtuple  # noqa: E402

#: What a session gives for IndexedSlices.
IndexedSlicesValue = namedtuple(
    "IndexedSlicesValue", ["values", "indices", "dense_shape"]
)


def _device_name(place: str) -> str:
    """As TensorFlow writes it: "/device:CPU:0"; "" for no wish."""
    kind, _, number = place.lstrip("/").partition(":")
    if not kind:
        return ""
    return f"/device:{'GPU' if kind == 'cuda' else kind.upper()}:{number or 0}"


def _session_for(element: Any, session: Any, what: str) -> Any:
    from ._session import get_default_session

    found = session or get_default_session()
    if found is None:
        raise ValueError(
            f"Cannot {what}: No default session is registered. Use `with "
            "sess.as_default()` or pass an explicit session to it."
        )
    if found.graph is not element.graph:
        raise ValueError(
            f"Cannot use the default session to {what}: {element.name!r} is not in "
            "its graph."
        )
    return found


def wrap(graph: Graph, core: Any) -> Any:
    """The Tensor of a core tensor; of several, a list."""
    if isinstance(core, (tuple, list)):
        return [wrap(graph, one) for one in core]
    name = core.name
    held = graph._held.get(name)
    if held is not None:
        return held
    made = fresh(graph, core)
    graph._held[name] = made
    return made


def fresh(graph: Graph, core: Any) -> Any:
    """A Tensor of what has no name that is its own: an argument of a loop."""
    made = object.__new__(Tensor)
    name = core.name
    made._core = made._fed = core
    made._graph = graph
    made._name = name if ":" in name else f"{name}:0"
    return made


def wrap_operation(graph: Graph, core: Any) -> Any:
    """The Operation of a core operation."""
    key = (core.name,)
    held = graph._held.get(key)
    if held is not None:
        return held
    made = object.__new__(Operation)
    made._core, made._graph = core, graph
    graph._held[key] = made
    return made


def control_of(graph: Graph, value: Any) -> Any:
    """The core operation to wait for."""
    if isinstance(value, IndexedSlices):
        value = value.op
    found = graph.as_graph_element(value)
    return found._core if isinstance(found, Operation) else found._fed.op


def element_of(
    graph: Graph, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
) -> Any:
    """The Tensor or Operation that an object or a name stands for."""
    wanted = " or ".join(
        w for w, ok in (("Tensor", allow_tensor), ("Operation", allow_operation)) if ok
    )
    convert = getattr(obj, "_as_graph_element", None)
    if convert is not None:
        obj = convert()
    if isinstance(obj, str):
        return _element_by_name(graph, obj, allow_tensor, allow_operation)
    if isinstance(obj, _core.Tensor) and obj.symbolic:
        obj = wrap(graph, obj)
    if isinstance(obj, Tensor) and allow_tensor:
        if obj.graph is not graph:
            raise ValueError(f"Tensor {obj} is not an element of this graph.")
        return obj
    if isinstance(obj, Operation) and allow_operation:
        if obj.graph is not graph:
            raise ValueError(f"Operation {obj.name!r} is not an element of this graph.")
        return obj
    raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")


def _element_by_name(
    graph: Graph, name: str, allow_tensor: bool, allow_operation: bool
) -> Any:
    op_name, colon, index = name.partition(":")
    if colon and allow_tensor:
        if not index.isdigit():
            raise ValueError(
                f"The name {name!r} looks a lot like a Tensor name, but is not a "
                "valid one. Tensor names must be of the form "
                '"<op_name>:<output_index>".'
            )
        if op_name not in graph:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The "
                f"operation, {op_name!r}, does not exist in the graph."
            )
        for variable in graph._collections.get("_every_variable", ()):
            if variable._name == op_name and index == "0":
                return variable.value()
        outputs = graph.operation(op_name).outputs
        if int(index) >= len(outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The "
                f"operation, {op_name!r}, exists but only has {len(outputs)} outputs."
            )
        return wrap(graph, outputs[int(index)])
    if colon:
        raise ValueError(
            f"The name {name!r} appears to refer to a Tensor, not a Operation."
        )
    if not allow_operation:
        raise ValueError(
            f"The name {name!r} refers to an Operation, not a Tensor. Tensor names "
            'must be of the form "<op_name>:<output_index>".'
        )
    if name not in graph:
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
    return wrap_operation(graph, graph.operation(name))
