"""Variables kept by tasks, and workers that train them.

    with sl.cluster.local(6) as cluster, sl.Graph().as_default() as graph:
        servers = dist.parameter_servers([cluster.task(0), cluster.task(1)])
        with servers:
            w = sl.Variable(...)              # in one of the two tasks
        training = servers.synchronous(workers=4, backups=1)
        for k in range(4):
            with sl.device(cluster.task(2 + k)), training.worker(k) as step:
                loss = ...
                step.hand_in(optimizer.compute_gradients(loss))
        training.update(optimizer)
        ...
        training.train(session, 1000)

All of it is made of queues, conditionals and variables of the graph: a scheme of
one's own is a program (examples/python/elastic_averaging.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import _core
from .._closed import closed
from .._core import Operation, Tensor, Variable

__all__ = [
    "Asynchronous",
    "ParameterServers",
    "Synchronous",
    "Table",
    "parameter_servers",
]

_SPREADS = ("round_robin", "size")

#: Gives the feeds of a worker's next step, by the worker's number.
Feeds = Callable[[int], "dict[Tensor, Any] | None"]


class Table:
    """A table whose rows are in several tasks: `ParameterServers.table`."""

    def __init__(self, table: Any) -> None:
        self._table = table

    @property
    def parts(self) -> list[Variable]:
        """The variable of each task."""
        return self._table.parts

    def lookup(self, ids: Any) -> Tensor:
        """The rows that ids name; each task picks its own."""
        return self._table.lookup(ids)


@closed
class ParameterServers:
    """Tasks that keep variables: `parameter_servers`."""

    def __init__(self, tasks: Sequence[str], spread: str = "round_robin") -> None:
        if spread not in _SPREADS:
            raise ValueError(f"spread is {spread!r}; wanted one of {_SPREADS}")
        self._servers = _core.ParameterServers(list(tasks), spread == "size")

    def __enter__(self) -> ParameterServers:
        self._servers.open(self)
        return self

    def __exit__(self, *error: object) -> None:
        self._servers.close(self)

    @property
    def tasks(self) -> list[str]:
        """The names of the tasks."""
        return self._servers.tasks

    @property
    def bytes(self) -> list[int]:
        """The bytes of variables placed on each task."""
        return self._servers.bytes

    def table(
        self,
        shape: Sequence[int],
        name: str = "table",
        dtype: Any = _core.float32,
        initial: Callable[[tuple[int, ...]], Any] | None = None,
        strategy: str = "mod",
    ) -> Table:
        """A table cut by rows over all of them.

        `initial` is called with the shape of each part and makes its first value
        on the task of the part; without it they are zeros. Row i is in part i % n
        ("mod"), or parts are ranges of consecutive rows ("div").
        """
        return Table(
            _core.ShardedTable(
                self._servers, shape, name, dtype, strategy, initial
            )
        )

    def synchronous(
        self, workers: int, backups: int = 0, adapt: bool = False, name: str = "sync"
    ) -> Synchronous:
        """Training in which each update is the mean of the first
        workers - backups gradients of the step; others are dropped."""
        return Synchronous(workers, backups, adapt, name, self.tasks[0])

    def asynchronous(
        self, workers: int, bound: int | None = None, name: str = "stale"
    ) -> Asynchronous:
        """Training in which every worker applies its own gradients, and is at
        most `bound` steps ahead of the slowest. None: however far."""
        return Asynchronous(workers, bound, name, self.tasks[0])


def parameter_servers(
    tasks: Sequence[str], spread: str = "round_robin"
) -> ParameterServers:
    """Tasks to keep variables in. As a scope for `with`, it says where variables
    made inside go: one task after the other ("round_robin"), or each to the one
    with the fewest bytes ("size"). Optimizers work beside their variables."""
    return ParameterServers(tasks, spread)


class WorkerStep:
    """The step of a worker while it is built: `Synchronous.worker`."""

    def __init__(self, training: Synchronous, worker: int) -> None:
        self._training, self.worker = training, worker
        #: The number of the step; negative in the last one of a training.
        self.token: Tensor = training._replicas.begin(worker)
        #: The operation that runs the step, once gradients have been handed in.
        self.op: Operation | None = None

    def hand_in(
        self,
        grads_and_vars: Any,
        samples: Sequence[Tensor] = (),
        input: Any = None,
        many: bool = True,
    ) -> Operation:
        """Hands in the gradients of this step. `samples`, which were taken from
        the queue `input` by dequeue_many (or, with many=False, dequeue), go back
        there when they are dropped."""
        if bool(samples) != (input is not None):
            raise ValueError("samples and input go together; one of them is missing")
        self.op = self._training._replicas.hand_in(
            self.worker, self.token, grads_and_vars, input, list(samples), many
        )
        return self.op


@closed
class Synchronous:
    """Workers that make each step together."""

    def __init__(
        self,
        workers: int,
        backups: int = 0,
        adapt: bool = False,
        name: str = "sync",
        task: str = "",
    ) -> None:
        self._replicas = _core.SyncReplicas(workers, backups, adapt, name, task)

    @contextmanager
    def worker(self, worker: int) -> Iterator[WorkerStep]:
        """A scope for the step of one worker: what is made inside waits for the
        worker's token, so that it reads variables of that step."""
        step = WorkerStep(self, worker)
        with _core.control_dependencies([step.token]):
            yield step
        if step.op is None:
            raise RuntimeError(
                f"worker {worker} hands in no gradients; wanted step.hand_in() "
                "inside of the scope"
            )

    def means(self) -> list[tuple[Tensor, Variable]]:
        """The mean of the admitted gradients of each variable, with the variable."""
        return self._replicas.means()

    def update(self, optimizer: Any) -> None:
        """Has the optimizer apply the means; or give `set_update` the operation
        that does."""
        self.set_update(optimizer.apply_gradients(self.means()))

    def set_update(self, applied: Operation) -> None:
        """Sets the operation that applies the means."""
        self._replicas.set_update(applied)

    @property
    def step(self) -> Tensor:
        """The number of completed updates, as a tensor to fetch."""
        return self._replicas.step

    def train(
        self, session: Any, steps: int, feeds: Feeds | None = None
    ) -> dict[str, Any]:
        """Runs this many updates, with a thread for each worker. Returns the numbers
        of admitted and dropped gradients, and the times of workers."""
        return self._replicas.train(session, steps, feeds)

    def chief(self, session: Any, timeout: float | None = None) -> Any:
        """Who leads workers that are processes of their own: start(), then
        advance() for each update, which gives the workers it was made of, then
        finish(). Waits end with TimeoutError after `timeout` seconds."""
        milliseconds = 0 if timeout is None else max(1, round(timeout * 1000))
        return _core.SyncChief(self._replicas, session, milliseconds)

    def work(self, session: Any, worker: int, feeds: Feeds | None = None) -> int:
        """Runs the steps of one worker in its own process until the chief finishes.
        Returns their number."""
        return self._replicas.work(session, worker, feeds)


@closed
class Asynchronous:
    """Workers that apply their own gradients."""

    def __init__(
        self,
        workers: int,
        bound: int | None = None,
        name: str = "stale",
        task: str = "",
    ) -> None:
        limit = -1 if bound is None else bound
        self._replicas = _core.StaleReplicas(workers, limit, name, task)
        self._steps: dict[int, tuple[Tensor, Operation]] = {}

    @property
    def start(self) -> Operation:
        """The operation to run once before the first step."""
        return self._replicas.start

    @contextmanager
    def worker(self, worker: int) -> Iterator[list[Operation]]:
        """A scope for the step of one worker. The list is for the operations
        that apply its gradients: `step.append(optimizer.minimize(loss))`."""
        begun = self._replicas.begin(worker)
        applied: list[Operation] = []
        with _core.control_dependencies([begun]):
            yield applied
            if not applied:
                raise RuntimeError(
                    f"worker {worker} applies nothing; wanted "
                    "step.append(optimizer.minimize(loss)) inside of the scope"
                )
            with _core.control_dependencies(applied):
                done = _core.op_function("NoOp")()
            self._steps[worker] = self._replicas.end(worker, begun, done)

    def step(self, worker: int) -> tuple[Tensor, Operation]:
        """The lead of a worker over the slowest one at its start, and the operation to
        run."""
        return self._steps[worker]

    def train(
        self, session: Any, steps: int, feeds: Feeds | None = None
    ) -> list[int]:
        """So many steps of every worker that has one here, each in a thread of its
        own. Returns how far each was ahead of the slowest, at most."""
        numbers = sorted(self._steps)
        workers = [self._steps[k] for k in numbers]
        fed = None if feeds is None else lambda place: feeds(numbers[place])
        return _core.train_stale(workers, session, steps, fed)
