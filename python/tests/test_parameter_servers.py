"""Variables kept by tasks and workers that train them, on real processes."""

import os
import pathlib
import runpy
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import sluice as sl
import sluice.distributed as dist
from sluice import optim

try:
    with sl.cluster.local(1):
        pass
except (NotImplementedError, FileNotFoundError, KeyError, LookupError) as error:
    pytest.skip(f"no cluster part: {error}", allow_module_level=True)

WORKERS = 2


@pytest.fixture(scope="module")
def cluster():
    """Two tasks that keep variables, and the workers'."""
    with sl.cluster.local(2 + WORKERS) as made:
        yield made


@pytest.fixture
def graph(cluster):
    made = sl.Graph()
    with made.as_default():
        yield made
    with sl.Session(made, target=cluster.target()) as session:
        session.reset()


def parameter_tasks(cluster):
    return [cluster.task(0), cluster.task(1)]


def loss_of(w, b, x):
    y = sl.tanh(sl.sum(w * x) + b)
    return y * y + 0.01 * sl.sum(w * w)


def batch(worker, step):
    return np.float32([0.1 * step, 0.3 * worker, 0.7 - 0.01 * step])


def alone(steps):
    """One process, one step on all the data."""
    with sl.Graph().as_default() as graph:
        w, b = sl.Variable(np.float32([0.5, -1.5, 0.25])), sl.Variable(0.125)
        xs = [sl.placeholder(sl.float32, [3]) for _ in range(WORKERS)]
        grads = [sl.gradients(loss_of(w, b, x), [w, b]) for x in xs]
        means = []
        for k, variable in enumerate((w, b)):
            total = grads[0][k]
            for g in grads[1:]:
                total = total + g[k]
            means.append((total / float(WORKERS), variable))
        step = optim.Adam(lr=0.05).apply_gradients(means)
        init = sl.global_variables_initializer()
        with sl.Session(graph) as session:
            session.run(init)
            for i in range(steps):
                session.run(step, {x: batch(k, i) for k, x in enumerate(xs)})
            return [v.tolist() for v in session.run([w, b])]


def test_synchronous_training_is_equal_to_one_process_to_the_bit(cluster, graph):
    with dist.parameter_servers(parameter_tasks(cluster)) as servers:
        w = sl.Variable(np.float32([0.5, -1.5, 0.25]), name="w")
        b = sl.Variable(0.125, name="b")
    training = servers.synchronous(WORKERS)
    optimizer, xs = optim.Adam(lr=0.05), []
    for k in range(WORKERS):
        with sl.device(cluster.task(2 + k)), training.worker(k) as step:
            xs.append(sl.placeholder(sl.float32, [3]))
            loss = loss_of(w, b, xs[k])
            step.hand_in(optimizer.compute_gradients(loss, [w, b]))
    training.update(optimizer)
    done = [0] * WORKERS

    def feeds(worker):
        done[worker] += 1
        return {xs[worker]: batch(worker, done[worker] - 1)}

    init = sl.global_variables_initializer()
    with sl.Session(graph, target=cluster.target()) as session:
        session.run(init)
        stats = training.train(session, 12, feeds)
        got = [v.tolist() for v in session.run([w, b])]
        assert int(session.run(training.step)) == 12
    assert got == alone(12)
    assert stats["admitted"] == 12 * WORKERS and stats["dropped"] == [0] * WORKERS


def test_rows_are_changed_where_they_are(cluster, graph):
    servers = dist.parameter_servers(parameter_tasks(cluster))
    table = servers.table([7, 2], name="words")
    with sl.device(cluster.task(2)):
        ids = sl.placeholder(sl.int64, [None])
        rows = table.lookup(ids)
        step = optim.SGD(lr=1.0).minimize(sl.sum(rows), table.parts)
    init = sl.global_variables_initializer()
    with sl.Session(graph, target=cluster.target(2)) as session:
        session.run(init)
        session.run(step, {ids: [1, 4, 4]})
        even, odd = session.run(table.parts)
        assert even.tolist() == [[0, 0], [0, 0], [-2, -2], [0, 0]]
        assert odd.tolist() == [[-1, -1], [0, 0], [0, 0]]
        found = session.run(rows, {ids: [4, 0, 1]})
        assert found.tolist() == [[-2, -2], [0, 0], [-1, -1]]
        with pytest.raises(IndexError, match=r"indices\[0\]"):
            session.run(rows, {ids: [7]})
        # Rows travel, never the table.
        text = session.explain([rows, step], {ids: np.arange(3)})
        sent = [line for line in text.splitlines() if line.startswith("  sends")]
        assert any("f32[?,2]" in line for line in sent), text
        assert not any("f32[4,2]" in line or "f32[3,2]" in line for line in sent), text


def test_a_backup_worker_and_what_it_drops(cluster, graph):
    servers = dist.parameter_servers(parameter_tasks(cluster))
    with servers:
        used = sl.Variable(0.0, name="used", dtype=sl.float64)
    with sl.device(cluster.task(0)):
        queue = sl.FIFOQueue(-1, [sl.float64], [[]], shared_name="input")
    training = servers.synchronous(WORKERS, backups=1)
    for k in range(WORKERS):
        with sl.device(cluster.task(2 + k)), training.worker(k) as step:
            samples = queue.dequeue_many(2)
            step.hand_in([(sl.sum(samples), used)], [samples], queue)
    ((mean, _),) = training.means()
    training.set_update(used.assign_add(mean))
    numbers = np.arange(60.0)
    fill, left = queue.enqueue_many(numbers), queue.size()
    rest = queue.dequeue_many(left)
    init = sl.global_variables_initializer()
    with sl.Session(graph, target=cluster.target()) as session:
        session.run([init, fill])
        stats = training.train(session, 10)
        assert stats["admitted"] == 10
        assert int(session.run(left)) == 60 - 20
        back = session.run(rest).numpy().sum()
        assert back + float(session.run(used)) == numbers.sum()


def test_workers_are_at_most_so_far_ahead(cluster, graph):
    servers = dist.parameter_servers(parameter_tasks(cluster))
    with servers:
        total = sl.Variable(0.0, name="total", dtype=sl.float64)
    training = servers.asynchronous(WORKERS, bound=2)
    for k in range(WORKERS):
        with sl.device(cluster.task(2 + k)), training.worker(k) as step:
            step.append(total.assign_add(np.float64(1)))
    init = sl.global_variables_initializer()
    with sl.Session(graph, target=cluster.target()) as session:
        session.run(init)
        session.run(training.start)
        ahead = training.train(session, 20)
        assert max(ahead) <= 2
        assert float(session.run(total)) == 20 * WORKERS


def test_asynchronous_training_learns(cluster, graph):
    with dist.parameter_servers(parameter_tasks(cluster), "size") as servers:
        w = sl.Variable(np.zeros(3, np.float32), name="w")
    assert servers.bytes == [12, 0]
    training, optimizer = servers.asynchronous(WORKERS), optim.SGD(lr=0.1)
    for k in range(WORKERS):
        with sl.device(cluster.task(2 + k)), training.worker(k) as step:
            wrong = w - np.float32([1, 2, 3])
            step.append(optimizer.minimize(sl.sum(wrong * wrong), [w]))
    init = sl.global_variables_initializer()
    with sl.Session(graph, target=cluster.target()) as session:
        session.run(init)
        session.run(training.start)
        training.train(session, 60)
        np.testing.assert_allclose(session.run(w).numpy(), [1, 2, 3], atol=1e-3)


def test_an_asynchronous_worker_alone_is_fed_by_its_number(cluster, graph):
    """Others may be in processes of their own."""
    servers = dist.parameter_servers(parameter_tasks(cluster))
    with servers:
        total = sl.Variable(0.0, name="total", dtype=sl.float64)
    training = servers.asynchronous(WORKERS)
    x = sl.placeholder(sl.float64, [])
    with sl.device(cluster.task(3)), training.worker(1) as step:
        step.append(total.assign_add(x))
    init = sl.global_variables_initializer()
    with sl.Session(graph, target=cluster.target()) as session:
        session.run(init)
        session.run(training.start)
        training.train(session, 3, lambda worker: {x: np.float64(10 + worker)})
        assert float(session.run(total)) == 33


def test_a_killed_worker_is_named():
    with sl.cluster.local(3) as cluster, sl.Graph().as_default() as graph:
        servers = dist.parameter_servers([cluster.task(0)])
        with servers:
            w = sl.Variable(np.float32(1), name="w")
        training = servers.synchronous(2)
        for k in range(2):
            with sl.device(cluster.task(1 + k)), training.worker(k) as step:
                step.hand_in([(sl.sin(w.read()), w)])
        ((mean, _),) = training.means()
        training.set_update(w.assign_sub(mean))
        init = sl.global_variables_initializer()
        done = [0]

        def feeds(worker):
            if worker == 1:
                done[0] += 1
                if done[0] == 5:
                    cluster.kill(2)

        with sl.Session(graph, target=cluster.target()) as session:
            session.run(init)
            with pytest.raises(ConnectionError, match="worker 1: .*task:2"):
                training.train(session, 1000, feeds)


PROGRAM = """
    import sys
    import numpy as np
    import sluice as sl
    import sluice.distributed as dist

    role, target, *tasks = sys.argv[1:]
    with sl.Graph().as_default() as graph:
        servers = dist.parameter_servers(tasks[:1])
        with servers:
            w = sl.Variable(np.float32(8), name="w")
        training = servers.synchronous(2)
        mine = [0, 1] if role == "chief" else [int(role)]
        for k in mine:
            with sl.device(tasks[1 + k]), training.worker(k) as step:
                step.hand_in([(w.read() * np.float32(0.5), w)])
        ((mean, _),) = training.means()
        training.set_update(w.assign_sub(mean))
        init = sl.global_variables_initializer()
        with sl.Session(graph, target=target) as session:
            if role == "chief":
                session.run(init)
                chief = training.chief(session, timeout=60)
                chief.start()
                members = [chief.advance() for _ in range(3)]
                chief.finish()
                print(float(session.run(w)), members)
            else:
                print(training.work(session, int(role)))
"""


def test_workers_are_processes_of_their_own(tmp_path):
    program = tmp_path / "train.py"
    program.write_text(textwrap.dedent(PROGRAM))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    with sl.cluster.local(3) as cluster:
        tasks = [cluster.task(k) for k in range(3)]
        children = [
            subprocess.Popen(
                [sys.executable, str(program), role, cluster.target(at), *tasks],
                stdout=subprocess.PIPE,
                text=True,
                env=env,
            )
            for role, at in (("chief", 0), ("0", 1), ("1", 2))
        ]
        out = [child.communicate(timeout=120)[0].strip() for child in children]
    assert out == ["1.0 [[0, 1], [0, 1], [0, 1]]", "4", "4"]


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="wanted one of"):
        dist.parameter_servers(["/job:ps/task:0"], spread="random")
    with pytest.raises(ValueError, match="names no task"):
        dist.parameter_servers(["cpu"])
    with sl.Graph().as_default():
        servers = dist.parameter_servers(["/job:ps/task:0"])
        with pytest.raises(ValueError, match="2 of them for backup"):
            servers.synchronous(2, backups=2)
        training = servers.synchronous(2)
        with pytest.raises(RuntimeError, match="hands in no gradients"):
            with training.worker(0):
                pass
        with pytest.raises(ValueError, match="before any gradients"):
            training.means()
        with pytest.raises(ValueError, match="table"):
            servers.table([0, 3])


def test_a_scheme_of_ones_own_learns():
    root = pathlib.Path(__file__).resolve().parents[2]
    example = runpy.run_path(str(root / "examples/python/elastic_averaging.py"))
    os.environ.setdefault("SLUICE_DATA", str(root / "data"))
    assert example["train"](2, 24) > 0.6
