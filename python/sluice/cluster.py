"""One program over several processes and machines.

    with sl.cluster.local(2) as cluster:
        graph = sl.Graph()
        with graph.as_default():
            with sl.device(cluster.task(0)):
                x = sl.placeholder(sl.float32, [])
                y = x * 2
            with sl.device(cluster.task(1)):
                z = y + 1
        with sl.Session(graph, target=cluster.target()) as session:
            print(session.run(z, {x: 3.0}))

Servers of other machines are started there (`sluice-server`); a session needs
the address of one of them: ``sl.Session(graph, target="grpc://host:port")``.

Captured functions name tasks, too, once the process is connected:

    with sl.cluster.local(2) as cluster, cluster.connect():
        @sl.function
        def f(x):
            with sl.device(cluster.task(1)):
                return x * 2

        f(sl.tensor([1.0, 2.0]))  # one step over the tasks
"""

from __future__ import annotations

import json
import os
from typing import Any

from . import _core
from ._closed import closed

__all__ = ["Cluster", "Connection", "connect", "local", "status", "target"]


@closed
class Cluster:
    """Servers of this machine, each a process: `local` starts them. They end
    with it, at the latest when this process does."""

    def __init__(
        self,
        tasks: int,
        job: str = "worker",
        arguments: list[str] | None = None,
        show_errors: bool = False,
    ) -> None:
        self._servers: Any = _core.start_local_cluster(
            tasks, job, list(arguments or []), show_errors
        )

    def _open(self) -> Any:
        if self._servers is None:
            raise RuntimeError("the cluster is closed")
        return self._servers

    def __len__(self) -> int:
        return len(self._open())

    def target(self, task: int = 0) -> str:
        """What a Session takes to have that task lead its steps."""
        return self._open().target(task)

    def task(self, task: int) -> str:
        """The name of a task, for `sl.device`: "/job:worker/task:0"."""
        return self._open().task(task)

    def spec(self) -> dict[str, list[str]]:
        """The addresses of the tasks of each job."""
        return json.loads(self._open().spec())

    def process(self, task: int) -> int:
        """The id of a task's process; 0 when it has none."""
        return self._open().process(task)

    def kill(self, task: int) -> None:
        """Ends a task as a failing machine would."""
        self._open().kill(task)

    def restart(self, task: int) -> None:
        """Starts a task anew at its address; its state is lost."""
        self._open().restart(task)

    def connect(self, task: int = 0) -> Connection:
        """`connect` with that task to lead the steps."""
        return connect(self.target(task))

    def status(self, task: int = 0) -> dict[str, Any]:
        """What a task says of itself: `status`."""
        return status(self.target(task))

    def close(self) -> None:
        """Ends the servers."""
        self._servers = None

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._servers is None:
            return "<sluice.cluster.Cluster, closed>"
        return f"<sluice.cluster.Cluster of {len(self)} tasks>"


@closed
class Connection:
    """A cluster is this process's until this is closed: `connect`."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._connection: Any = _core.connect_cluster(target)
        _open.append(self)

    @property
    def target(self) -> str:
        """The server that leads the steps."""
        return self._target

    def close(self) -> None:
        """Ends it; the connection before it, if there is one, holds again."""
        self._connection = None
        if self in _open:
            _open.remove(self)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        closed = "" if self._connection is not None else ", closed"
        return f"<sluice.cluster.Connection to {self._target}{closed}>"


# They hold until they are closed, whoever keeps them.
_open: list[Connection] = []


def connect(target: str) -> Connection:
    """Makes a cluster the process's: captured functions may name its tasks
    (`sl.device`) and run as one step over them, led by the server at
    "grpc://host:port". Until `close`, or the end of a `with`; of several, the
    one made last holds."""
    return Connection(target)


def local(
    tasks: int,
    *,
    job: str = "worker",
    arguments: list[str] | None = None,
    show_errors: bool = False,
) -> Cluster:
    """Starts that many servers on this machine. `arguments` are more for each
    sluice-server; `show_errors` lets them write to this process's stderr."""
    return Cluster(tasks, job, arguments, show_errors)


def status(target: str) -> dict[str, Any]:
    """What the server at "grpc://host:port" says of itself: its task, its
    gauges, what its steps wait for, and the tasks it knows."""
    return _core.cluster_status(target)


def target() -> str:
    """The master that `sluice launch` started for this program. ValueError: it
    was started in another way."""
    found = os.environ.get("SLUICE_MASTER", "")
    if not found:
        raise ValueError(
            "SLUICE_MASTER is not set; wanted a program that was started by "
            "`sluice launch -n N PROGRAM`"
        )
    return found
