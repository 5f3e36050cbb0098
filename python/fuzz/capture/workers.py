"""Child processes that do tasks; one that ends early costs its task alone."""

from __future__ import annotations

import json
import os
import pathlib
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

Task = dict[str, Any]
# Programs take milliseconds; what takes this long hangs.
JUDGE_SECONDS, REDUCE_SECONDS = 120, 900


class Worker:
    """One child, started when it is needed and again when it has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def _start(self) -> subprocess.Popen[str]:
        here = pathlib.Path(__file__).resolve().parent
        env = dict(os.environ)
        paths = [env.get("PYTHONPATH", ""), str(here.parent)]
        env["PYTHONPATH"] = os.pathsep.join(p for p in paths if p)
        # One thread a child: the children share the processors.
        env.setdefault("OMP_NUM_THREADS", "1")
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", f"{here.name}.child"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=env)

    def do(self, task: Task) -> dict[str, Any]:
        if self._process is None:
            self._process = self._start()
        process = self._process
        assert process.stdin and process.stdout
        limit = REDUCE_SECONDS if task["do"] == "reduce" else JUDGE_SECONDS
        try:
            process.stdin.write(json.dumps(task) + "\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], limit)
            line = process.stdout.readline() if ready else None
        except BrokenPipeError:
            line = ""
        if line:
            made: dict[str, Any] = json.loads(line)
            return made
        if line is None:
            process.kill()
        code = process.wait()
        self._process = None
        what = "it does not end" if line is None else f"the process ended by {code}"
        return {"word": "crash", "way": "", "what": what, "kind": what}

    def close(self) -> None:
        if self._process is not None:
            assert self._process.stdin
            self._process.stdin.close()
            self._process.wait()
            self._process = None


def do_all(tasks: Iterable[Task], done: Callable[[Task, dict[str, Any]], None],
           jobs: int) -> None:
    """Does the tasks; `done` hears of each, one at a time."""
    source, lock = iter(tasks), threading.Lock()
    failures: list[BaseException] = []

    def work() -> None:
        worker = Worker()
        try:
            while not failures:
                with lock:
                    task = next(source, None)
                if task is None:
                    return
                answer = worker.do(task)
                with lock:
                    done(task, answer)
        except BaseException as error:
            failures.append(error)
        finally:
            worker.close()

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
