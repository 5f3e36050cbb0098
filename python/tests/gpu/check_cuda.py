"""The module sluice.cuda: names, memory, events, streams, precision."""

import sluice as sl
from both import raises


def test_names_of_a_device():
    x = sl.ones(2, device="cuda")
    for name in ("cuda", "cuda:0", "gpu:0", "gpu"):
        y = sl.ones(2).to(name)
        assert y.is_cuda and y.device == x.device == name
        assert str(y.device) == "cuda:0" and y.device.type == "cuda"
        assert y.device.index == 0 and hash(y.device) == hash(sl.device("cuda"))
    assert x.device != "cpu" and not x.cpu().is_cuda
    assert "device='cuda:0'" in repr(x)
    assert x.cuda() is x
    net = sl.nn.Linear(2, 2).cuda()
    assert net.weight.is_cuda and not net.cpu().weight.is_cuda


def test_figures():
    assert sl.cuda.device_count() >= 1 and sl.cuda.get_device_name()
    assert sl.cuda.get_device_capability()[0] >= 7
    free, total = sl.cuda.mem_get_info()
    assert 0 < free <= total == sl.cuda.get_device_properties("cuda").total_memory
    with raises(ValueError, "cpu"):
        sl.cuda.get_device_name("cpu")


def test_memory():
    sl.cuda.synchronize()
    before = sl.cuda.memory_allocated()
    x = sl.zeros(1 << 20, device="cuda")
    assert sl.cuda.memory_allocated() - before >= 4 << 20
    y = x + 1
    sl.cuda.synchronize()
    assert sl.cuda.max_memory_allocated() - before >= 8 << 20
    del x, y
    assert sl.cuda.memory_allocated() - before < 4 << 20
    sl.cuda.reset_peak_memory_stats()
    assert sl.cuda.max_memory_allocated() == sl.cuda.memory_allocated()
    assert sl.cuda.memory_reserved() >= sl.cuda.memory_allocated()
    sl.cuda.empty_cache()


def test_events():
    begin, end = (sl.cuda.Event(enable_timing=True) for _ in range(2))
    with raises(RuntimeError, "not recorded"):
        begin.elapsed_time(end)
    x = sl.rand(256, 256, device="cuda")
    begin.record()
    for _ in range(4):
        x = x * 0.5 + 1
    end.record()
    end.synchronize()
    assert end.query() and begin.elapsed_time(end) >= 0
    plain = sl.cuda.Event()
    plain.record()
    plain.synchronize()
    with raises(RuntimeError, "without times"):
        begin.elapsed_time(plain)


def test_streams():
    ours, other = sl.cuda.current_stream(), sl.cuda.Stream()
    assert ours == sl.cuda.current_stream() != other
    x = sl.ones(1000, device="cuda") * 3
    other.wait_stream(ours)
    event = other.record_event()
    ours.wait_event(event)
    other.synchronize()
    assert other.query() and x.sum().item() == 3000
    same = sl.cuda.ExternalStream(other.cuda_stream)
    assert same == other
    with sl.cuda.stream(ours):
        pass
    with raises(NotImplementedError, "one stream"):
        with sl.cuda.stream(other):
            pass


def test_tf32_choice():
    assert sl.cuda.get_float32_matmul_precision() == "highest"
    sl.cuda.set_float32_matmul_precision("high")
    assert sl.cuda.allow_tf32
    x = sl.ones(32, 32, device="cuda")
    assert (x @ x).sum().item() == 32.0**3
    sl.cuda.allow_tf32(False)
    assert sl.cuda.get_float32_matmul_precision() == "highest"
    with raises(ValueError, "precision"):
        sl.cuda.set_float32_matmul_precision("best")
