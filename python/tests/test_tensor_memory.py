"""Elements shared with numpy and with whatever speaks DLPack or buffers."""

import array
import gc
import sys
import weakref

import numpy as np
import pytest
import sluice as sl

TYPES = ["float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8",
         "uint16", "uint32", "uint64", "bool", "complex64"]  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_numpy_both_ways(dtype):
    a = np.arange(6).reshape(2, 3).astype(dtype)
    x = sl.from_numpy(a)
    assert x.dtype == dtype and x.shape == (2, 3) and x.data_ptr() == a.ctypes.data
    b = x.numpy()
    assert b.dtype == a.dtype and b.ctypes.data == a.ctypes.data
    a[0, 0] = 1
    assert x[0, 0].item() == b[0, 0] == 1
    x[1, 2] = 0
    assert a[1, 2] == 0
    c = np.from_dlpack(x)
    assert c.ctypes.data == a.ctypes.data and c.dtype == a.dtype
    y = sl.from_dlpack(a)
    assert y.data_ptr() == a.ctypes.data and y.dtype == dtype


def test_strided_arrays():
    a = np.arange(24.0).reshape(2, 3, 4)
    for view in (a[::-1, ::2, 1:], a.T, a[0], a[:, :0], a[..., None], a[:, 0:1]):
        x = sl.from_numpy(view)
        assert x.shape == view.shape
        np.testing.assert_array_equal(x.numpy(), view)
        np.testing.assert_array_equal((x + 1).numpy(), view + 1)
        np.testing.assert_array_equal(np.from_dlpack(x), view)
    x = sl.from_numpy(a[::-1])
    x[0] = -1
    assert (a[1] == -1).all()


def test_arrays_that_must_be_copied():
    swapped = np.arange(3, dtype=">f4")
    assert sl.from_numpy(swapped).tolist() == [0, 1, 2]
    packed = np.zeros(3, dtype=[("a", "i1"), ("b", "f4")])
    packed["b"] = [1, 2, 3]
    assert sl.tensor(packed["b"]).tolist() == [1, 2, 3]


def test_read_only_arrays():
    a = np.arange(3.0)
    a.flags.writeable = False
    x = sl.from_numpy(a)
    for write in (lambda: x.add_(1), lambda: x.zero_(), lambda: x.fill_(1),
                  lambda: x.__setitem__(0, 1), lambda: x[1:].__setitem__(0, 1),
                  lambda: x.__setitem__([0, 1], 5)):  # fmt: skip
        with pytest.raises(ValueError, match="does not let them be written"):
            write()
    assert not x.numpy().flags.writeable
    assert not np.from_dlpack(x).flags.writeable
    with pytest.raises(BufferError):
        x.__dlpack__()
    assert (x + 1).tolist() == [1, 2, 3]
    y = x.clone()
    y += 1
    assert a.tolist() == [0, 1, 2]
    assert not sl.ones(1).expand(3).numpy().flags.writeable


def test_owner_lives_as_long_as_needed():
    class Owned(np.ndarray):
        pass

    a = np.arange(1000.0).view(Owned)
    gone = weakref.ref(a)
    x = sl.from_numpy(a)
    del a
    gc.collect()
    assert gone() is not None and x.sum().item() == 499500
    part = x[10:20]
    del x
    gc.collect()
    assert gone() is not None and part[0].item() == 10
    del part
    gc.collect()
    assert gone() is None


def test_counts_return_to_what_they_were():
    a = np.arange(1000.0)
    before = sys.getrefcount(a)
    for _ in range(10):
        sl.from_numpy(a)
        sl.from_dlpack(a)
        sl.tensor(a)
        a + sl.ones(1000)
        np.from_dlpack(sl.from_numpy(a))
    gc.collect()
    assert sys.getrefcount(a) == before


def test_asarray():
    a = np.arange(3.0)
    assert sl.asarray(a).data_ptr() == a.ctypes.data
    assert sl.asarray(a, copy=True).data_ptr() != a.ctypes.data
    assert sl.asarray(a, "float32").dtype == sl.float32
    assert sl.asarray([1, 2]).tolist() == [1, 2]
    x = sl.ones(2)
    assert sl.asarray(x) is x
    with pytest.raises(ValueError, match="cannot be shared"):
        sl.asarray([1, 2], copy=False)
    with pytest.raises(ValueError, match="cannot be shared"):
        sl.asarray(a, "float32", copy=False)
    with pytest.raises(TypeError, match="wanted a numpy array"):
        sl.from_numpy([1, 2])
    assert sl.asarray(a, requires_grad=True).requires_grad


def test_buffers():
    raw = bytearray(b"\x01\x02\x03")
    x = sl.asarray(memoryview(raw))
    assert x.dtype == sl.uint8 and x.tolist() == [1, 2, 3]
    x[0] = 9
    assert raw[0] == 9
    assert sl.asarray(array.array("d", [1.5])).tolist() == [1.5]
    assert sl.tensor(array.array("i", [1, 2])).dtype == sl.int32
    y = sl.frombuffer(bytearray(8), dtype="float32")
    assert y.shape == (2,)
    with pytest.raises(TypeError, match="format"):
        sl.asarray(memoryview(b"ab").cast("c"))


def test_dlpack_arguments():
    x = sl.arange(3)
    assert x.__dlpack_device__() == (1, 0)
    assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(x.__dlpack__())
    copy = np.from_dlpack(x, copy=True)
    copy[0] = 5
    assert x[0].item() == 0
    with pytest.raises(BufferError, match="kind 2"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="detach"):
        sl.ones(2, requires_grad=True).__dlpack__()
    with pytest.raises(BufferError, match="string"):
        sl.tensor("a").__dlpack__()
    with pytest.raises(BufferError, match="stream"):
        x.__dlpack__(stream=3)
    capsule = x.__dlpack__(max_version=(1, 0))
    y = sl.from_dlpack(capsule)
    assert y.data_ptr() == x.data_ptr()
    with pytest.raises(TypeError, match="not used"):
        sl.from_dlpack(capsule)
    with pytest.raises(TypeError, match="__dlpack__"):
        sl.from_dlpack(3)


def test_bfloat16_through_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = np.array([1.5, -2], dtype=ml_dtypes.bfloat16)
    x = sl.from_numpy(a)
    assert x.dtype == sl.bfloat16 and x.tolist() == [1.5, -2]
    back = x.numpy()
    assert back.dtype == ml_dtypes.bfloat16 and back.ctypes.data == a.ctypes.data
    assert sl.tensor(a).float().tolist() == [1.5, -2]
    assert sl.zeros(2, dtype=ml_dtypes.bfloat16).dtype == sl.bfloat16


def test_bfloat16_without_ml_dtypes(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(TypeError, match="ml_dtypes"):
        sl.zeros(2, dtype="bfloat16").numpy()


@pytest.mark.parametrize(
    "thing",
    [
        np.datetime64("2020-01-01"),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.array([object()]),
        np.zeros(2, dtype="complex128"),
        np.zeros(2, dtype=[("a", "i4")]),
        np.timedelta64(1, "s"),
    ],
)
def test_arrays_of_other_types(thing):
    for call in (sl.tensor, sl.asarray, sl.exp, lambda x: sl.ones(2) + x):
        with pytest.raises(TypeError, match="no type for|unsupported"):
            call(thing)


def test_arrays_of_text():
    assert sl.tensor(np.array([["ab", "c"]])).tolist() == [[b"ab", b"c"]]
    assert sl.tensor(np.array([b"x", "y"], dtype=object)).tolist() == [b"x", b"y"]
    assert sl.tensor(np.array("ab")).item() == b"ab"
    assert sl.tensor(np.array([], dtype="U1")).shape == (0,)


def test_an_array_method_that_lies():
    class Liar:
        def __array__(self, *args, **kwargs):
            return [1, 2]

    class Honest:
        def __array__(self, *args, **kwargs):
            return np.array([1, 2])

    with pytest.raises(TypeError, match="wanted a numpy array"):
        sl.tensor(Liar())
    assert sl.tensor(Honest()).tolist() == [1, 2]


def test_functions_of_numpy():
    x = sl.tensor([[1.0, 4.0], [9.0, 16.0]])
    assert isinstance(np.sqrt(x), sl.Tensor)
    assert np.sqrt(x).tolist() == [[1, 2], [3, 4]]
    assert isinstance(np.add(x, np.ones(2, "float32")), sl.Tensor)
    w = sl.ones(2, requires_grad=True)
    (np.array([2.0, 3.0], "float32") * w).sum().backward()
    assert w.grad.tolist() == [2, 3]
    a = np.ones((2, 2), "float32")
    a += x  # numpy's array stays one
    assert isinstance(a, np.ndarray) and a[1, 1] == 17
    assert np.add.reduce(x).tolist() == [10, 20]
    assert np.mean(x) == 7.5 and np.max(x) == 16 and np.sum(x, axis=0)[0] == 10
    assert np.stack([x, x]).shape == (2, 2, 2)
    assert np.concatenate([x, a]).shape == (4, 2)
    assert np.allclose(x, x) and np.array_equal(x, x)
    with pytest.raises(RuntimeError, match="detach"):
        np.mean(w)
    assert sl.tensor(range(3)).tolist() == [0, 1, 2]


# ---- Writes through numpy, and gradients ----


def test_written_after_it_was_kept():
    x = sl.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    a = x.detach().numpy()
    a[0] = 5  # what the gradient of y needs
    with pytest.raises(RuntimeError, match="needed for the gradient.*test_tensor_mem"):
        y.backward()


def test_written_and_let_go_of():
    x = sl.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    x.detach().numpy()[0] = 5
    gc.collect()
    with pytest.raises(RuntimeError, match="needed for the gradient"):
        y.backward()


def test_written_by_dlpack():
    x = sl.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    other = np.from_dlpack(x.detach())
    other[1] = 7
    with pytest.raises(RuntimeError, match="needed for the gradient"):
        y.backward()


def test_read_only_is_no_trouble():
    x = sl.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    assert x.detach().numpy().sum() == 3
    y.backward()
    assert x.grad.tolist() == [2, 4]


def test_kept_while_shared():
    """What is recorded then keeps the elements as they were."""
    a = np.array([1.0, 2.0])
    x = sl.from_numpy(a)
    w = sl.tensor([3.0, 4.0], "float64", requires_grad=True)
    y = (w * x).sum()
    a[:] = 100
    y.backward()
    assert w.grad.tolist() == [1, 2]
    shared = w.detach().numpy()
    z = (w * w).sum()
    shared[:] = 0
    w.grad = None
    z.backward()
    assert w.grad.tolist() == [6, 8]


def test_a_buffer_filled_again_each_step():
    a = np.zeros(2, "float32")
    x = sl.from_numpy(a)
    w = sl.ones(2, requires_grad=True)
    for step in range(3):
        a[:] = step
        (w * x).sum().backward()
    assert w.grad.tolist() == [3, 3]
