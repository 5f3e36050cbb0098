"""The default graph, its names, scopes and collections.

Names are TensorFlow's: unique within a graph whatever their case, numbered when
they come again, prefixed by the name scopes that are open. A graph is built by
one thread at a time.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from typing import Any

from ... import _core
from ._collections import Collection

__all__ = [
    "Graph",
    "GraphKeys",
    "add_to_collection",
    "add_to_collections",
    "colocate_with",
    "control_dependencies",
    "device",
    "get_collection",
    "get_collection_ref",
    "get_default_graph",
    "get_seed",
    "name_scope",
    "reset_default_graph",
    "set_random_seed",
]


class GraphKeys:
    """Names of collections."""

    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    LOCAL_VARIABLES = "local_variables"
    MODEL_VARIABLES = "model_variables"
    QUEUE_RUNNERS = "queue_runners"
    LOSSES = "losses"
    REGULARIZATION_LOSSES = "regularization_losses"
    SUMMARIES = "summaries"
    UPDATE_OPS = "update_ops"
    GLOBAL_STEP = "global_step"
    TRAIN_OP = "train_op"


class Graph(_core.Graph):
    """A graph with TensorFlow's names, methods and collections."""

    def __init__(self) -> None:
        super().__init__()
        self.seed: int | None = None
        self._collections: dict[Any, Collection] = {}
        self._used: dict[str, int] = {}
        self._scope = ""
        self._finalized = False
        self._made = 0
        self._depth = 0  # of the loops and branches that are being built
        # One Tensor and one Operation for each of the core's while it is
        # referenced, so that repeated lookups return the same object.
        self._held: weakref.WeakValueDictionary[Any, Any] = (
            weakref.WeakValueDictionary()
        )
        #: Names of operations that sessions run by themselves: see _random.py.
        self._counters: list[str] = []

    # ---- Names ----

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """The name within the open scopes, numbered when it is taken."""
        full = f"{self._scope}/{name}" if self._scope else name
        key, count = full.lower(), self._used.get(full.lower(), 0)
        if mark_as_used:
            self._used[key] = count + 1
        if count == 0 and full not in self:
            return full
        count = max(count, 1)
        while f"{key}_{count}" in self._used or f"{full}_{count}" in self:
            count += 1
        if mark_as_used:
            self._used[f"{key}_{count}"] = 1
        return f"{full}_{count}"

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Names inside begin with it; one that ends in "/" is used as it is."""
        outer = self._scope
        if not name:
            self._scope = ""
        elif name.endswith("/"):
            self._scope = name[:-1]
        else:
            self._scope = self.unique_name(name)
        try:
            yield f"{self._scope}/" if self._scope else ""
        finally:
            self._scope = outer

    def get_name_scope(self) -> str:
        """The open name scope."""
        return self._scope

    # ---- What is in it ----

    def get_operations(self) -> list[Any]:
        """All operations, in program order."""
        from ._tensor import wrap_operation

        return [wrap_operation(self, op) for op in self.operations()]

    def get_operation_by_name(self, name: str) -> Any:
        """The operation of that name; KeyError when there is none."""
        if not isinstance(name, str):
            raise TypeError(
                f"Operation names are strings (or similar), not {type(name).__name__}."
            )
        return self.as_graph_element(name, allow_tensor=False)

    def get_tensor_by_name(self, name: str) -> Any:
        """The tensor of that name: "x:0"; KeyError when there is none."""
        if not isinstance(name, str):
            raise TypeError(
                f"Tensor names are strings (or similar), not {type(name).__name__}."
            )
        return self.as_graph_element(name, allow_operation=False)

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The tensor or operation that an object or a name stands for."""
        from ._tensor import element_of

        return element_of(self, obj, allow_tensor, allow_operation)

    # ---- Collections ----

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """A copy of a collection, or of what in it has a name that matches."""
        import re

        found = list(self._collections.get(name, ()))
        if scope is None:
            return found
        match = re.compile(scope).match
        return [v for v in found if hasattr(v, "name") and match(v.name)]

    def get_collection_ref(self, name: Any) -> Collection:
        """The collection itself."""
        if name not in self._collections:
            self._collections[name] = Collection(self)
        return self._collections[name]

    def get_all_collection_keys(self) -> list[Any]:
        """The names of the collections that hold anything."""
        return [k for k, v in self._collections.items() if isinstance(k, str) and v]

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Adds a value to a collection."""
        self._check_open()
        self.get_collection_ref(name).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Adds a value to each of these collections."""
        names = (names,) if isinstance(names, str) else set(names)
        for name in names:
            self.add_to_collection(name, value)

    def clear_collection(self, name: Any) -> None:
        """Empties a collection."""
        self._collections.pop(name, None)

    # ---- Scopes ----

    def as_default(self) -> Any:
        """A scope: operations made inside are this graph's."""
        return opened(self)

    def control_dependencies(self, control_inputs: Any) -> Any:
        """Operations made inside wait for these; None: for none."""
        return _control(self, control_inputs)

    def device(self, device_name_or_function: Any) -> Any:
        """Where operations made inside run."""
        return _device(self, device_name_or_function)

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Any:
        """Operations made inside run where that one does."""
        return colocate_with(op, ignore_existing)

    @property
    def finalized(self) -> bool:
        """Whether nothing may be added."""
        return self._finalized

    def finalize(self) -> None:
        """From now on nothing may be added."""
        self._finalized = True

    def _check_open(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def is_feedable(self, tensor: Any) -> bool:
        """Any tensor may be fed."""
        return True

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Anything may be fetched."""
        return True


_default: list[Graph] = [Graph()]


def get_default_graph() -> Graph:
    """The graph that is open on this thread, or the one of the whole program."""
    graph = _core.current_graph()
    return graph if isinstance(graph, Graph) else _default[0]


def reset_default_graph() -> None:
    """Gives the program a new default graph."""
    if _core.current_graph() is not None:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. "
            "If you need a cleared graph, exit the nesting and create a new graph."
        )
    _default[0] = Graph()


@contextlib.contextmanager
def opened(graph: Graph | None = None) -> Iterator[Graph]:
    """A graph, or the default one, open.

    One that is open stays as it is: opening it anew would leave the branch or the
    loop, and the control dependencies, this is in.
    """
    graph = graph or get_default_graph()
    if _core.current_graph() is graph:
        yield graph
        return
    with graph:
        yield graph


@contextlib.contextmanager
def inside(graph: Graph) -> Iterator[None]:
    """A loop's or a branch's own operations are being made."""
    graph._depth += 1
    try:
        yield
    finally:
        graph._depth -= 1


@contextlib.contextmanager
def outside(graph: Graph) -> Iterator[None]:
    """The graph open, outside of loops and branches: for what begins before them."""
    if not graph._depth:
        with opened(graph):
            yield
        return
    depth, graph._depth = graph._depth, 0
    try:
        with graph:
            yield
    finally:
        graph._depth = depth


class name_scope:
    """Names of operations made inside begin with "name/"."""

    def __init__(
        self, name: str | None, default_name: str | None = None, values: Any = None
    ) -> None:
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. "
                "You likely meant to pass this into the `values` kwarg."
            )
        self._name = default_name if name is None else name
        self._values = values
        if self._name is None and values is not None:
            raise ValueError(
                f"At least one of name ({name}) and default_name ({default_name}) "
                "must be provided."
            )

    @property
    def name(self) -> str | None:
        """What it was given."""
        return self._name

    def __enter__(self) -> str:
        self._stack = contextlib.ExitStack()
        graph = graph_of(self._values) if self._values else get_default_graph()
        self._stack.enter_context(opened(graph))
        found: str = self._stack.enter_context(graph.name_scope(self._name))
        return found

    def __exit__(self, *error: Any) -> None:
        self._stack.close()


def graph_of(values: Any) -> Graph:
    """The graph these are of, when any is of one; else the default one."""
    found: Any = None
    for value in values:
        graph = getattr(value, "graph", None)
        if isinstance(value, (list, tuple)) and value:
            inner = [v for v in value if getattr(v, "graph", None) is not None]
            if not inner:
                continue
            graph = graph_of(inner)
        if isinstance(graph, Graph):
            if found is not None and found is not graph:
                raise ValueError(
                    f"{value} must be from the same graph as the other inputs."
                )
            found = graph
    return found or get_default_graph()


@contextlib.contextmanager
def _control(graph: Graph, control_inputs: Any) -> Iterator[None]:
    from ._tensor import control_of

    with opened(graph):
        given = control_inputs
        if given is not None:
            given = [control_of(graph, x) for x in given]
        with _core.control_dependencies(given):
            yield


def control_dependencies(control_inputs: Any) -> Any:
    """Operations made inside wait for these; None: for none."""
    return _control(get_default_graph(), control_inputs)


@contextlib.contextmanager
def _device(graph: Graph, name: Any) -> Iterator[None]:
    from ..._device import device as place

    if callable(name):
        raise NotImplementedError("device: a function is given; wanted a name or None")
    if name is None or name == "":
        yield
        return
    text = str(name).lower().removeprefix("/job:localhost").removeprefix("/task:0")
    text = text.removeprefix("/replica:0").removeprefix("/task:0").lstrip("/")
    text = text.removeprefix("device:")
    kind, _, number = text.partition(":")
    if kind not in ("cpu", "gpu", "cuda") or not (number or "0").isdigit():
        raise ValueError(f"device: {name!r} is no device; wanted as '/cpu:0'")
    kind = "cuda" if kind == "gpu" else kind
    with opened(graph), place(f"{kind}:{number or 0}"):
        yield


def device(device_name_or_function: Any) -> Any:
    """Where operations made inside run: "/cpu:0", "/gpu:0", "/device:CPU:0"."""
    return _device(get_default_graph(), device_name_or_function)


@contextlib.contextmanager
def colocate_with(op: Any, ignore_existing: bool = False) -> Iterator[None]:
    """Operations made inside run where that one does.

    Devices of the scopes around do not count, whatever `ignore_existing` says.
    """
    if op is None and not ignore_existing:
        raise ValueError(
            "Trying to reset colocation (op is None) but ignore_existing is not True"
        )
    if op is None:
        yield
        return
    from ..._device import colocate_with as together

    with opened(op.graph), together(getattr(op, "op", op)._core):
        yield


def add_to_collection(name: Any, value: Any) -> None:
    """Adds a value to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Adds a value to collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """A collection of the default graph, or what in it has a name that matches."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> Collection:
    """The collection itself."""
    return get_default_graph().get_collection_ref(key)


def set_random_seed(seed: int | None) -> None:
    """The seed of the random operations made from now on in the default graph."""
    get_default_graph().seed = seed


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds of an operation: the graph's and its own; (None, None): none."""
    graph = get_default_graph()
    if graph.seed is None and op_seed is None:
        return None, None
    pair = (
        87654321 if graph.seed is None else graph.seed,
        graph._made if op_seed is None else op_seed,
    )
    first, second = (int(s) % 2**31 for s in pair)
    # Two zeros would mean no seed.
    return (0, 2**31 - 1) if (first, second) == (0, 0) else (first, second)
