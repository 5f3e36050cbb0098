"""Sessions that choose devices by the cost model, or insist on those named."""

import numpy as np
import pytest

import sluice as sl


@pytest.fixture(scope="module", autouse=True)
def there_are_some():
    sl.devices.add_simulated(2)


@pytest.fixture
def chain():
    """Four products worth a copy to a device and back: graph, x, y, a feed."""
    with sl.Graph() as graph, sl.device("cpu:0"):
        x = sl.placeholder(sl.float32, [256, 256], name="x")
    with graph:
        y = x
        for _ in range(4):
            y = y @ x
    fed = np.random.RandomState(1).rand(256, 256).astype("float32") / 256
    return graph, x, y, fed


def test_the_search_is_asked_for(chain):
    graph, x, y, fed = chain
    plain, searching = sl.Session(graph), sl.Session(graph, place="search")
    told = searching.explain(y, {x: fed})
    assert told.count("-> /device:sim:0: finishes earliest") == 4, told
    assert "predicted" in told
    assert "finishes earliest" not in plain.explain(y, {x: fed})
    host = sl.Session(graph, place="default")
    a, b = host.run(y, {x: fed}), searching.run(y, {x: fed})
    assert a.cpu().numpy().tobytes() == b.cpu().numpy().tobytes()


def test_the_limit_of_a_device_counts(chain):
    graph, x, y, fed = chain
    sl.devices.set_memory_limit("sim:0", 256 * 256 * 4)
    try:
        told = sl.Session(graph, place="search").explain(y, {x: fed})
    finally:
        sl.devices.set_memory_limit("sim:0", 4 << 30)
    assert told.count("-> /device:sim:1: finishes earliest") == 4, told


def test_not_soft():
    with sl.Graph() as graph:
        with sl.device("sim:77"):
            lost = sl.placeholder(sl.float32, [], name="x") * 2.0
    assert sl.Session(graph).run(lost, {"x:0": 3.0}).item() == 6
    assert "fell back" in sl.Session(graph).explain(lost, {"x:0": 3.0})
    with pytest.raises(
        LookupError, match='asks for device "/device:sim:77", which is not there'
    ):
        sl.Session(graph, soft=False).run(lost, {"x:0": 3.0})


def test_what_is_no_choice():
    with sl.Graph() as graph:
        sl.placeholder(sl.float32, [], name="x")
    with pytest.raises(
        ValueError,
        match=r'Session\(\): place is "best"; wanted "default" or "search"',
    ):
        sl.Session(graph, place="best")
    with pytest.raises(NotImplementedError, match="sessions of this process"):
        sl.Session(graph, target="grpc://localhost:1", soft=False)
