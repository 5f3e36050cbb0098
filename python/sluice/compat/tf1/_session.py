"""Sessions: what programs run graphs with. Any thread may run steps."""

from __future__ import annotations

import collections
import contextlib
import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ... import _core
from ..._closed import closed
from ._dtypes import string
from ._graphs import Graph, get_default_graph, opened
from ._tensor import IndexedSlices, IndexedSlicesValue, Operation, Tensor
from .errors import of_steps

__all__ = [
    "ConfigProto",
    "InteractiveSession",
    "RunOptions",
    "Session",
    "get_default_session",
]


class _Stack(threading.local):
    def __init__(self) -> None:
        self.sessions: list[Any] = []


_stack = _Stack()


def get_default_session() -> Any:
    """The innermost session that is the default one, or None."""
    return _stack.sessions[-1] if _stack.sessions else None


@closed
class ConfigProto:
    """How a session runs: how many threads it may use; 0: as it likes.

    `allow_soft_placement` and `log_device_placement` may be false only as far as
    that changes nothing: placement is soft, and is not logged.
    """

    def __init__(
        self,
        intra_op_parallelism_threads: int = 0,
        inter_op_parallelism_threads: int = 0,
        allow_soft_placement: bool = False,
        log_device_placement: bool = False,
    ) -> None:
        if log_device_placement:
            raise NotImplementedError("ConfigProto: log_device_placement is not there")
        self.intra_op_parallelism_threads = intra_op_parallelism_threads
        self.inter_op_parallelism_threads = inter_op_parallelism_threads
        self.allow_soft_placement = allow_soft_placement
        self.log_device_placement = log_device_placement

    @property
    def _threads(self) -> int:
        if self.log_device_placement:  # set after construction
            raise NotImplementedError("ConfigProto: log_device_placement is not there")
        return max(self.intra_op_parallelism_threads, self.inter_op_parallelism_threads)


@closed
class RunOptions:
    """How one step runs: `timeout_in_ms`, 0 for no end."""

    NO_TRACE = 0

    def __init__(self, timeout_in_ms: int = 0, trace_level: int = 0) -> None:
        if trace_level != 0:
            raise NotImplementedError("RunOptions: wanted trace_level NO_TRACE")
        self.timeout_in_ms, self.trace_level = timeout_in_ms, trace_level

    def _core(self) -> Any:
        if self.trace_level != 0:  # set after construction
            raise NotImplementedError("RunOptions: wanted trace_level NO_TRACE")
        seconds = self.timeout_in_ms / 1000 if self.timeout_in_ms else None
        return _core.RunOptions(timeout=seconds)


def _array(value: Any) -> Any:
    """numpy's array or scalar; of strings bytes."""
    array = value.numpy()
    return array[()] if array.ndim == 0 else array


class _Fetches:
    """The flat fetches, and the structure of their results."""

    def __init__(self, graph: Graph, fetches: Any) -> None:
        self.flat: list[Any] = []
        self._graph = graph
        self._fed: dict[Any, Any] = {}
        self._build = self._visit(fetches)

    def _add(self, element: Any) -> Any:
        place = len(self.flat)
        self.flat.append(element._core)
        if isinstance(element, Operation):
            return lambda results: None

        def value(results: Any) -> Any:
            # A fed value is returned unchanged.
            fed = self._fed.get(element)
            return _array(results[place]) if fed is None else fed

        return value

    def _visit(self, fetch: Any) -> Any:
        if fetch is None:
            raise TypeError(f'Argument `fetch` = {fetch} has invalid type "NoneType".')
        if isinstance(fetch, IndexedSlices):
            parts = [fetch.values, fetch.indices, fetch.dense_shape]
            builds = [None if p is None else self._add(p) for p in parts]
            return lambda results: IndexedSlicesValue(
                *[None if b is None else b(results) for b in builds]
            )
        if isinstance(fetch, (list, tuple)):
            inner = [self._visit(f) for f in fetch]
            kind = type(fetch)

            def build(results: Any) -> Any:
                made = [b(results) for b in inner]
                return kind(*made) if hasattr(fetch, "_fields") else kind(made)

            return build
        if isinstance(fetch, Mapping):
            pairs = [(k, self._visit(f)) for k, f in fetch.items()]
            whole: Any = type(fetch)
            if whole is collections.defaultdict:
                return lambda results: whole(
                    fetch.default_factory,  # type: ignore[attr-defined]
                    {k: b(results) for k, b in pairs},
                )
            return lambda results: whole((k, b(results)) for k, b in pairs)
        if isinstance(fetch, Tensor) and fetch.graph is self._graph:
            return self._add(fetch)
        try:
            element = self._graph.as_graph_element(fetch)
        except TypeError as error:
            raise TypeError(
                f"Argument `fetch` = {fetch} has invalid type "
                f'"{type(fetch).__name__}" must be a string or Tensor. ({error})'
            ) from None
        except (KeyError, ValueError) as error:
            raise ValueError(
                f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. "
                f"({error})"
            ) from None
        return self._add(element)

    def build(self, results: Any, fed: dict[Any, Any]) -> Any:
        """The structure of the fetches with numpy's values in their places."""
        self._fed = fed
        return self._build(results)


def _feeds(graph: Graph, feed_dict: Any) -> dict[Any, Any]:
    if feed_dict is None:
        return {}
    if not isinstance(feed_dict, Mapping):
        raise TypeError(
            f"Argument `feed_dict` must be a dict, got a {type(feed_dict).__name__}"
        )
    found: dict[Any, Any] = {}
    for key, value in feed_dict.items():
        if isinstance(key, tuple) and isinstance(value, tuple):
            for k, v in zip(key, value):
                found[_target(graph, k)] = v
            continue
        found[_target(graph, key)] = value
    for target in found:
        # Each use of a variable is a separate read; feeding one of them would
        # not affect the others.
        if target._fed.op.type == "ReadVariable":
            raise NotImplementedError(
                f"feed_dict: {target.name} is the value of a variable; wanted "
                "Variable.load, or a placeholder"
            )
    return {t: _fed_value(t, v) for t, v in found.items()}


def _core_feeds(feeds: dict[Any, Any]) -> dict[Any, Any]:
    return {t._fed: _strings(v) if t.dtype is string else v for t, v in feeds.items()}


def _target(graph: Graph, key: Any) -> Any:
    if isinstance(key, Tensor) and key.graph is graph:
        return key
    try:
        return graph.as_graph_element(key, allow_operation=False)
    except (KeyError, TypeError, ValueError) as error:
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error}") from None


def _fed_value(target: Any, value: Any) -> Any:
    if isinstance(value, Tensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values "
            "include Python scalars, strings, lists, numpy ndarrays, or TensorHandles. "
            f"For reference, the tensor object was {value!r} which was passed to the "
            f"argument `feed_dict` with key {target!r}."
        )
    if isinstance(value, _core.Tensor):
        value = value.numpy()
    kind = target.dtype
    if isinstance(value, int) and not isinstance(value, bool) and kind is not string:
        fits = kind.as_numpy_dtype(value) == value if _in_range(kind, value) else False
        if not fits:
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible "
                f"with Tensor type {kind.as_numpy_dtype}. Try explicitly setting the "
                "type of the feed tensor to a larger type (e.g. int64)."
            )
    array = np.asarray(value, dtype=kind.as_numpy_dtype)
    if not _fits(target._core.shape, array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {target.name}, "
            f"which has shape {target.shape}"
        )
    return array


def _fits(known: Any, sizes: tuple[int, ...]) -> bool:
    """Whether sizes match the static shape; checked in each step."""
    if known is None:
        return True
    return len(known) == len(sizes) and all(
        k is None or k == s for k, s in zip(known, sizes)
    )


def _in_range(kind: Any, value: int) -> bool:
    return not kind.is_integer or kind.min <= value <= kind.max


def _strings(array: Any) -> Any:
    if array.ndim == 0:
        return _core.Tensor(array.item(), _core.string)
    if array.size == 0:
        return _core.empty_strings(list(array.shape))
    return _core.Tensor(array.tolist(), _core.string)


class Session:
    """Runs a graph; results are numpy's arrays and scalars."""

    def __init__(
        self, target: str = "", graph: Graph | None = None, config: Any = None
    ) -> None:
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(
                f"Argument `graph` must be a tf.Graph, but got {type(graph).__name__}"
            )
        if config is not None and not isinstance(config, ConfigProto):
            raise TypeError(
                "Argument `config` must be a tf.ConfigProto, but got "
                f"{type(config).__name__}"
            )
        self._graph = graph or get_default_graph()
        self._closed = False
        self._entered: list[contextlib.ExitStack] = []
        self._counted = 0
        self._lock = threading.Lock()
        # Without a seed, numbers differ between sessions; with one, they have a
        # separate counter: see _random.py.
        seed = int.from_bytes(os.urandom(7), "little")
        threads = config._threads if config is not None else 0
        self._session = _core.Session(self._graph, threads, seed, target=target)

    @property
    def graph(self) -> Graph:
        """The graph it runs."""
        return self._graph

    @property
    def sess_str(self) -> str:
        """The target: this process."""
        return ""

    def run(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """One step; the structure of fetches with numpy's values in their places."""
        if run_metadata is not None:
            raise NotImplementedError("run: run_metadata is not there; wanted None")
        if options is not None and not isinstance(options, RunOptions):
            raise TypeError(f"run: options is a {type(options).__name__}")
        self._check_open()
        if len(self._graph) == 0:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before "
                "calling run()."
            )
        wanted = _Fetches(self._graph, fetches)
        feeds = _feeds(self._graph, feed_dict)
        with of_steps(self._graph):
            self._start_counters()
            results = self._session.run(
                wanted.flat,
                _core_feeds(feeds),
                None if options is None else options._core(),
            )
        return wanted.build(results, feeds)

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")

    def _start_counters(self) -> None:
        """Counters of random operations begin in each session."""
        counters = self._graph._counters
        if self._counted == len(counters):
            return
        with self._lock:
            fresh = counters[self._counted :]
            if fresh:
                self._session.run([self._graph.operation(name) for name in fresh])
            self._counted += len(fresh)

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Any:
        """A function that runs this step, of the values of the feeds."""
        if accept_options:
            raise NotImplementedError("make_callable: accept_options is not there")
        targets = list(feed_list or ())

        def call(*values: Any) -> Any:
            if len(values) != len(targets):
                raise TypeError(
                    f"make_callable: {len(values)} values; wanted {len(targets)}"
                )
            return self.run(fetches, dict(zip(targets, values)))

        return call

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """A step that is run in parts: what will be fetched and fed."""
        self._check_open()
        wanted = _Fetches(self._graph, fetches)
        targets = [_target(self._graph, f)._fed for f in feeds or ()]
        with of_steps(self._graph):
            self._start_counters()
            return self._session.partial_run_setup(wanted.flat, targets)

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        """One part of a step."""
        self._check_open()
        wanted = _Fetches(self._graph, fetches)
        feeds = _feeds(self._graph, feed_dict)
        with of_steps(self._graph):
            results = self._session.partial_run(handle, wanted.flat, _core_feeds(feeds))
        return wanted.build(results, feeds)

    def close(self) -> None:
        """Cancels what runs, refuses what comes."""
        self._closed = True
        self._session.close()

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Session]:
        """A scope in which it is the default session."""
        _stack.sessions.append(self)
        try:
            yield self
        finally:
            _stack.sessions.remove(self)

    def __enter__(self) -> Session:
        stack = contextlib.ExitStack()
        stack.enter_context(opened(self._graph))
        stack.enter_context(self.as_default())
        self._entered.append(stack)
        return self

    def __exit__(self, *error: Any) -> None:
        self._entered.pop().close()
        self.close()


class InteractiveSession(Session):
    """A session that is the default one from when it is made until closed."""

    def __init__(
        self, target: str = "", graph: Graph | None = None, config: Any = None
    ) -> None:
        super().__init__(target, graph, config)
        self._scope = contextlib.ExitStack()
        if graph is not None:
            self._scope.enter_context(opened(graph))
        self._scope.enter_context(self.as_default())

    def close(self) -> None:
        """Cancels what runs, refuses what comes; no default session any more."""
        self._scope.close()
        super().close()

    def __enter__(self) -> Session:
        raise TypeError("an InteractiveSession is entered by being made")
