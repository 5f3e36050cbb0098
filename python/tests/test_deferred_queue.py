"""Queues, runners and other state of graphs."""

import threading

import numpy as np
import pytest

import sluice as sl

# Against hanging: a step that waits for ever fails instead.
LIMIT = sl.RunOptions(timeout=60)


def test_fifo():
    with sl.Graph() as g:
        q = sl.FIFOQueue(10, [sl.float32, sl.int64], [[2], []], name="q")
        x = sl.placeholder(sl.float32, [2])
        put = q.enqueue([x, 7])
        many = q.enqueue_many((np.ones((3, 2)), [1, 2, 3]))
        one = q.dequeue()
        batch = q.dequeue_many(2)
        size = q.size()
    assert q.dtypes == [sl.float32, sl.int64] and q.name == "q" and q.graph is g
    assert batch[0].shape == (2, 2)
    with sl.Session(g) as s:
        s.run(put, {x: [1, 2]})
        s.run(many)
        assert s.run(size).item() == 4
        a, b = s.run(one)
        assert a.tolist() == [1, 2] and b.item() == 7
        a, b = s.run(batch)
        assert a.tolist() == [[1, 1], [1, 1]] and b.tolist() == [1, 2]


def test_what_is_enqueued_is_not_the_callers_memory():
    with sl.Graph() as g:
        q = sl.FIFOQueue(10, sl.float32, [[2]])
        x = sl.placeholder(sl.float32, [2])
        put, get = q.enqueue(x), q.dequeue()
    with sl.Session(g) as s:
        buffer = np.zeros(2, np.float32)
        for i in range(3):
            buffer[:] = i
            s.run(put, {x: buffer})
        assert [s.run(get).tolist() for _ in range(3)] == [[0, 0], [1, 1], [2, 2]]


def test_closing():
    with sl.Graph() as g:
        q = sl.FIFOQueue(10, sl.int32, [[]])
        put, get, rest = q.enqueue(1), q.dequeue(), q.dequeue_up_to(5)
        close, closed = q.close(), q.is_closed()
    with sl.Session(g) as s:
        s.run(put)
        s.run(put)
        assert s.run(closed).item() is False
        s.run(close)
        assert s.run(closed).item() is True
        assert s.run(rest).tolist() == [1, 1]
        with pytest.raises(IndexError, match="closed and has insufficient") as e:
            s.run(get)
        assert "test_deferred_queue.py" in str(e.value)
        with pytest.raises(RuntimeError, match="is closed"):
            s.run(put)


def test_names():
    with sl.Graph() as g:
        q = sl.FIFOQueue(2, [sl.float32, sl.int64], names=["x", "y"])
        put, get = q.enqueue({"y": 2, "x": 1.5}), q.dequeue()
        with pytest.raises(TypeError, match="wanted a dict"):
            q.enqueue([1.5, 2])
        with pytest.raises(ValueError, match="names"):
            q.enqueue({"x": 1})
        with pytest.raises(ValueError, match="names has 1"):
            sl.FIFOQueue(2, [sl.float32, sl.int64], names=["x"])
    with sl.Session(g) as s:
        s.run(put)
        got = s.run(get)
    assert got["x"].item() == 1.5 and got["y"].item() == 2


def test_shuffle():
    with sl.Graph() as g:
        q = sl.RandomShuffleQueue(100, 0, sl.int64, [[]], seed=3)
        put, get = q.enqueue_many(np.arange(50)), q.dequeue_many(50)
    with sl.Session(g) as s:
        s.run(put)
        got = s.run(get).tolist()
    assert sorted(got) == list(range(50)) and got != list(range(50))


def test_padding():
    with sl.Graph() as g:
        q = sl.PaddingFIFOQueue(10, sl.float32, [[None]])
        x = sl.placeholder(sl.float32, [None])
        put, get = q.enqueue(x), q.dequeue_many(2)
    with sl.Session(g) as s:
        s.run(put, {x: [1]})
        s.run(put, {x: [1, 2, 3]})
        assert s.run(get).tolist() == [[1, 0, 0], [1, 2, 3]]


def test_priority():
    with sl.Graph() as g:
        q = sl.PriorityQueue(10, [sl.string], [[]])
        put = q.enqueue_many([[30, 10, 20], ["c", "a", "b"]])
        get = q.dequeue()
    with sl.Session(g) as s:
        s.run(put)
        got = [s.run(get) for _ in range(3)]
    assert [p.item() for p, _ in got] == [10, 20, 30]


def test_wrong_values():
    with pytest.raises(RuntimeError, match="needs a graph"):
        sl.FIFOQueue(1, sl.float32)
    with sl.Graph():
        q = sl.FIFOQueue(1, [sl.float32, sl.int32])
        with pytest.raises(ValueError, match="got 3 values"):
            q.enqueue([1, 2, 3])
        with pytest.raises(ValueError, match="i32"):
            q.enqueue([1.0, 2.5])
        with pytest.raises(TypeError):
            sl.FIFOQueue(1, "nonsense")
        with pytest.raises(ValueError):
            sl.FIFOQueue(-7, sl.float32)


def test_waiting_does_not_hold_the_gil():
    with sl.Graph() as g:
        q = sl.FIFOQueue(1, sl.int32, [[]])
        put, get = q.enqueue(5), q.dequeue()
    with sl.Session(g) as s:
        got = []
        thread = threading.Thread(target=lambda: got.append(s.run(get, options=LIMIT)))
        thread.start()
        s.run(put, options=LIMIT)
        thread.join()
    assert got[0].item() == 5


def test_runner_fills_until_the_end():
    with sl.Graph() as g:
        source = sl.FIFOQueue(10, sl.float32, [[]])
        load, seal = source.enqueue_many([[1, 2, 3, 4]]), source.close()
        q = sl.FIFOQueue(2, sl.float32, [[]])
        runner = sl.QueueRunner(q, [q.enqueue(source.dequeue() * 10)] * 2)
        get = q.dequeue()
    with sl.Session(g) as s:
        s.run(load)
        s.run(seal)
        coord = sl.Coordinator()
        threads = runner.create_threads(s, coord)
        got = []
        with pytest.raises(IndexError):
            while True:
                got.append(s.run(get, options=LIMIT).item())
        coord.join(threads)
        assert sorted(got) == [10, 20, 30, 40]
        assert coord.joined


def test_exceptions_of_runners_come_out_of_join():
    with sl.Graph() as g:
        q = sl.FIFOQueue(2, sl.float32, [[]])
        v = sl.Variable(1.0, name="never_set")
        runner = sl.QueueRunner(q, q.enqueue(v))
        get = q.dequeue()
    with sl.Session(g) as s:
        coord = sl.Coordinator()
        threads = runner.create_threads(s, coord)
        with pytest.raises(IndexError):  # closed by the runner
            s.run(get, options=LIMIT)
        with pytest.raises(RuntimeError, match="never_set"):
            coord.join(threads)


def test_stop_wakes_runners_that_wait():
    with sl.Graph() as g:
        q = sl.FIFOQueue(1, sl.float32, [[]])
        runner = sl.QueueRunner(q, [q.enqueue(1.0)] * 3)
        get = q.dequeue()
    with sl.Session(g) as s:
        coord = sl.Coordinator()
        threads = runner.create_threads(s, coord)
        assert s.run(get, options=LIMIT).item() == 1
        coord.request_stop()
        coord.join(threads)
        assert not any(t.is_alive() for t in threads)


def test_coordinator():
    coord = sl.Coordinator()
    assert not coord.should_stop()
    assert not coord.wait_for_stop(0.001)

    def work():
        with coord.stop_on_exception():
            raise KeyError("lost")

    thread = threading.Thread(target=work)
    coord.register_thread(thread)
    thread.start()
    assert coord.wait_for_stop(60)
    with pytest.raises(KeyError, match="lost"):
        coord.join()
    coord.clear_stop()
    assert not coord.should_stop()
    with pytest.raises(TypeError):
        coord.request_stop("no exception")
    waiting = threading.Event()
    stuck = threading.Thread(target=waiting.wait)
    stuck.start()
    coord.request_stop()
    with pytest.raises(RuntimeError, match="1 threads still run"):
        coord.join([stuck], stop_grace_period_secs=0)
    coord.join([stuck], stop_grace_period_secs=0, ignore_live_threads=True)
    waiting.set()
    stuck.join()


def test_runner_arguments():
    with sl.Graph():
        q = sl.FIFOQueue(1, sl.float32)
        with pytest.raises(ValueError, match="empty"):
            sl.QueueRunner(q, [])
        with pytest.raises(TypeError, match="holds a int"):
            sl.QueueRunner(q, [3])


def test_tables():
    with sl.Graph() as g:
        table = sl.HashTable(sl.string, sl.float32)
        insert = table.insert(["a", "b"], [1.0, 2.0])
        find = table.find(["b", "z"], -1)
        erase, size = table.erase(["a"]), table.size()
        keys, values = table.export()
    with sl.Session(g) as s:
        s.run(insert)
        assert s.run(find).tolist() == [2, -1]
        s.run(erase)
        assert s.run(size).item() == 1
        assert s.run(values).tolist() == [2]
        assert s.run(keys).shape == (1,)


def test_accumulators():
    with sl.Graph() as g:
        acc = sl.Accumulator(sl.float32, [2])
        x = sl.placeholder(sl.float32, [2])
        put, take = acc.apply_grad(x), acc.take_grad(2)
        count = acc.num_accumulated()
    with sl.Session(g) as s:
        s.run(put, {x: [1, 2]})
        s.run(put, {x: [3, 6]})
        assert s.run(count).item() == 2
        assert s.run(take, options=LIMIT).tolist() == [2, 4]


def test_barriers():
    with sl.Graph() as g:
        b = sl.Barrier([sl.float32, sl.int64], [[], []])
        first = b.insert_many(0, ["k", "l"], [1.0, 2.0])
        second = b.insert_many(1, ["k"], [7])
        keys, (x, y) = b.take_many(1)
        ready, missing = b.ready_size(), b.incomplete_size()
    with sl.Session(g) as s:
        s.run(first)
        s.run(second)
        assert [t.item() for t in s.run([ready, missing])] == [1, 1]
        assert [t.tolist() for t in s.run([x, y], options=LIMIT)] == [[1], [7]]


def test_mutexes():
    with sl.Graph() as g:
        mutex = sl.Mutex()
        v = sl.Variable(0.0)
        with mutex.critical() as done:
            read = v.read()
            done.append(v.assign(sl.sleep(read, micros=100) + 1))
        init = sl.initialize_variables()
    with sl.Session(g) as s:
        s.run(init)
        step = s.prepare(done[-1])
        threads = [
            threading.Thread(target=lambda: [step(options=LIMIT) for _ in range(5)])
            for _ in range(4)
        ]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert s.run(v).item() == 20


def test_stacks():
    with sl.Graph() as g:
        stack = sl.Stack(sl.float32)
        a = stack.push(1.0)
        b = stack.push(2.0)
        last, first = stack.pop(), stack.pop()
    with sl.Session(g) as s:
        for _ in range(2):
            got = s.run([a, b, last, first])
            assert [t.item() for t in got] == [1, 2, 2, 1]
    now = sl.Stack(sl.int64)
    now.push(3)
    assert now.pop().item() == 3


def test_state_needs_a_graph():
    for make in [
        lambda: sl.HashTable(sl.int64, sl.float32),
        lambda: sl.Accumulator(sl.float32),
        lambda: sl.Barrier([sl.float32], [[]]),
        sl.Mutex,
    ]:
        with pytest.raises(RuntimeError, match="needs a graph"):
            make()
