"""Tensors of PyTorch, JAX and TensorFlow in and out without a copy."""

import gc
import os

import numpy as np
import pytest
import sluice as sl

os.environ.setdefault("JAX_PLATFORMS", "cpu")  # where our tensors are

TYPES = ["float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64",
         "uint8", "bool", "complex64"]  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_to_pytorch_and_back(dtype):
    torch = pytest.importorskip("torch")
    x = sl.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
    t = torch.from_dlpack(x)
    assert t.dtype == getattr(torch, dtype) and t.data_ptr() == x.data_ptr()
    t[0, 0] = 1
    assert x[0, 0].item() == 1
    x[1, 1] = 0
    assert t[1, 1].item() == 0
    y = sl.from_dlpack(t)
    assert y.data_ptr() == t.data_ptr() and y.dtype == dtype and y.shape == (2, 3)


@pytest.mark.parametrize("dtype", TYPES)
def test_from_pytorch(dtype):
    torch = pytest.importorskip("torch")
    t = torch.arange(6).reshape(2, 3).to(getattr(torch, dtype))
    for x in (sl.from_dlpack(t), sl.asarray(t)):
        assert x.dtype == dtype and x.data_ptr() == t.data_ptr()
    x[0, 1] = 0
    assert t[0, 1].item() == 0
    t[0, 2] = 1
    assert x[0, 2].item() == 1
    assert sl.from_dlpack(t.T).numpy().shape == (3, 2) if dtype != "bfloat16" else True
    copy = sl.tensor(t)
    assert copy.dtype == dtype and copy.data_ptr() != t.data_ptr()


def test_pytorch_views_and_lifetimes():
    torch = pytest.importorskip("torch")
    x = sl.arange(1000).float()
    t = torch.from_dlpack(x[::2])
    del x
    gc.collect()
    assert t.sum().item() == sum(range(0, 1000, 2))
    t = torch.arange(1000.0)
    y = sl.from_dlpack(t[10:20])
    del t
    gc.collect()
    assert y.tolist() == list(range(10, 20))
    with pytest.raises((BufferError, RuntimeError), match="grad"):
        sl.from_dlpack(torch.ones(2, requires_grad=True))
    assert (sl.ones(3) * torch.ones(3)).tolist() == [1, 1, 1]
    assert sl.tensor([1.0], dtype=torch.float64).dtype == sl.float64


def test_pytorch_writes_reach_gradients():
    torch = pytest.importorskip("torch")
    w = sl.ones(3, requires_grad=True)
    y = (w * w).sum()
    torch.from_dlpack(w.detach()).mul_(2)
    with pytest.raises(RuntimeError, match="needed for the gradient"):
        y.backward()


@pytest.mark.parametrize("dtype", [t for t in TYPES if t not in ("float64", "int64")])
def test_jax_both_ways(dtype):
    jax = pytest.importorskip("jax")
    x = sl.tensor(np.arange(64).reshape(8, 8)).to(dtype)
    j = jax.dlpack.from_dlpack(x)
    assert str(j.dtype) == dtype and j.shape == (8, 8)
    np.testing.assert_array_equal(
        np.asarray(j).astype("complex64"), x.to("complex64").numpy()
    )
    if x.data_ptr() % 64 == 0:  # XLA copies what is not aligned for it
        assert j.unsafe_buffer_pointer() == x.data_ptr()
    k = jax.numpy.arange(64).astype(dtype)
    for y in (sl.from_dlpack(k), sl.asarray(k)):
        assert y.dtype == dtype and y.data_ptr() == k.unsafe_buffer_pointer()
    assert (y + y).shape == (64,)


def test_jax_arrays_are_not_written():
    jax = pytest.importorskip("jax")
    k = jax.numpy.arange(4.0)
    y = sl.from_dlpack(k)
    try:
        y += 1
    except ValueError as error:
        assert "does not let them be written" in str(error)
        assert k.tolist() == [0, 1, 2, 3]


def test_tensorflow():
    tf = pytest.importorskip("tensorflow")
    t = tf.range(6, dtype=tf.float32)
    x = sl.asarray(t)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    assert tf.convert_to_tensor(sl.ones(2).numpy()).numpy().tolist() == [1, 1]
