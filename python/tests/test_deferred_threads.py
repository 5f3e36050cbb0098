"""Steps of several Python threads at once."""

import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import sluice as sl

LIMIT = sl.RunOptions(timeout=60)


def in_threads(count, work):
    """Runs work(i) in threads; raises the first exception."""
    errors = []

    def guarded(i):
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def test_two_steps_that_wait_for_each_other():
    # Each gives the other what it waits for: it ends only if both run at once.
    with sl.Graph() as g:
        queues = [sl.FIFOQueue(1, sl.int32, [[]]) for _ in range(2)]
        meet = []
        for i in range(2):
            put = queues[i].enqueue(i)
            with sl.control_dependencies([put]):
                meet.append(queues[1 - i].dequeue())
    with sl.Session(g) as s:
        got = [None, None]

        def work(i):
            got[i] = s.run(meet[i], options=LIMIT).item()

        in_threads(2, work)
    assert got == [1, 0]


def test_many_runs_of_one_session():
    with sl.Graph() as g:
        x = sl.placeholder(sl.float32, [None], name="x")
        total = sl.Variable(0.0)
        y = sl.sum(sl.exp(x) * 2)
        add = total.assign_add(1.0)
        init = sl.initialize_variables()
    with sl.Session(g) as s:
        s.run(init)

        def work(i):
            for k in range(50):
                data = np.full(3 + k % 5, i, np.float32)
                got, _ = s.run((y, add), {x: data})
                np.testing.assert_allclose(
                    got.item(), 2 * np.exp(i) * len(data), rtol=1e-5
                )

        in_threads(4, work)
        assert s.run(total).item() == 200


def test_the_graph_grows_while_steps_run():
    with sl.Graph() as g:
        x = sl.placeholder(sl.float32, [], name="x")
    with sl.Session(g) as s:

        def work(i):
            for k in range(20):
                with g:
                    y = x * i + k
                assert s.run(y, {x: 2}).item() == 2 * i + k

        in_threads(4, work)


def test_closing_ends_what_waits():
    with sl.Graph() as g:
        q = sl.FIFOQueue(1, sl.int32, [[]])
        get = q.dequeue()
        put = q.enqueue(1)
    s = sl.Session(g)
    s.run(put)
    errors, started = [], threading.Event()

    def wait():
        s.run(get)
        started.set()
        try:
            s.run(get)
        except RuntimeError as error:
            errors.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    started.wait()
    s.close()
    thread.join()
    assert len(errors) == 1 and "closed" in errors[0]


def test_one_partial_step_at_a_time():
    with sl.Graph() as g:
        q = sl.FIFOQueue(1, sl.int32, [[]])
        get, put = q.dequeue(), q.enqueue(1)
        size = q.size()
    with sl.Session(g) as s:
        step = s.partial_run_setup([get, size])
        # Whichever comes second is refused or finds the first one done.
        errors = []

        def work(i):
            if i == 0:
                step.run(get)
            else:
                s.run(put)
                try:
                    step.run(size)
                except RuntimeError as error:
                    errors.append(str(error))

        in_threads(2, work)
        assert all("one call at a time" in e for e in errors)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_a_step_that_waits():
    program = """
        import sluice as sl
        with sl.Graph() as g:
            q = sl.FIFOQueue(1, sl.int32, [[]])
            get, put = q.dequeue(), q.enqueue(4)
        s = sl.Session(g)
        try:
            print("running", flush=True)
            s.run(get)
        except KeyboardInterrupt:
            s.run(put)
            print("then", s.run(get).item(), flush=True)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "running\n"
    # It may not have begun to wait; Python itself sees the signal then.
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert out == "then 4\n", err
