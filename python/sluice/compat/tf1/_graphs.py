"""The default graph, names, collections and sessions."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ... import _core, tree

__all__ = [
    "Graph",
    "GraphKeys",
    "InteractiveSession",
    "Session",
    "add_to_collection",
    "colocate_with",
    "control_dependencies",
    "device",
    "get_collection",
    "get_default_graph",
    "get_default_session",
    "name_scope",
    "reset_default_graph",
    "set_random_seed",
]


class Graph(_core.Graph):
    """A graph with TensorFlow's methods and collections."""

    def __init__(self) -> None:
        super().__init__()
        self.collections: dict[str, list[Any]] = {}
        self.seed = 0

    def get_operations(self) -> list[_core.Operation]:
        """All operations, in program order."""
        return self.operations()

    def get_operation_by_name(self, name: str) -> _core.Operation:
        """The operation of that name."""
        return self.operation(name)

    def get_tensor_by_name(self, name: str) -> _core.Tensor:
        """The tensor of that name: "x:0"."""
        return self.tensor(name)

    def get_collection(self, name: str) -> list[Any]:
        """A copy of a collection."""
        return list(self.collections.get(name, ()))

    def add_to_collection(self, name: str, value: Any) -> None:
        """Adds a value to a collection."""
        self.collections.setdefault(name, []).append(value)

    def finalize(self) -> None:
        """Accepted; graphs may grow while sessions run them."""

    def as_graph_def(self) -> str:
        """The graph as text, which sluice.parse_graph reads."""
        return str(self)


class GraphKeys:
    """Names of collections."""

    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    LOCAL_VARIABLES = "local_variables"
    QUEUE_RUNNERS = "queue_runners"
    LOSSES = "losses"
    REGULARIZATION_LOSSES = "regularization_losses"
    SUMMARIES = "summaries"
    UPDATE_OPS = "update_ops"
    GLOBAL_STEP = "global_step"


_default: list[Graph] = [Graph()]


class _Names(threading.local):
    def __init__(self) -> None:
        self.scopes: list[str] = []


_names = _Names()


def get_default_graph() -> Graph:
    """The graph that is open on this thread, or the one of the whole program."""
    return _core.current_graph() or _default[0]


def reset_default_graph() -> None:
    """Gives the program a new default graph."""
    _default[0] = Graph()
    _names.scopes = []


@contextlib.contextmanager
def opened() -> Iterator[Graph]:
    """The default graph, open."""
    graph = _core.current_graph()
    if graph is not None:
        yield graph
        return
    with _default[0] as graph:
        yield graph


def recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with what it makes in the default graph."""

    @functools.wraps(function)
    def inside(*args: Any, **keywords: Any) -> Any:
        if _core.current_graph() is not None:
            return function(*args, **keywords)
        with _default[0]:
            return function(*args, **keywords)

    return inside


def full_name(name: str) -> str:
    """The name within the open scopes."""
    return "/".join([*_names.scopes, name])


def unique(name: str | None) -> str | None:
    """The name, or name_1, ... when it is taken: TensorFlow takes any."""
    if not name:
        return None
    graph = get_default_graph()
    tried, count = name, 0
    while full_name(tried) in graph:
        count += 1
        tried = f"{name}_{count}"
    return tried


@contextlib.contextmanager
def name_scope(
    name: str | None, default_name: str | None = None, values: Any = None
) -> Iterator[str]:
    """Names of operations made inside begin with "name/"."""
    name = name or default_name
    if not name:
        yield ""
        return
    name = name.strip("/")
    with opened(), _core.name_scope(name):
        _names.scopes.append(name)
        try:
            yield full_name("")
        finally:
            _names.scopes.pop()


@contextlib.contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Operations made inside wait for these."""
    with opened(), _core.control_dependencies(control_inputs):
        yield


@contextlib.contextmanager
def device(device_name: Any) -> Iterator[None]:
    """Where operations made inside should run; functions and None are no wish."""
    from ..._device import device as place

    if not isinstance(device_name, str) or not device_name:
        yield
        return
    with opened(), place(device_name):
        yield


@contextlib.contextmanager
def colocate_with(op: Any, ignore_existing: bool = False) -> Iterator[None]:
    """Accepted; there is one device."""
    yield


def add_to_collection(name: str, value: Any) -> None:
    """Adds a value to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """A collection of the default graph, or what of it is in a scope."""
    found = get_default_graph().get_collection(key)
    if scope is None:
        return found
    return [v for v in found if getattr(v, "name", "").startswith(scope)]


def set_random_seed(seed: int) -> None:
    """The seed of sessions that are made of the default graph from now on."""
    get_default_graph().seed = seed


def _numpy(value: Any) -> Any:
    if not isinstance(value, _core.Tensor):
        return value
    array: Any = value
    return array.numpy()[()]


class Session(_core.Session):
    """Runs a graph; results are numpy's arrays."""

    def __init__(
        self, target: str = "", graph: Graph | None = None, config: Any = None
    ) -> None:
        if target:
            raise NotImplementedError(
                f"the target is {target!r}; wanted '', this process"
            )
        graph = graph or get_default_graph()
        super().__init__(graph, seed=getattr(graph, "seed", 0))
        self._opened: list[contextlib.ExitStack] = []

    def run(
        self,
        fetches: Any,
        feed_dict: dict[Any, Any] | None = None,
        options: _core.RunOptions | None = None,
        run_metadata: _core.RunMetadata | None = None,
    ) -> Any:
        """One step; the tree of fetches with numpy's arrays in their places."""
        result = super().run(fetches, feed_dict, options, run_metadata)
        if isinstance(result, _core.Tensor):
            return _numpy(result)
        return None if result is None else tree.map(_numpy, result)

    def __enter__(self) -> Session:
        stack = contextlib.ExitStack()
        stack.enter_context(self.graph)
        stack.enter_context(self.as_default())
        self._opened.append(stack)
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.pop().close()
        self.close()


class InteractiveSession(Session):
    """A session that is the default one from when it is made until closed."""

    def __init__(
        self, target: str = "", graph: Graph | None = None, config: Any = None
    ) -> None:
        super().__init__(target, graph, config)
        self._scope: Any = self.as_default()
        self._scope.__enter__()

    def close(self) -> None:
        """Cancels what runs, refuses what comes."""
        if self._scope is not None:
            self._scope.__exit__(None, None, None)
            self._scope = None
        super().close()


def get_default_session() -> Any:
    """The innermost session that is the default one, or None."""
    return _core.default_session()
