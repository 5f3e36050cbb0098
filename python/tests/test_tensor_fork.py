"""After os.fork() the child computes as before, with threads of its own."""

import subprocess
import sys

import pytest

# Everything a child may do first, after the parent has used all of its threads.
PROGRAM = """
import os, signal, sys
import numpy as np
import sluice as sl

signal.alarm(60)  # a child that hangs is ended, and the test fails
a = sl.rand(300, 300)
a @ a
big = (a * a).sum()
graph = sl.Graph()
with graph.as_default() if hasattr(graph, "as_default") else graph:
    x = sl.placeholder(sl.float32, (300, 300))
    y = (sl.matmul(x, x) * x).sum()
session = sl.Session(graph)
wanted = session.run(y, {x: a})

@sl.function
def f(v):
    return (v @ v).sum()

f(a)

def check():
    what = sys.argv[1]
    if what == "op":
        assert sl.allclose(a @ a, a.numpy() @ a.numpy(), rtol=1e-4)
        w = sl.ones(300, 300, requires_grad=True)
        (w * a).sum().backward()
        assert sl.allclose(w.grad, a)
    elif what == "session":
        assert session.run(y, {x: a}).item() == wanted.item()
    elif what == "new session":
        assert sl.Session(graph).run(y, {x: a}).item() == wanted.item()
    elif what == "function":
        assert f(a).item() == f(a).item()
    elif what == "sleep":
        sl.sleep(a, 1000)
    elif what == "fork":
        child = os.fork()
        if child == 0:
            a @ a
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        a @ a

for _ in range(3):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            check()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    a @ a  # the parent goes on
print("fine")
"""


@pytest.mark.parametrize(
    "what", ["op", "session", "new session", "function", "sleep", "fork"]
)
def test_a_forked_child_computes(what):
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM, what],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr[-3000:]
