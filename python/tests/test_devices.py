"""Devices: names, memory, tensors on them, functions and sessions over several."""

import os
import subprocess
import sys

import numpy as np
import pytest

import sluice as sl


@pytest.fixture(scope="module", autouse=True)
def there_are_some():
    sl.devices.add_cpus(2)
    sl.devices.add_simulated(2)


DEVICES = ("cpu", "cpu:1", "sim:0", "sim:1")


@sl.function
def _ones_on(x, name):
    with sl.device(name):
        return x + sl.ones(1)


def test_names():
    names = sl.devices.all()
    assert names[0] == "cpu" and set(DEVICES) <= set(names)
    assert sl.device("sim:1").type == "sim" and sl.device("sim:1").index == 1
    for bad in ("tpu:0", "sim:x"):
        with pytest.raises(ValueError, match="device"):
            sl.ones(2, device=bad)
    with pytest.raises(ValueError, match='there is no device "sim:99"'):
        sl.ones(2).to("sim:99")
    for name in ("sim:99", "/job:worker/task:1"):
        with pytest.raises(ValueError, match="device"):
            with sl.device(name):
                sl.ones(2)
        with pytest.raises(ValueError, match="device"):
            _ones_on(sl.tensor([1.0]), name)


@pytest.mark.parametrize("device", DEVICES)
def test_tensors_on_a_device(device):
    x = sl.arange(6, dtype=sl.float32, device=device).reshape(2, 3)
    assert x.device == device
    assert (x @ x.T).device == device
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert x.sum().item() == 15 and float(x[1, 2]) == 5 and bool((x >= 0).all())
    assert x.cpu().numpy().tolist() == x.tolist()
    assert x.to(sl.zeros(1)).device == "cpu"
    assert sl.zeros_like(x).device == device
    assert ("device=" in repr(x)) == (device != "cpu")


def test_the_host_gets_a_copy_of_a_device_s_memory():
    x = sl.ones(2, device="sim:0")
    seen = x.numpy()
    assert seen.tolist() == [1, 1] and np.asarray(x * 2).tolist() == [2, 2]
    with pytest.raises(ValueError, match="read-only"):
        seen[0] = 3
    with pytest.raises(TypeError, match=r"__dlpack__\(\) of a tensor on /device:sim:0"):
        x.__dlpack__()


def test_operands_on_two_devices():
    a, b = sl.ones(2, device="sim:0"), sl.ones(2)
    with pytest.raises(ValueError, match="/device:sim:0.*/device:cpu:0"):
        a + b
    assert (a * 2 + sl.tensor(1.0)).tolist() == [3, 3]


@pytest.mark.parametrize("device", DEVICES)
def test_gradients_of_a_module_are_where_it_is(device):
    def run(device):
        sl.manual_seed(3)
        net = sl.nn.Sequential(sl.nn.Linear(4, 8), sl.nn.Tanh(), sl.nn.Linear(8, 3))
        x, y = sl.rand(16, 4), sl.randint(0, 3, (16,))
        net.to(device)
        loss = sl.nn.functional.cross_entropy(net(x.to(device)), y.to(device))
        loss.backward()
        assert all(p.grad.device == p.device == device for p in net.parameters())
        return loss.item(), [p.grad.tolist() for p in net.parameters()]

    assert run(device) == run("cpu")


def train(device, captured, make):
    sl.manual_seed(3)
    net = sl.nn.Sequential(sl.nn.Linear(4, 8), sl.nn.Tanh(), sl.nn.Linear(8, 3))
    x, y = sl.rand(16, 4).to(device), sl.randint(0, 3, (16,)).to(device)
    net.to(device)
    optimizer = make(net.parameters())

    def step(x, y):
        optimizer.zero_grad()
        loss = sl.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    run = sl.function(step) if captured else step
    losses = [run(x, y).item() for _ in range(4)]
    assert all(p.device == device for p in net.parameters())
    return losses, [p.tolist() for p in net.parameters()]


@pytest.mark.parametrize("captured", (False, True))
@pytest.mark.parametrize("device", DEVICES[1:])
def test_training_gives_the_same_bits(device, captured):
    for make in (
        lambda ps: sl.optim.SGD(ps, lr=0.1, momentum=0.9),
        lambda ps: sl.optim.Adam(ps, lr=0.05),
    ):
        assert train(device, captured, make) == train("cpu", captured, make)


@pytest.mark.parametrize("device", DEVICES)
def test_a_function_runs_where_its_arguments_are(device):
    @sl.function
    def grow(x, n):
        while x.sum() < n:
            x = x * 2 + 1
        return x

    x = sl.arange(3, dtype=sl.float32)
    got = grow(x.to(device), 100.0)
    assert got.device == device and got.tolist() == grow(x, 100.0).tolist()


def test_a_function_is_recorded_for_the_devices_of_its_arguments():
    seen = []

    @sl.function
    def step(x):
        seen.append(str(x.device))
        y = sl.arange(3, dtype=sl.float32, device=x.device) + x
        if x.device == "sim:0":
            y = y * 2
        return y + sl.ones_like(x)

    for _ in range(2):
        for device in DEVICES:
            x = sl.ones(3, device=device)
            want = [3, 5, 7] if device == "sim:0" else [2, 3, 4]
            got = step(x)
            assert got.device == device and got.tolist() == want
    assert seen == 2 * list(DEVICES)
    with pytest.raises(ValueError, match="/device:sim:0.*/device:cpu:0"):
        sl.function(lambda a, b: a + b)(sl.ones(2, device="sim:0"), sl.ones(2))


RECORDED_BEFORE = """
import sluice as sl

step = sl.function(lambda x: x.to("cpu") * 2)
assert step(sl.ones(2)).device == "cpu"
sl.devices.add_simulated(1)
assert step(sl.ones(2, device="sim:0")).device == "cpu"
there = sl.function(lambda x: x.to("sim:0") * 2)
got = there(sl.ones(2))
assert got.device == "sim:0" and got.tolist() == [2, 2]
"""


def test_a_function_recorded_before_there_were_devices():
    subprocess.run([sys.executable, "-c", RECORDED_BEFORE], check=True)


@pytest.mark.parametrize("device", DEVICES)
def test_lanes_and_gradients_of_gradients(device):
    def run(device):
        x = sl.linspace(-1, 2, 6).reshape(2, 3).to(device).requires_grad_()
        lanes = sl.vmap(lambda v: (sl.tanh(v) * v).sum())(x)
        slope = sl.autograd.grad((x.exp() * x).sum(), x, create_graph=True)
        slope = slope[0] if isinstance(slope, (list, tuple)) else slope
        (slope * slope).sum().backward()
        assert lanes.device == slope.device == x.grad.device == device
        return lanes.tolist(), x.grad.tolist()

    assert run(device) == run("cpu")


def test_operations_beside_another():
    graph = sl.Graph()
    with graph.as_default():
        x = sl.placeholder(sl.float32, [2])
        with sl.device("sim:1"):
            a = x * 2
        with sl.colocate_with(a):
            b = x + 1
        c = sl.tanh(x)
        with sl.colocate_with(c.op):
            d = sl.exp(x)
    assert b.op.device == a.op.device and d.op.device == "@" + c.op.name
    with sl.Session(graph) as session:
        got = session.run([b, d], {x: np.zeros(2, np.float32)})
    assert got[0].tolist() == [1, 1] and got[1].tolist() == [1, 1]
    with sl.colocate_with(sl.ones(1, device="sim:0")):
        assert sl.zeros(3).device == "sim:0"
    with pytest.raises(TypeError, match="wanted a Tensor, a Variable or an Operation"):
        sl.colocate_with(3)


def test_variables_lie_on_devices():
    for device in DEVICES:
        graph = sl.Graph()
        with graph.as_default(), sl.device(device):
            v = sl.Variable(sl.tensor([1.0, 2.0]), name="v")
            add = v.assign_add(sl.tensor([0.5, 0.25]))
            init = sl.initialize_variables()
        with sl.Session(graph) as session:
            session.run(init)
            for _ in range(3):
                session.run(add)
            assert session.run(v).tolist() == [2.5, 2.75]


def test_a_step_waits_for_the_work_that_makes_what_it_is_fed():
    # Made by work that is still to come when the step begins.
    made = sl.ones(64, device="sim:0")
    for _ in range(8):
        made = made + 1
    fed = sl.tensor(np.arange(24, dtype="float32")).to("sim:0")
    with sl.Graph() as graph:
        x = sl.placeholder("float32", [None])
        results = [x[:12], x.reshape(-1), sl.identity(x)]
    with sl.Session(graph) as session:
        for r in results:
            got = session.run(r, {x: fed}).numpy()
            assert (got == np.arange(len(got))).all()
            assert (session.run(r, {x: made}).numpy() == 9).all()


def test_texts_that_decide_name_the_device():
    def text(x):
        try:
            int(str(x))
        except ValueError as error:
            return x, str(error)

    for device in ("cpu", "sim:1"):
        x = sl.ones(1, device=device)
        for _ in range(2):
            assert sl.function(text)(x)[1] == text(x)[1]


DEFAULT = """
import sluice as sl

assert sl.zeros(2).device == "sim:0" and sl.tensor([1, 2]).device == "sim:0"
net = sl.nn.Linear(3, 2)
assert all(p.device == "sim:0" for p in net.parameters())
net(sl.rand(4, 3)).sum().backward()
assert all(p.grad.device == "sim:0" for p in net.parameters())
"""


def test_what_names_no_device_goes_where_the_environment_says():
    env = dict(os.environ, SLUICE_DEVICE="sim:0")
    subprocess.run([sys.executable, "-c", DEFAULT], check=True, env=env)


def test_sessions_over_several_devices():
    graph = sl.Graph()
    with graph.as_default():
        x = sl.placeholder(sl.float32, [3])
        with sl.device("sim:0"):
            a = x * 2
        with sl.device("cpu:1"):
            b = a + x
        with sl.device("sim:1"):
            c = sl.tanh(b)
    with sl.Session(graph) as session:
        fed = np.array([1, -2, 0.5], np.float32)
        got = session.run(c, {x: fed})
    assert np.array_equal(got, sl.tanh(sl.tensor(fed) * 3).numpy())


def test_memory_is_counted_and_limited():
    before = sl.devices.memory("sim:1")["bytes_in_use"]
    x = sl.zeros(1000, device="sim:1")
    assert sl.devices.memory("sim:1")["bytes_in_use"] == before + 4000
    sl.devices.set_memory_limit("sim:1", before + 5000)
    try:
        with pytest.raises(MemoryError, match="out of memory"):
            x + x
        assert x.sum().item() == 0
    finally:
        sl.devices.set_memory_limit("sim:1", 4 << 30)
    del x
    assert sl.devices.memory("sim:1")["bytes_in_use"] == before


def test_memory_is_told_before_a_run():
    graph = sl.Graph()
    with graph.as_default(), sl.device("sim:0"):
        x = sl.placeholder(sl.float32, [256])
        n = sl.placeholder(sl.int64, [])

        def body(i, v):
            return i + 1, sl.tanh(v)

        _, last = sl.while_loop(lambda i, v: i < n, body, sl.constant(0, sl.int64), x)
        (slope,) = sl.gradients(sl.sum(last), [x])
    with sl.Session(graph) as session:
        feeds = {x: np.ones(256, np.float32), n: 10}
        plan = session.plan_memory(slope, feeds)
    assert "/device:sim:0" in plan.devices
    more = plan.peak_bytes("sim:0", 200) - plan.peak_bytes("sim:0", 100)
    assert more == 100 * 1024
    assert "1.0 KiB*T" in plan.formula("sim:0")
    assert plan.unknown == []
    assert "test_devices.py:" in str(plan)


def test_memory_of_a_function_is_told_before_a_call():
    @sl.function
    def f(x):
        return sl.exp(x) @ x

    plan = f.plan_memory(sl.ones(64, 64))
    assert plan.peak_bytes("cpu:0") >= 2 * 64 * 64 * 4
    assert plan.devices == ["/device:cpu:0"]


def test_out_of_memory_lists_what_is_in_use_by_line():
    before = sl.devices.memory("sim:1")["bytes_in_use"]
    x = sl.zeros(1000, device="sim:1")
    y = sl.exp(x)
    sl.devices.set_memory_limit("sim:1", before + 9000)
    try:
        with pytest.raises(MemoryError) as caught:
            x + y
        text = str(caught.value)
        assert "out of memory on /device:sim:1" in text
        assert "made by Exp at test_devices.py:" in text
    finally:
        sl.devices.set_memory_limit("sim:1", 4 << 30)
    del x, y


def test_a_long_function_stays_on_its_device():
    # So many steps lie between a gradient and what says where it is that nobody
    # follows them all: that is no reason to believe it is on the host.
    def run(device):
        sl.manual_seed(1)
        cell = sl.nn.LSTMCell(3, 3).to(device)
        optimizer = sl.optim.SGD(cell.parameters(), lr=0.1)
        xs = sl.rand(24, 2, 3).to(device)
        h = c = sl.zeros(2, 3).to(device)

        @sl.function
        def step(xs, h, c):
            optimizer.zero_grad()
            for t in range(24):
                h, c = cell(xs[t], (h, c))
            loss = (h * h).mean()
            loss.backward()
            optimizer.step()
            return loss

        return [step(xs, h, c).item() for _ in range(2)]

    assert run("sim:0") == run("cpu")
