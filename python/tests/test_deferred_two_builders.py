"""Two threads build one graph while one of them differentiates in Python."""

import subprocess
import sys
import textwrap

PROGRAM = textwrap.dedent(
    """
    import faulthandler, threading, time
    import sluice as sl

    faulthandler.dump_traceback_later(60, exit=True)  # instead of a deadlock
    inside, other = threading.Event(), threading.Event()

    @sl.custom_vjp
    def square(x):
        return x * x

    def backward(x, g):
        inside.set()
        # The other thread has the interpreter now, and wants the graph.
        other.wait(0.2)
        return (2 * x * g,)

    square.defvjp(lambda x: (square(x), x), backward)

    with sl.Graph() as graph:
        x = sl.placeholder(sl.float32, [], name="x")
        y = square(x)

    def build():
        inside.wait()
        with graph:
            made = x + 1.0
        other.set()

    thread = threading.Thread(target=build)
    thread.start()
    with graph:
        (dx,) = sl.gradients(y, [x])
    thread.join()
    print(sl.Session(graph).run(dx, {x: 3.0}).item())
    """
)


def test_a_gradient_in_python_while_another_thread_adds_nodes():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "6.0\n"
