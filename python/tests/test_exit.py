"""The process ends while daemon threads work: with its own exit code, quietly,
and soon. exit_child.py has the kinds of work."""

import pathlib
import subprocess
import sys

import pytest

import exit_child

CHILD = pathlib.Path(exit_child.__file__)
TIMES = 6


@pytest.mark.parametrize("kind", exit_child.KINDS)
def test_exit_while_daemon_threads_work(kind):
    for _ in range(TIMES):
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", str(CHILD), kind],
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 7, (done.returncode, done.stderr[-3000:])
        assert done.stdout == "fine\n" and done.stderr == ""
