"""Ctrl-C stops what runs in C++, and the process goes on working."""

import os
import signal
import subprocess
import sys
import threading

import pytest

import sluice as sl

CHILD = os.path.join(os.path.dirname(__file__), "interrupt_child.py")
NEEDS = {
    "backward": [],
    "handler_of_the_program": [],
    "dequeue": ["FIFOQueue", "Session"],
    "loop": ["while_loop"],
    "given_to_another_thread": ["while_loop"],
    "given_to_another_thread_later": ["while_loop"],
    "captured": ["function", "while_loop"],
    "session": ["Graph", "Session", "while_loop"],
    "before_a_session": ["Graph", "Session", "while_loop"],
}


@pytest.mark.parametrize("what", NEEDS)
def test_interrupt(what):
    for name in NEEDS[what]:
        if not hasattr(sl, name):
            pytest.skip(f"no {name} yet")
    path = os.path.dirname(os.path.dirname(os.path.abspath(sl.__file__)))
    child = subprocess.Popen(
        [sys.executable, CHILD, what],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    said = []
    watchdog = threading.Timer(60, child.kill)
    watchdog.start()
    try:
        for line in child.stdout:
            said.append(line.strip())
            if said[-1] == "running":
                child.send_signal(signal.SIGINT)
        error = child.communicate()[1]
    finally:
        watchdog.cancel()
        child.kill()
    assert child.returncode == 0, error
    assert said[-1:] == ["stopped"], error
