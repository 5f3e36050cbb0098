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
