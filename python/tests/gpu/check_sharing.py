"""DLPack between our own tensors, and with PyTorch and JAX where they are."""

import sluice as sl
from both import raises
from run import Skip


def test_a_capsule_shares_memory():
    x = sl.arange(6, dtype=sl.float32, device="cuda").reshape(2, 3)
    assert x.__dlpack_device__() == (2, 0)
    for given in ({}, {"stream": -1}, {"max_version": (1, 1)}, {"stream": 2}):
        y = sl.from_dlpack((x * 1).__dlpack__(**given))
        assert y.is_cuda and y.tolist() == x.tolist()
    seen = sl.from_dlpack(x.__dlpack__(stream=1))
    x[0, 0] = 9
    sl.cuda.synchronize()
    assert seen[0, 0].item() == 9
    del x
    assert (seen + 1).sum().item() == 30


def test_strides_come_along():
    x = sl.arange(12, device="cuda").reshape(3, 4)
    y = sl.from_dlpack(x.T.__dlpack__())
    assert y.shape == (4, 3) and y.tolist() == x.T.tolist()


def test_a_copy_on_the_cpu():
    x = sl.ones(3, device="cuda")
    y = sl.from_dlpack(x.__dlpack__(dl_device=(1, 0)))
    assert not y.is_cuda and y.tolist() == [1, 1, 1]
    with raises(BufferError, "copy is False"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with raises(BufferError, "requires gradients"):
        sl.ones(3, device="cuda").requires_grad_().__dlpack__()


def gpu_torch():
    try:
        import torch
    except ImportError:
        raise Skip("no PyTorch") from None
    if not torch.cuda.is_available() or "Emulated" in sl.cuda.get_device_name():
        raise Skip("no GPU for PyTorch")
    return torch


def test_torch_both_ways():
    torch = gpu_torch()
    t = torch.arange(8, dtype=torch.float32, device="cuda").reshape(2, 4)
    x = sl.from_dlpack(t)
    assert x.is_cuda and x.tolist() == t.tolist()
    t.mul_(2)
    torch.cuda.synchronize()
    assert x.tolist() == t.tolist()
    back = torch.from_dlpack(x * 3)
    assert back.is_cuda and back.tolist() == (t * 3).tolist()
    half = torch.from_dlpack(x.to(sl.bfloat16))
    assert half.dtype == torch.bfloat16 and half.float().tolist() == t.tolist()


def test_order_with_torch():
    torch = gpu_torch()
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            for _ in range(20):
                x = sl.ones(1 << 20, device="cuda")
                for _ in range(4):
                    x = x + 1
                t = torch.from_dlpack(x)
                del x
                t = (t * 2).contiguous()
                y = sl.from_dlpack(t)
                del t
                z = y + 1
                del y
                torch.full((1 << 20,), -1.0, device="cuda")
                assert z.min().item() == z.max().item() == 11


def test_jax():
    gpu_torch()
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        raise Skip("no JAX") from None
    if jax.default_backend() != "gpu":
        raise Skip("no GPU for JAX")
    x = sl.from_dlpack(jnp.arange(4.0) * 2)
    assert x.is_cuda and x.tolist() == [0, 2, 4, 6]
    assert (jax.dlpack.from_dlpack(x * 2) + 1).tolist() == [1, 5, 9, 13]
