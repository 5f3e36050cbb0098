"""Pickles and copies of tensors, and tensors that go to other processes."""

import copy
import gc
import glob
import multiprocessing as mp
import os
import pickle

import numpy as np
import pytest
import sluice as sl


class Special(sl.Tensor):
    """A class derived from Tensor."""


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "tensor",
    [
        sl.tensor([[1.5, 2], [3, 4]]),
        sl.arange(10)[::-2],
        sl.tensor(3, "int8"),
        sl.zeros(0, 3),
        sl.tensor([1.5, 2], "bfloat16"),
        sl.tensor([True, False]),
        sl.tensor(["a", "bc"]),
        sl.tensor(b"\x00x"),
        sl.tensor(np.array([], dtype="U1")),
        sl.rand(100, 100),
    ],
)
def test_pickle_by_value(tensor, protocol):
    back = pickle.loads(pickle.dumps(tensor, protocol))
    assert type(back) is sl.Tensor
    assert back.dtype == tensor.dtype and back.shape == tensor.shape
    assert back.tolist() == tensor.tolist()
    if tensor.dtype not in ("string", "bool"):
        back += 1  # its own, and writable
        assert back.numel() == 0 or back.tolist() != tensor.tolist()


def test_what_a_pickle_keeps():
    w = sl.ones(2, requires_grad=True)
    w.name = "weight"
    back = pickle.loads(pickle.dumps(w))
    assert back.requires_grad and back.is_leaf and back.name == "weight"
    assert not pickle.loads(pickle.dumps(w.detach())).requires_grad
    assert pickle.loads(pickle.dumps(w * 2)).is_leaf
    special = Special([1.0, 2.0])
    special.note = {"a": 1}
    special = pickle.loads(pickle.dumps(special))
    assert type(special) is Special and special.tolist() == [1, 2]
    assert special.note == {"a": 1}
    assert pickle.loads(pickle.dumps(sl.float32)) is sl.float32
    assert pickle.loads(pickle.dumps(sl.relu)) is sl.relu


def test_pickle_out_of_band():
    x = sl.rand(100, 100)
    buffers = []
    text = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(text) < 1000 and len(buffers) == 1
    assert buffers[0].raw().nbytes == 40000
    assert pickle.loads(text, buffers=buffers).tolist() == x.tolist()
    taken = bytearray(buffers[0].raw())
    y = pickle.loads(text, buffers=[taken])
    y[0, 0] = 7  # shared with what the program read it into
    assert np.frombuffer(taken, "float32")[0] == 7


def test_broken_pickles():
    rebuild = pickle.loads(pickle.dumps(sl.ones(2))).__reduce_ex__(4)[0]
    with pytest.raises(ValueError, match="wanted 8"):
        rebuild(sl.Tensor, b"123", "float32", (2,), False)
    with pytest.raises(TypeError, match="graph"):
        with sl.Graph():
            pickle.dumps(sl.placeholder(sl.float32, (2,)))


def test_copies():
    w = sl.tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    for made in (copy.copy(w), copy.deepcopy(w)):
        assert made.tolist() == [1, 2] and made.requires_grad
        assert made.data_ptr() != w.data_ptr()
    assert copy.deepcopy(w).grad.tolist() == [2, 4]
    a, b = copy.deepcopy((w, w))
    assert a is b
    assert type(copy.deepcopy(Special([1.0]))) is Special


# ---- Other processes ----


def segments(*pids):
    """What these processes have left in shared memory."""
    return [s for pid in pids for s in glob.glob(f"/dev/shm/sluice-{pid}-*")]


def double(inbox, outbox):
    import sluice as sl

    while True:
        x = inbox.get()
        if x is None:
            return
        outbox.put((x * 2, x.requires_grad))


def fill(shared, value, done):
    shared.fill_(value)
    done.put(True)


def test_queues_carry_tensors_by_shared_memory():
    context = mp.get_context("spawn")
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=double, args=(inbox, outbox))
    process.start()
    try:
        for shape in ((3,), (200, 300), (0,)):
            x = sl.rand(*shape)
            inbox.put(x)
            y, grad = outbox.get(timeout=60)
            assert not grad and y.shape == shape
            assert sl.allclose(y, x * 2)
            y += 1  # its own
        w = sl.ones(200, 300, requires_grad=True)
        inbox.put(w)
        y, grad = outbox.get(timeout=60)
        assert grad and y.requires_grad and y.sum().item() == 120000
        # As an argument of a process, and truly shared.
        shared = sl.zeros(5).share_memory_()
        assert shared.is_shared() and not sl.zeros(2).is_shared()
        other = context.Process(target=fill, args=(shared[1:3], 7.0, outbox))
        other.start()
        assert outbox.get(timeout=60)
        other.join(60)
        assert shared.tolist() == [0, 7, 7, 0, 0]
    finally:
        inbox.put(None)
        process.join(60)
    assert process.exitcode == 0
    pids = os.getpid(), process.pid, other.pid
    del x, y, shared, other
    gc.collect()
    assert not segments(*pids)


def test_pipes_carry_little():
    a, b = mp.Pipe()
    x = sl.rand(300, 300)
    from multiprocessing.reduction import ForkingPickler

    message = bytes(ForkingPickler.dumps(x))
    assert len(message) < 1000  # not the 360000 bytes of its elements
    y = pickle.loads(message)
    assert y.tolist() == x.tolist()
    with pytest.raises(FileNotFoundError):
        pickle.loads(message)  # it was taken
    a.send([x, sl.ones(2)])
    y, z = b.recv()
    assert y.tolist() == x.tolist() and z.tolist() == [1, 1]
    assert not segments(os.getpid())


def test_no_shared_memory_is_by_value(monkeypatch):
    monkeypatch.setattr(sl._core, "put_in_segment", lambda name, x: False)
    a, b = mp.Pipe()
    x = sl.rand(100, 100)
    a.send(x)
    assert b.recv().tolist() == x.tolist()
