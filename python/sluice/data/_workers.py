"""Threads that prefetch batches in the loop's order.

Jobs are taken one at a time in the order of the sampler, processed concurrently, and
their results are yielded in order. Threads refer only to the _Shared state and not to
the iterator, so they end when the loop drops the iterator.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

__all__ = ["Workers"]

_PATIENCE = 5.0  # seconds to wait for work in progress at the end of a loop


class _Slot:
    __slots__ = ("done", "end", "error", "result")

    def __init__(self) -> None:
        self.done = False
        self.end = False
        self.error: BaseException | None = None
        self.result: Any = None


class _Shared:
    def __init__(
        self, jobs: Iterator[Any], work: Callable[[Any], Any], window: int
    ) -> None:
        self.jobs, self.work, self.window = jobs, work, window
        self.taking = threading.Lock()
        self.changed = threading.Condition()
        self.slots: deque[_Slot] = deque()
        self.ended = False  # there are no more jobs
        self.threads: list[threading.Thread] = []

    def take(self) -> tuple[_Slot, Any] | None:
        """The next job and the slot for its result; None at the end."""
        with self.taking:
            with self.changed:
                while not self.ended and len(self.slots) >= self.window:
                    self.changed.wait()
                if self.ended:
                    return None
                slot = _Slot()
                self.slots.append(slot)
            try:
                return slot, next(self.jobs)
            except StopIteration:
                self.finish(slot, end=True)
            except BaseException as error:  # told to the loop
                self.finish(slot, error=error)
            return None

    def finish(
        self,
        slot: _Slot,
        result: Any = None,
        error: BaseException | None = None,
        end: bool = False,
    ) -> None:
        with self.changed:
            slot.result, slot.error, slot.end = result, error, end
            slot.done = True
            if error is not None or end:
                self.ended = True
            self.changed.notify_all()

    def run(self, start: Callable[[], None]) -> None:
        try:
            start()
        except BaseException as error:  # told to the loop
            with self.changed:
                slot = _Slot()
                self.slots.append(slot)
            self.finish(slot, error=error)
            return
        while True:
            taken = self.take()
            if taken is None:
                return
            slot, job = taken
            try:
                result = self.work(job)
            except BaseException as error:  # told to the loop
                self.finish(slot, error=error)
            else:
                self.finish(slot, result)
            del slot, job, taken

    def stop(self) -> None:
        with self.changed:
            self.ended = True
            self.slots.clear()
            self.changed.notify_all()
        # A thread blocked in a read must not hold up the program.
        latest = time.monotonic() + _PATIENCE
        for thread in self.threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, latest - time.monotonic()))


class Workers(Iterator[Any]):
    """``work(job)`` for all jobs, in order, made by threads ahead of time."""

    def __init__(
        self,
        jobs: Iterator[Any],
        work: Callable[[Any], Any],
        threads: int,
        window: int,
        start: Callable[[int], None],
        timeout: float,
    ) -> None:
        shared = _Shared(jobs, work, window)
        self._shared = shared
        self._timeout = timeout if timeout > 0 else None
        for i in range(threads):
            thread = threading.Thread(
                target=shared.run,
                args=(partial(start, i),),
                name=f"sluice-data-{i}",
                daemon=True,
            )
            shared.threads.append(thread)
            thread.start()
        # This also runs at the end of the program.
        self._stop = weakref.finalize(self, shared.stop)

    def __next__(self) -> Any:
        shared = self._shared
        with shared.changed:
            if not self._stop.alive:
                raise StopIteration
            ready = shared.changed.wait_for(
                lambda: bool(shared.slots) and shared.slots[0].done, self._timeout
            )
            if ready:
                slot = shared.slots.popleft()
                shared.changed.notify_all()
        if not ready:
            self._stop()
            raise TimeoutError(f"no batch came within {self._timeout} seconds")
        if slot.end:
            self._stop()
            raise StopIteration
        if slot.error is not None:
            self._stop()
            if isinstance(slot.error, StopIteration):
                raise RuntimeError("the dataset raised StopIteration") from slot.error
            raise slot.error
        return slot.result

    def close(self) -> None:
        """Ends the threads."""
        self._stop()
