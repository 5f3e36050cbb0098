"""Nothing a program gives ends the process: objects that were never made,
shapes that are not known, bools that are neither, exits and forks at any time."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from sanitized import SANITIZED

import sluice as sl
from sluice import _core


def run(program, *args, timeout=120):
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program, *args],
        capture_output=True, text=True, timeout=timeout,
    )  # fmt: skip


def test_constant_of_an_unknown_shape():
    with sl.Graph():
        with pytest.raises(ValueError, match="wanted all sizes known"):
            sl.constant(1.0, shape=[None])


# Every function that takes a shape, given one that is not known.
@pytest.mark.parametrize(
    "make",
    [
        lambda s: sl.zeros(s),
        lambda s: sl.ones(s),
        lambda s: sl.full(s, 1.0),
        lambda s: sl.rand(s),
        lambda s: sl.randn(s),
        lambda s: sl.empty(s),
        lambda s: sl.ones(6).reshape(s),
        lambda s: sl.broadcast_to(sl.ones(6), s),
        lambda s: sl.constant(1.0, shape=s),
        lambda s: sl.tensor([1.0]).expand(s),
    ],
)
@pytest.mark.parametrize("shape", [[None], [2, None], [-5], [2**62, 2**62], None])
def test_shapes_that_are_none(make, shape):
    for graph in (False, True):
        with sl.Graph() if graph else sl.no_grad():
            try:
                make(shape)
            except (TypeError, ValueError, MemoryError, AttributeError):
                pass


class Forgot(sl.Tensor):
    def __init__(self):
        pass


class ForgotList(sl.List):
    def __init__(self):
        pass


@pytest.mark.parametrize(
    "use",
    [
        lambda t: t + 1,
        lambda t: 1 + t,
        lambda t: t[0],
        lambda t: t.shape,
        lambda t: t.sum(),
        lambda t: sl.sum(t),
        lambda t: sl.stack([t, t]),
        lambda t: sl.tensor([t, t]),
        lambda t: np.asarray(t),
        lambda t: repr(t),
        lambda t: float(t),
        lambda t: bool(t),
        lambda t: len(t),
        lambda t: t.backward(),
        lambda t: sl.function(lambda x: x)(t),
        lambda t: t.__setitem__(0, 1),
        lambda t: sl.ones(3).__setitem__(0, t),
        lambda t: sl.ones(3)[t],
        lambda t: sl.grad(lambda x: x.sum())(t),
    ],
)
@pytest.mark.parametrize("make", [Forgot, lambda: sl.Tensor.__new__(sl.Tensor)])
def test_a_tensor_whose_class_forgot_to_make_it(make, use):
    with pytest.raises((TypeError, AttributeError, RuntimeError, ValueError)):
        use(make())


def test_lists_and_bytes_that_were_never_made():
    leaves, _ = _core.tree_flatten([ForgotList()])
    assert len(leaves) == 1
    with pytest.raises((BufferError, TypeError)):
        memoryview(_core.ElementBytes.__new__(_core.ElementBytes))


# numpy keeps any byte in a bool; true is what is not zero, once and for all.
@pytest.mark.parametrize("n", [1, 7, 600, 100_003])
def test_bools_of_other_bytes(n):
    raw = np.zeros(n, np.uint8)
    raw[::3] = 200
    raw[1::7] = 2
    odd = raw.view(bool)
    want = raw != 0
    for mask in (sl.tensor(odd), sl.from_numpy(odd)):
        places = np.flatnonzero(want).tolist()
        assert sl.nonzero(mask).numpy().ravel().tolist() == places
        x = sl.arange(n)
        assert x[mask].numpy().tolist() == np.flatnonzero(want).tolist()
        assert sl.masked_select(x, mask).numpy().tolist() == places
        wide = sl.zeros(n, 3)
        assert wide[mask].shape == (int(want.sum()), 3)


ODD = np.array([0, 2, 255, 1], np.uint8)


def fed(odd):
    with sl.Graph() as graph:
        p = sl.placeholder(sl.bool, [4])
    return sl.Session(graph).run(p, {p: odd})


def queued(odd):
    with sl.Graph() as graph:
        p = sl.placeholder(sl.bool, [4])
        queue = sl.FIFOQueue(1, [sl.bool])
        put, got = queue.enqueue([p]), queue.dequeue()
    session = sl.Session(graph)
    session.run(put, {p: odd})
    return session.run(got)


# It was 3 that `not 2` gave, and sums counted bytes.
@pytest.mark.parametrize(
    "take",
    [sl.from_numpy, sl.tensor, sl.asarray, sl.from_dlpack, fed, queued],
    ids=lambda f: f.__name__,
)
def test_bools_of_other_bytes_wherever_they_come_from(take):
    mask, want = take(ODD.view(bool)), [False, True, True, True]
    plain = sl.tensor(want)
    assert str(mask) == str(plain) and mask.tolist() == want
    assert (~mask).tolist() == [not v for v in want]
    assert (mask ^ plain).tolist() == [False] * 4
    assert (mask == plain).tolist() == [True] * 4
    assert (mask & plain).tolist() == want
    assert mask.sum().item() == sl.count_nonzero(mask).item() == 3
    assert mask.to(sl.int64).tolist() == [0, 1, 1, 1]
    assert (mask * 2.5).tolist() == [0, 2.5, 2.5, 2.5]
    assert mask.cumsum(0).tolist() == [0, 1, 2, 3]
    assert sl.unique(mask).tolist() == [False, True]
    assert sl.argsort(mask, stable=True).tolist() == [0, 1, 2, 3]
    assert sl.function(lambda x: x ^ plain)(mask).tolist() == [False] * 4
    assert sl.function(lambda x: x.sum())(mask).item() == 3


# The text of 255 was read far behind the words for true and false.
def test_bools_that_others_write_later_are_printed():
    a = np.zeros(4, bool)
    made = sl.from_numpy(a)
    a.view(np.uint8)[:] = ODD
    assert str(made) == str(sl.tensor([False, True, True, True]))


def test_a_fed_bool_of_another_byte_chooses_its_branch():
    with sl.Graph() as graph:
        p = sl.placeholder(sl.bool, [])
        y = sl.cond(p, lambda: sl.constant(1.0), lambda: sl.constant(2.0))
    assert sl.Session(graph).run(y, {p: ODD.view(bool)[2]}).item() == 1.0
    assert sl.Session(graph).run(y, {p: ODD[1:2].view(bool).reshape(())}).item() == 1.0


# All of x went into 4 bytes; of two elements the result was the first.
@pytest.mark.parametrize("n", [1, 2, 2000])
def test_reshape_by_an_empty_vector_that_is_fed(n):
    with sl.Graph() as graph:
        x, sizes = sl.placeholder(sl.float32, [n]), sl.placeholder(sl.int64, [0])
        y = sl.reshape(x + x, sizes)
        z = -y
    feeds = {x: np.ones(n, np.float32), sizes: np.zeros(0, np.int64)}
    with sl.Session(graph) as session:
        if n == 1:
            assert [t.item() for t in session.run([y, z], feeds)] == [2.0, -2.0]
        else:
            with pytest.raises(ValueError, match="the same number of elements"):
                session.run([y, z], feeds)


def test_indices_that_change_while_they_are_used():
    """The indices lie in memory of numpy's, where another thread writes."""
    places = np.zeros(200_000, np.int64)
    seen = sl.from_numpy(places)
    table = sl.arange(10)
    rows = sl.zeros(10, 4)
    stop = threading.Event()

    def disturb():
        while not stop.is_set():
            places[100_000:] = 2**40
            places[100_000:] = 3

    other = threading.Thread(target=disturb)
    other.start()
    try:
        for _ in range(40):
            for use in (
                lambda: table[seen],
                lambda: sl.gather(table, seen),
                lambda: rows.index_add(0, seen, sl.ones(200_000, 4)),
                lambda: sl.repeat(table, seen[100_000:100_010] % 4),
                lambda: sl.scatter_add_(rows, seen, 1.0)
                if hasattr(sl, "scatter_add_")
                else None,
            ):
                try:
                    use()
                except (ValueError, IndexError, AttributeError, TypeError):
                    pass
    finally:
        stop.set()
        other.join()
    assert rows.shape == (10, 4)


FORK = """
import os, signal, threading
import sluice as sl

a = sl.rand(700, 700)
stop = False

def work():
    while not stop:
        sl.rand(900, 900) * 2.0

others = [threading.Thread(target=work) for _ in range(3)]
for t in others:
    t.start()
for _ in range(60):
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # a child that hangs is ended, and the test fails
        code = 1
        try:
            code = 0 if sl.ones(800, 800).sum().item() == 640000 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
stop = True
for t in others:
    t.join()
print("fine")
"""


@pytest.mark.skipif(SANITIZED, reason="the sanitizer's allocator is locked at fork")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_while_other_threads_allocate():
    done = run(FORK)
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr[-3000:]


LIMITED = """
import resource, sys
import numpy as np
import sluice as sl

kind = sys.argv[1]
extra = int(sys.argv[2]) << 20
net = sl.nn.Sequential(sl.nn.Linear(256, 256), sl.nn.ReLU(), sl.nn.Linear(256, 10))
step = sl.function(lambda x: net(x).sum())
x = sl.rand(64, 256)
step(x)
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + extra
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
kept = []
try:
    for i in range(200_000):
        if kind == "large":
            kept.append(sl.rand(1000, 1000))
        elif kind == "small":
            kept.append([sl.tensor(float(k)) for k in range(1000)])
        elif kind == "function":
            kept.append([step(x) for k in range(100)])
            kept.append(bytearray(1 << 20))
        else:
            with sl.Graph() as g:
                v = sl.placeholder(sl.float32, (None,))
                y = v
                for k in range(500):
                    y = y * 2.0
            kept.append((g, sl.Session(g).run(y, {v: np.ones(3, np.float32)})))
    print("no limit")
except MemoryError:
    kept.clear()
    print("MemoryError")
"""


@pytest.mark.skipif(SANITIZED, reason="the sanitizer needs its own memory")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
@pytest.mark.parametrize("kind", ["large", "small", "function", "graph"])
@pytest.mark.parametrize("extra", [60, 75, 150])
def test_memory_that_runs_out_is_a_memory_error(kind, extra):
    done = run(LIMITED, kind, str(extra), timeout=300)
    assert done.returncode == 0 and "MemoryError" in done.stdout, (
        done.returncode,
        done.stdout[-500:],
        done.stderr[-3000:],
    )
