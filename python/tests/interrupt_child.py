"""Is interrupted: what the first argument names runs until SIGINT ends it.

Prints "running" when the parent may send the signal, and "stopped" when
KeyboardInterrupt came out and the process works as before.
"""

import ctypes
import functools
import os
import signal
import sys
import threading
import time

import numpy as np

import sluice as sl


def leaf(value):
    return sl.add(np.asarray(value, np.float32), np.float32(0)).requires_grad_()


def send_when_the_gil_is_free():
    """Sends the signal from another thread, once C++ runs on this one. That
    thread takes its time on a busy machine: from then on it gets the GIL only
    from code that gives it up."""
    go = threading.Lock()
    go.acquire()

    def send():
        go.acquire()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()
    sys.setswitchinterval(1000)
    go.release()


def wait_for_the_signal(*_):
    while True:
        time.sleep(0.001)


def backward():
    x = leaf(np.ones(2000))
    y = sl.sin(x)
    y.register_hook(wait_for_the_signal)
    for _ in range(30000):
        y = sl.sin(y)
    y.register_hook(lambda g: send_when_the_gil_is_free())
    y = sl.sum(y * 1)
    try:
        y.backward()
    finally:
        assert x.grad is None, "the backward pass went on"


def dequeue():
    """Nothing runs: the step waits for an element that never comes."""
    with sl.Graph().as_default() as graph:
        element = sl.FIFOQueue(2, [sl.float32], shapes=[[]]).dequeue()
    with sl.Session(graph) as run:
        print("running", flush=True)
        run.run(element)


def session():
    with sl.Graph().as_default() as graph:
        x = sl.placeholder(sl.float32, [])
        forever = sl.while_loop(lambda v: v > 0, lambda v: v * 1.0, x)
    with sl.Session(graph) as run:
        print("running", flush=True)
        run.run(forever, {x: 1.0})


def before_a_session():
    """The signal is there when C++ begins, which runs twice: to prepare the
    step, too quickly to notice, and to run it. No Python code between."""
    with sl.Graph().as_default() as graph:
        x = sl.placeholder(sl.float32, [])
        forever = sl.while_loop(lambda v: v > 0, lambda v: v * 1.0, x)
    with sl.Session(graph) as run:
        kill = ctypes.CDLL(None).kill
        calls = [
            functools.partial(kill, os.getpid(), int(signal.SIGINT)),
            functools.partial(run.run, forever, {x: 1.0}),
        ]
        list(map(functools.partial.__call__, calls))


def captured():
    @sl.function
    def forever(v):
        return sl.while_loop(lambda v: v > 0, lambda v: v * 1.0, v)

    forever(leaf(-1.0).detach())
    print("running", flush=True)
    forever(leaf(1.0).detach())


def loop():
    print("running", flush=True)
    sl.while_loop(lambda v: v > 0, lambda v: v * 1.0, leaf(1.0).detach())


def given_to_another_thread():
    """The system hands the signal to a thread that is not Python's, as it may
    while the main thread starts one and takes none itself. The loop computes on
    the host and never lets go of the GIL."""
    libc = ctypes.PyDLL(None)
    other = ctypes.c_ulong()
    pause = ctypes.cast(libc.pause, ctypes.c_void_p)
    assert libc.pthread_create(ctypes.byref(other), None, pause, None) == 0

    sent = []

    def body(v):
        if not sent:
            sent.append(libc.pthread_kill(other, int(signal.SIGINT)))
        return v * 1.0

    with sl.device("cpu"):
        start = leaf(1.0).detach()
    sl.while_loop(lambda v: v > 0, body, start)


def given_to_another_thread_later():
    """The same, with the handler that the package puts before Python's."""
    x = leaf(np.ones(2))
    sl.sum(x * x).backward()
    given_to_another_thread()


def handler_of_the_program():
    """What has its own idea of SIGINT is not cancelled, and is asked later."""
    seen = []
    x = leaf(np.ones(2000))
    y = x
    for _ in range(2000):
        y = sl.sin(y)
    signal.signal(signal.SIGINT, lambda *_: seen.append("asked"))
    y.register_hook(lambda g: send_when_the_gil_is_free())
    sl.sum(y * 1).backward()
    assert x.grad is not None
    while not seen:
        time.sleep(0.001)
    raise KeyboardInterrupt


def check_all_works():
    sys.setswitchinterval(0.005)
    x = leaf(2.0)
    (x * x).backward()
    sl.testing.assert_close(x.grad, 4.0)


if __name__ == "__main__":
    for _ in range(2):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            globals()[sys.argv[1]]()
        except KeyboardInterrupt:
            check_all_works()
        else:
            sys.exit("nothing was interrupted")
    print("stopped", flush=True)
