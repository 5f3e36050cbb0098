"""Background threads of a program: Coordinator, QueueRunner."""

from __future__ import annotations

import contextlib
import threading
import weakref
from typing import Any

from ... import _runners
from . import errors
from ._graphs import GraphKeys, get_collection, get_default_graph
from ._session import get_default_session

__all__ = [
    "Coordinator",
    "QueueRunner",
    "add_queue_runner",
    "start_queue_runners",
]


class Coordinator(_runners.Coordinator):
    """Lets threads stop together: any asks for the end, `join` waits for all and
    raises what one was stopped by, unless it is the end of a queue."""

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        super().__init__(clean_stop_exception_types)


class QueueRunner:
    """Threads that fill a queue beside a program, one for each operation.

    One ends when its operation fails as those of a closed queue do; the last one
    closes the queue. Any other exception asks the coordinator to stop.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Any = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None,
        import_scope: Any = None,
    ) -> None:
        if queue_runner_def is not None or import_scope is not None:
            raise NotImplementedError("QueueRunner: queue_runner_def is not there")
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        if queue_closed_exception_types is None:
            queue_closed_exception_types = (
                errors.OutOfRangeError,
                errors.CancelledError,
            )
        elif not isinstance(queue_closed_exception_types, tuple) or not all(
            isinstance(t, type) and issubclass(t, errors.OpError)
            for t in queue_closed_exception_types
        ):
            raise TypeError(
                "queue_closed_exception_types, when provided, must be a tuple of "
                f"tf.error types, but saw: {queue_closed_exception_types}"
            )
        # Graphs keep runners alive: objects that would keep the graph alive are
        # referenced by name or through the program (see _collections.py).
        self._graph, self._name = queue.graph, queue.name
        self._queue = weakref.ref(queue)
        self._enqueue_names = [op.name for op in enqueue_ops]
        self._close_name = (close_op or queue.close()).name
        cancel = cancel_op or queue.close(cancel_pending_enqueues=True)
        self._cancel_name = cancel.name
        self._ends = queue_closed_exception_types
        self._lock = threading.Lock()
        self._running: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions: list[BaseException] = []

    @property
    def queue(self) -> Any:
        """The queue it fills, as long as the program holds it."""
        found = self._queue()
        if found is None:
            raise ReferenceError(f"the program does not hold the queue {self._name!r}")
        return found

    @property
    def enqueue_ops(self) -> list[Any]:
        """The operations its threads run."""
        return [self._graph.get_operation_by_name(n) for n in self._enqueue_names]

    @property
    def close_op(self) -> Any:
        """The operation that closes the queue."""
        return self._graph.get_operation_by_name(self._close_name)

    @property
    def cancel_op(self) -> Any:
        """The operation that closes it and wakes those who wait."""
        return self._graph.get_operation_by_name(self._cancel_name)

    @property
    def queue_closed_exception_types(self) -> Any:
        """The error of a closed queue."""
        return self._ends

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """The exceptions that stopped threads, if there is no coordinator."""
        return self._exceptions

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._name

    def _run(self, sess: Any, op: Any, coord: Any) -> None:
        counted = True
        try:
            while coord is None or not coord.should_stop():
                try:
                    sess.run(op)
                except self._ends:
                    with self._lock:
                        counted = False
                        self._running[sess] -= 1
                        if self._running[sess] == 0:
                            with contextlib.suppress(Exception):
                                sess.run(self.close_op)
                    return
        except Exception as error:
            if coord is None:
                with self._lock:
                    self._exceptions.append(error)
                raise
            coord.request_stop(error)
        finally:
            if counted:
                with self._lock:
                    self._running[sess] -= 1

    def _close_on_stop(self, sess: Any, coord: Any) -> None:
        coord.wait_for_stop()
        # The session may already be closed; nothing waits in a closed session.
        with contextlib.suppress(Exception):
            sess.run(self.cancel_op)

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """One thread per operation; with a coordinator one more, which wakes them."""
        with self._lock:
            if self._running.get(sess, 0) > 0:
                return []
            self._running[sess] = len(self._enqueue_names)
            self._exceptions = []
        threads = [
            threading.Thread(
                target=self._run,
                args=(sess, op, coord),
                name=f"QueueRunnerThread-{self.name}-{op.name}",
            )
            for op in self.enqueue_ops
        ]
        if coord is not None:
            threads.append(
                threading.Thread(
                    target=self._close_on_stop,
                    args=(sess, coord),
                    name=f"QueueRunnerThread-{self.name}-close_on_stop",
                )
            )
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            thread.daemon = daemon
            if start:
                thread.start()
        return threads


def add_queue_runner(qr: Any, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """One more runner for start_queue_runners to start."""
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts all runners of the session's graph; returns their threads."""
    if sess is None:
        sess = get_default_session()
        if sess is None:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use "
                "`with sess.as_default()` or pass an explicit session to "
                "tf.start_queue_runners(sess=sess)"
            )
    threads: list[threading.Thread] = []
    with sess.graph.as_default():
        for runner in get_collection(collection):
            threads.extend(runner.create_threads(sess, coord, daemon, start))
    return threads
