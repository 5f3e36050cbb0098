"""Sessions over real processes of this machine."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys

import numpy as np
import pytest

import sluice as sl

try:
    with sl.cluster.local(1):
        pass
except (NotImplementedError, FileNotFoundError, KeyError, LookupError) as error:
    pytest.skip(f"no cluster part: {error}", allow_module_level=True)


@pytest.fixture(scope="module")
def two():
    with sl.cluster.local(2) as cluster:
        yield cluster


def test_a_loop_over_two_tasks_learns_what_one_learns(two):
    def build(device):
        graph = sl.Graph()
        with graph.as_default():
            with device(1):
                w = sl.Variable(np.float32(0.5), name="w")
                scale = w * 1.0
            x = sl.placeholder(sl.float32, [])

            def body(i, y):
                with device(0):
                    y = y * scale
                with device(1):
                    y = sl.sin(y) + x
                return i + 1, y

            _, y = sl.while_loop(lambda i, y: i < 7, body, sl.constant(0), x)
            (g,) = sl.gradients(y, [x])
            init = sl.global_variables_initializer()
        return graph, x, y, g, init

    results = []
    for target in ("", two.target(), two.target(1)):
        def device(task, target=target):
            return sl.device(two.task(task)) if target else contextlib.nullcontext()

        graph, x, y, g, init = build(device)
        with sl.Session(graph, target=target) as session:
            session.run(init)
            got = session.run([y, g], {x: 0.3})
            step = session.prepare([y, g], [x])
            again = step(0.3)
            results.append([float(v) for v in [*got, *again]])
            if target:
                session.reset()
    assert results[0] == results[1] == results[2]


def test_errors_name_the_task_and_the_line(two):
    graph = sl.Graph()
    with graph.as_default():
        x = sl.placeholder(sl.float32, [None])
        with sl.device(two.task(1)):
            y = sl.reshape(x, [2, 2])
    with sl.Session(graph, target=two.target()) as session:
        with pytest.raises(ValueError, match="task:1") as error:
            session.run(y, {x: np.zeros(3, np.float32)})
        assert "test_cluster.py" in str(error.value)
        assert session.run(y, {x: np.zeros(4, np.float32)}).shape == (2, 2)


def test_a_trace_shows_all_tasks(two, tmp_path):
    graph = sl.Graph()
    with graph.as_default():
        x = sl.placeholder(sl.float32, [])
        with sl.device(two.task(0)):
            y = x * 2.0
        with sl.device(two.task(1)):
            z = sl.sin(y)
    with sl.Session(graph, target=two.target()) as session:
        metadata = sl.RunMetadata()
        session.run(
            z, {x: 1.0}, options=sl.RunOptions(trace=True), run_metadata=metadata
        )
        metadata.save_trace(tmp_path / "trace.json")
        events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    tasks = {e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert {f"{two.task(k)}/device:cpu:0" for k in (0, 1)} <= tasks


def runs(cluster):
    return [
        cluster.status(k)["gauges"]["runs_total"] for k in range(len(cluster))
    ]


def test_a_captured_function_over_tasks_trains_as_in_one_process(two):
    def train(device):
        w = sl.tensor([0.5, -1.0], requires_grad=True)

        @sl.function
        def step(x):
            y = x
            for _ in range(3):
                with device(0):
                    y = sl.sin(y * w)
                with device(1):
                    y = y + x
            loss = sl.sum(y * y)
            w.grad = None
            loss.backward()
            with sl.no_grad():
                w.sub_(0.125 * w.grad)
            return loss

        losses = [float(step(sl.tensor([0.25, k]))) for k in (1.0, 2.0, 3.0)]
        return losses, w.tolist(), w.grad.tolist()

    here = train(lambda task: contextlib.nullcontext())
    before = runs(two)
    with two.connect():
        assert train(lambda task: sl.device(two.task(task))) == here
    assert runs(two) == [n + 3 for n in before], "a call is one step"


def test_gradients_flow_through_a_captured_function_over_tasks(two):
    @sl.function
    def cube(x):
        with sl.device(two.task(1)):
            return x * x * x

    with two.connect(1):
        x = sl.tensor([2.0, 3.0], requires_grad=True)
        (cube(x) * 2.0).sum().backward()
        assert x.grad.numpy().tolist() == [24.0, 54.0]


def random_program(seed, device, captured=True):
    """Twelve ops on random tasks, with a loop and a branch; what it computes
    and its gradients."""
    rng = np.random.default_rng(seed)
    steps = [
        (int(rng.integers(6)), *rng.integers(0, 2 + k, 2), int(rng.integers(2)))
        for k in range(12)
    ]
    rounds = int(rng.integers(0, 4))
    w = sl.tensor(rng.normal(size=3).astype(np.float32), requires_grad=True)

    def f(x):
        values = [x, w]
        for op, a, b, task in steps:
            a, b = values[int(a)], values[int(b)]
            with device(task):
                if op == 0:
                    y = a * b
                elif op == 1:
                    y = sl.sin(a) + b
                elif op == 2:
                    y = sl.tanh(a - b)
                elif op == 3:
                    y = sl.cond(a.sum() > b.sum(), lambda a=a: a * 2.0, lambda b=b: b)
                elif op == 4:
                    y = sl.while_loop(
                        lambda i, y: i < rounds,
                        lambda i, y, b=b: (i + 1, sl.cos(y) * b),
                        sl.constant(0),
                        a,
                    )[1]
                else:
                    y = sl.uniform([3]) * a
            values.append(y)
        return sum(values[2:], start=x)

    sl.manual_seed(seed)
    x = sl.tensor(rng.normal(size=3).astype(np.float32), requires_grad=True)
    y = (sl.function(f) if captured else f)(x)
    y.sum().backward()
    return [t.detach().numpy().tobytes() for t in (y, x.grad, w.grad) if t is not None]


@pytest.mark.parametrize("seed", range(12))
def test_random_functions_over_tasks_are_equal_to_the_bit(two, seed):
    here = random_program(seed, lambda task: contextlib.nullcontext())
    with two.connect(seed % 2):
        there = random_program(seed, lambda task: sl.device(two.task(task)))
    assert there == here


@pytest.mark.parametrize("seed", range(6))
def test_random_calls_over_tasks_are_equal_to_the_bit(two, seed):
    here = random_program(seed, lambda task: contextlib.nullcontext(), False)
    with two.connect(seed % 2):
        there = random_program(seed, lambda task: sl.device(two.task(task)), False)
    assert there == here


def test_a_call_in_the_scope_of_a_task_is_computed_there(two):
    def runs():
        return sl.cluster.status(two.target(1))["gauges"]["runs_total"]

    a = sl.tensor([[1.0, 2.0], [3.0, 4.0]])
    layer = sl.nn.Linear(2, 3)
    with pytest.raises(ValueError, match="no cluster is connected"):
        with sl.device(two.task(1)):
            pass
    with two.connect():
        before = runs()
        with sl.device(two.task(1)):
            y = a @ a
        assert runs() == before + 1
        assert y.device.type == "cpu"
        with sl.device(two.task(1)):
            got = layer(a)
        assert runs() > before + 1
        np.testing.assert_array_equal(got.detach().numpy(), layer(a).detach().numpy())
        with pytest.raises((ValueError, IndexError), match="task:1") as error:
            with sl.device(two.task(1)):
                sl.gather(sl.tensor([3.0, 4.0]), sl.tensor([7]))
        assert "test_cluster.py" in str(error.value)
        # What is not in the scope stays here.
        before = runs()
        assert (y + 1).sum().item() == 58.0
        assert runs() == before


def test_captured_functions_over_tasks_refuse_what_tasks_cannot_do(two):
    @sl.function
    def f(i):
        with sl.device(two.task(1)):
            return sl.gather(sl.tensor([3.0, 4.0]), i)

    with pytest.raises(ValueError, match="no cluster is connected"):
        f(sl.tensor([1]))
    with two.connect() as connection:
        assert connection.target == two.target()
        assert "its device is \"/job:worker/task:1\"" in f.explain(sl.tensor([1]))
        plan = f.plan_memory(sl.tensor([1]))
        assert set(plan.devices) == {f"{two.task(t)}/device:cpu:0" for t in (0, 1)}
        assert plan.peak_bytes(two.task(1)) > 0
        assert f(sl.tensor([1])).numpy().tolist() == [4.0]
        with pytest.raises((ValueError, IndexError), match="task:1") as error:
            f(sl.tensor([7]))
        assert "test_cluster.py" in str(error.value)
    with pytest.raises(RuntimeError, match="no cluster is connected"):
        f(sl.tensor([0]))
    with pytest.raises(Exception, match="wanted such as"):
        sl.cluster.connect("nowhere")


def test_partial_runs_and_explain_over_tasks(two):
    graph = sl.Graph()
    with graph.as_default():
        a = sl.placeholder(sl.float32, [])
        b = sl.placeholder(sl.float32, [None])
        with sl.device(two.task(1)):
            y = a * a
        with sl.device(two.task(0)):
            z = sl.sum(b) + y
    with sl.Session(graph, target=two.target()) as session:
        for k in (1.0, 2.0):
            step = session.partial_run_setup([y, z], [a, b])
            assert float(session.partial_run(step, y, {a: k})) == k * k
            with pytest.raises(RuntimeError, match="needs a feed"):
                session.partial_run(step, z)
            assert float(step.run(z, {b: [1.0, 2.0]})) == k * k + 3.0
        text = session.explain(z, {a: 1.0, b: [1.0, 2.0]})
        assert "over 2 tasks, led by /job:worker/task:0" in text
        assert "4 bytes, to /job:worker/task:0" in text
        assert "test_cluster.py" in text


def test_feeds_and_fetches_may_be_larger_than_a_message():
    with sl.cluster.local(2, arguments=["--max-message-mib", "1"]) as cluster:
        graph = sl.Graph()
        with graph.as_default():
            x = sl.placeholder(sl.float32, [None])
            with sl.device(cluster.task(1)):
                y = -x
        with sl.Session(graph, target=cluster.target()) as session:
            given = np.arange(1 << 20, dtype=np.float32)
            assert np.array_equal(np.asarray(session.run(y, {x: given})), -given)


def test_a_killed_task_is_an_error_and_comes_back():
    with sl.cluster.local(2) as cluster:
        graph = sl.Graph()
        with graph.as_default():
            with sl.device(cluster.task(1)):
                y = sl.constant(1.0) + sl.placeholder(sl.float32, [], name="x")
        with sl.Session(graph, target=cluster.target()) as session:
            assert float(session.run(y, {"x:0": 1.0})) == 2.0
            cluster.kill(1)
            with pytest.raises(Exception, match="/job:worker/task:1"):
                session.run(y, {"x:0": 1.0})
            cluster.restart(1)
            assert float(session.run(y, {"x:0": 1.0})) == 2.0
        assert cluster.status(1)["gauges"]["worker_running"] == 0


def test_servers_end_with_the_process_that_started_them():
    program = (
        "import sluice as sl, sys\n"
        "cluster = sl.cluster.local(2)\n"
        "print(cluster.process(0), cluster.process(1), flush=True)\n"
        "sys.stdin.read()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    processes = [int(word) for word in child.stdout.readline().split()]
    assert all(processes)
    child.send_signal(signal.SIGKILL)
    child.wait()
    for process in processes:
        try:
            watched = os.pidfd_open(process)
        except ProcessLookupError:
            continue  # it has ended
        # Long for a machine that does other things, too.
        assert select.select([watched], [], [], 60)[0], "it is still there"
        os.close(watched)


def test_bad_targets_are_told():
    graph = sl.Graph()
    with pytest.raises(ValueError, match="wanted such as"):
        sl.Session(graph, target="here")
    with pytest.raises(Exception, match="cannot be reached"):
        sl.Session(graph, target="grpc://127.0.0.1:1")
    with pytest.raises(ValueError, match="a cluster of 0 tasks"):
        sl.cluster.local(0)
    with pytest.raises(ValueError, match="sluice launch"):
        sl.cluster.target()
