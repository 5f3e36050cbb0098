"""Background threads of a program: Coordinator and QueueRunner.

    coord = sl.Coordinator()
    threads = sl.QueueRunner(queue, [fill] * 4).create_threads(session, coord)
    while not coord.should_stop():
        session.run(train)
    coord.request_stop()
    coord.join(threads)
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any

from ._closed import closed
from ._core import Operation, Session
from ._queues import QueueBase

__all__ = ["Coordinator", "QueueRunner"]

# The error of a queue that is closed and empty.
_END = IndexError


@closed
class Coordinator:
    """Lets threads stop together.

    Any of them may request a stop (`request_stop`), and all check for it
    (`should_stop`). `join` waits for them and raises the first exception that
    stopped one of them.
    """

    def __init__(self, clean_stop_exception_types: Any = (_END,)) -> None:
        self._clean = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._trace: TracebackType | None = None
        self._threads: list[threading.Thread] = []
        self._on_stop: list[Callable[[], None]] = []

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop; `ex` is an exception, or sys.exc_info()."""
        if isinstance(ex, tuple):
            ex = ex[1]
        if ex is not None and not isinstance(ex, BaseException):
            raise TypeError(f"ex is a {type(ex).__name__}; wanted an exception")
        with self._lock:
            first = not self._stop.is_set()
            if first and ex is not None and not isinstance(ex, self._clean):
                self._error, self._trace = ex, ex.__traceback__
            self._stop.set()
            actions = self._on_stop if first else []
            self._on_stop = []
        for action in actions:
            action()

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._stop.is_set()

    def clear_stop(self) -> None:
        """Clears the request to stop."""
        with self._lock:
            self._error = self._trace = None
            self._stop.clear()

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is requested; False if the timeout passes first."""
        return self._stop.wait(timeout)

    def raise_requested_exception(self) -> None:
        """Raises the exception that stopped a thread, if any."""
        with self._lock:
            error, trace = self._error, self._trace
        if error is not None:
            raise error.with_traceback(trace)

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A scope for `with`: an exception inside requests a stop."""
        try:
            yield
        except BaseException as error:
            self.request_stop(error)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread for `join` to wait for."""
        with self._lock:
            self._threads.append(thread)

    def on_stop(self, action: Callable[[], None]) -> None:
        """Calls `action` when a stop is requested, to wake waiting threads."""
        with self._lock:
            if not self._stop.is_set():
                self._on_stop.append(action)
                return
        action()

    @property
    def joined(self) -> bool:
        """Whether all registered threads have ended."""
        with self._lock:
            return not any(t.is_alive() for t in self._threads)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits for the threads, including registered ones.

        Raises the exception that stopped one of them. Raises RuntimeError if
        threads are still running when the grace period after a stop has passed.
        """
        with self._lock:
            waited = list(self._threads)
        for thread in threads or ():
            if thread not in waited:
                waited.append(thread)
        deadline: float | None = None
        live = [t for t in waited if t.is_alive()]
        while live:
            if self._stop.is_set():
                if deadline is None:
                    deadline = time.monotonic() + stop_grace_period_secs
                elif time.monotonic() > deadline:
                    break
            live[0].join(0.05)
            live = [t for t in live if t.is_alive()]
        with self._lock:
            self._threads.clear()
        self.raise_requested_exception()
        if live and not ignore_live_threads:
            names = ", ".join(t.name for t in live)
            raise RuntimeError(
                f"{len(live)} threads still run {stop_grace_period_secs} seconds "
                f"after they were asked to stop: {names}"
            )


@closed
class QueueRunner:
    """Threads that fill a queue beside a program.

    Each repeats one of `enqueue_ops`. It ends when its operation has no more
    elements (IndexError) or the queue is closed; the last thread closes the queue.
    Any other exception requests a stop of the coordinator, whose `join` raises it.
    """

    def __init__(
        self,
        queue: QueueBase,
        enqueue_ops: Operation | Sequence[Operation],
        close_op: Operation | None = None,
        cancel_op: Operation | None = None,
    ) -> None:
        if isinstance(enqueue_ops, Operation):
            enqueue_ops = [enqueue_ops]
        self.queue = queue
        self.enqueue_ops = list(enqueue_ops)
        if not self.enqueue_ops:
            raise ValueError("enqueue_ops is empty; wanted one operation per thread")
        for op in self.enqueue_ops:
            if not isinstance(op, Operation):
                raise TypeError(
                    f"enqueue_ops holds a {type(op).__name__}; wanted Operations"
                )
        with queue.graph.as_default():
            self.close_op = close_op or queue.close()
            self.cancel_op = cancel_op or queue.close(cancel_pending_enqueues=True)
            self._closed = queue.is_closed()
        self._lock = threading.Lock()
        self._running = 0
        #: The exceptions that stopped threads, if there is no coordinator.
        self.exceptions_raised: list[BaseException] = []

    def create_threads(
        self,
        sess: Session,
        coord: Coordinator | None = None,
        daemon: bool = True,
        start: bool = True,
    ) -> list[threading.Thread]:
        """Creates one thread per operation, which runs steps of the session."""
        threads = [
            threading.Thread(
                target=self._run,
                args=(sess, op, coord),
                daemon=daemon,
                name=f"QueueRunner-{self.queue.name}-{i}",
            )
            for i, op in enumerate(self.enqueue_ops)
        ]
        with self._lock:
            self._running += len(threads)
        if coord is not None:
            for thread in threads:
                coord.register_thread(thread)
            # Wakes threads that wait at a full queue.
            coord.on_stop(lambda: self._quietly(sess, self.cancel_op))
        if start:
            for thread in threads:
                thread.start()
        return threads

    @staticmethod
    def _quietly(sess: Session, op: Operation) -> None:
        # The session may be closed by now, and then nothing waits in it.
        with contextlib.suppress(Exception):
            sess.run(op)

    def _ends(
        self, sess: Session, error: BaseException, coord: Coordinator | None
    ) -> bool:
        """Whether a step failed because of a stop, and not the reverse."""
        if coord is not None and coord.should_stop():
            return True
        if not isinstance(error, RuntimeError):
            return False
        with contextlib.suppress(Exception):
            return bool(sess.run(self._closed).numpy())
        return True  # the session is closed

    def _run(self, sess: Session, op: Operation, coord: Coordinator | None) -> None:
        step = None
        try:
            step = sess.prepare(op)
            while coord is None or not coord.should_stop():
                step()
        except _END:
            pass
        except BaseException as error:
            if self._ends(sess, error, coord):
                pass
            elif coord is not None:
                coord.request_stop(error)
            else:
                self.exceptions_raised.append(error)
                self._quietly(sess, self.cancel_op)
                raise
        finally:
            with self._lock:
                self._running -= 1
                last = self._running == 0
            if last:
                self._quietly(sess, self.close_op)
