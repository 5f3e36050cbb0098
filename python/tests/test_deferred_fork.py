"""Graphs in a process that forks: the child runs steps as the parent does."""

import os
import signal
import sys
import traceback

import numpy as np
import pytest

import sluice as sl

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


def in_child(work):
    """Whether work() returned true in a child of this process."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(60)  # a child that hangs ends
            code = 0 if work() else 2
        except BaseException:
            traceback.print_exc(file=sys.stderr)
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status) == 0


@pytest.fixture
def program():
    with sl.Graph() as g:
        x = sl.placeholder(sl.float32, [None, None])
        y = sl.sum(x @ x)
        later = sl.sleep(sl.constant(1.0), micros=100)
        never = sl.FIFOQueue(1, sl.float32, [[]]).dequeue()
    ones = np.ones((200, 200), np.float32)
    return g, {x: ones}, y, later, never


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("threads", [0, 3])
def test_steps_in_a_child(program, threads):
    g, feeds, y, later, never = program
    s = sl.Session(g, threads=threads)
    want = s.run(y, feeds).item()
    assert s.run(later).item() == 1  # the timer's thread is there now
    assert in_child(lambda: s.run(y, feeds).item() == want)
    assert in_child(lambda: s.run(later).item() == 1)

    def deadline():
        try:
            s.run(never, options=sl.RunOptions(timeout=0.01))
        except TimeoutError:
            return True

    assert in_child(deadline)
    assert in_child(lambda: sl.Session(g, threads=2).run(y, feeds).item() == want)
    assert s.run(y, feeds).item() == want


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_lets_go_of_a_session(program):
    g, feeds, y, _, _ = program
    box = [sl.Session(g, threads=3)]
    box[0].run(y, feeds)

    def drop():
        box.clear()
        return sl.Session(g).run(y, feeds).shape == ()

    assert in_child(drop)
    assert box[0].run(y, feeds).shape == ()
