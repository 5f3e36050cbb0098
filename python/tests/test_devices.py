"""Devices: names, memory, tensors on them, functions and sessions over several."""

import numpy as np
import pytest

import sluice as sl


@pytest.fixture(scope="module", autouse=True)
def there_are_some():
    sl.devices.add_cpus(2)
    sl.devices.add_simulated(2)


DEVICES = ("cpu", "cpu:1", "sim:0", "sim:1")


def test_names():
    names = sl.devices.all()
    assert names[0] == "cpu" and set(DEVICES) <= set(names)
    assert sl.device("sim:1").type == "sim" and sl.device("sim:1").index == 1
    for bad in ("tpu:0", "sim:x"):
        with pytest.raises(ValueError, match="device"):
            sl.ones(2, device=bad)
    with pytest.raises(ValueError, match='there is no device "sim:99"'):
        sl.ones(2).to("sim:99")


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


def test_the_host_cannot_share_a_device_s_memory():
    x = sl.ones(2, device="sim:0")
    with pytest.raises(TypeError, match=r"numpy\(\) of a tensor on /device:sim:0"):
        x.numpy()


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
