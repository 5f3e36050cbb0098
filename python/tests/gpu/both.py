"""What the checks share: the same program on the CPU and on the GPU."""

import contextlib
import re

import sluice as sl


def on_both(program, *tensors, tolerance=1e-5):
    """The program's results on the GPU are those of the CPU."""
    host = program(*tensors)
    there = program(*(t.cuda() if isinstance(t, sl.Tensor) else t for t in tensors))
    same(host, there, tolerance)


def same(host, there, tolerance=1e-5):
    if isinstance(host, (list, tuple)):
        assert len(host) == len(there)
        for one, other in zip(host, there):
            same(one, other, tolerance)
        return
    if not isinstance(host, sl.Tensor):
        assert host == there, (host, there)
        return
    assert there.is_cuda, there.device
    assert host.dtype == there.dtype and host.shape == there.shape, (host, there)
    back = there.cpu()
    if host.dtype in (sl.float32, sl.float64, sl.float16, sl.bfloat16):
        # Of the largest element: sums in another order lose small ones.
        scale = max(1.0, float(host.float().abs().max())) if host.numel() else 1.0
        off = float((host.float() - back.float()).abs().max()) if host.numel() else 0
        assert off <= tolerance * scale, (off, scale, host, back)
    else:
        assert host.tolist() == back.tolist(), (host, back)


@contextlib.contextmanager
def raises(kind, text):
    try:
        yield
    except kind as error:
        assert re.search(text, str(error)), f"{text!r} is not in: {error}"
        return
    raise AssertionError(f"nothing was raised; wanted {kind.__name__}: {text}")
