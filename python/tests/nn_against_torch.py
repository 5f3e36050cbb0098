"""Layers and functions beside PyTorch's: the same numbers in, the same out."""

import numpy as np
import sluice as sl

TOLERANCE = 1e-5


def numbers(rng, spec):
    """An array of a shape; ("ids", shape, high) are whole numbers below high."""
    if isinstance(spec, np.ndarray):
        return spec
    if isinstance(spec, tuple) and spec and spec[0] == "ids":
        return rng.integers(0, spec[2], spec[1]).astype(np.int64)
    if isinstance(spec, tuple) and spec and spec[0] == "bools":
        return rng.random(spec[1]) < 0.5
    if isinstance(spec, tuple) and spec and spec[0] == "shares":
        return rng.random(spec[1]).astype(np.float32) * 0.8 + 0.1
    if isinstance(spec, tuple) and spec and spec[0] == "logs":
        x = rng.standard_normal(spec[1])
        return (x - np.log(np.exp(x).sum(1, keepdims=True))).astype(np.float32)
    return rng.standard_normal(spec).astype(np.float32)


def close(ours, theirs, what, tolerance=TOLERANCE):
    """Equal to so much, absolutely or relative to the largest."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape, f"{what}: {ours.shape}, wanted {theirs.shape}"
    if ours.size == 0:
        return
    apart = np.abs(ours.astype(np.float64) - theirs.astype(np.float64)).max()
    scale = max(1.0, float(np.abs(theirs.astype(np.float64)).max()))
    assert apart <= tolerance * scale, f"{what}: {apart} apart, scale {scale}"


def flat(result):
    """The tensors of a result, in order."""
    if isinstance(result, (tuple, list)):
        return [t for r in result for t in flat(r)]
    return [] if result is None else [result]


def both(torch, arrays):
    """Arrays as tensors of ours and of PyTorch's; floats require gradients."""
    ours, theirs = [], []
    for a in arrays:
        floats = a.dtype.kind == "f"
        ours.append(sl.tensor(a, requires_grad=True) if floats else sl.tensor(a))
        t = torch.tensor(a)
        theirs.append(t.requires_grad_() if floats else t)
    return ours, theirs


def compare_results(torch, rng, ours, theirs):
    """Results, and backward with random gradients through both."""
    ours, theirs = flat(ours), flat(theirs)
    assert len(ours) == len(theirs)
    loss = None
    for i, (a, b) in enumerate(zip(ours, theirs)):
        close(a.detach().numpy(), b.detach().numpy(), f"result {i}")
        if not b.requires_grad:
            continue
        grad = rng.standard_normal(tuple(b.shape)).astype(np.float32)
        ours_part = (a * sl.tensor(grad)).sum()
        theirs_part = (b * torch.tensor(grad)).sum()
        if loss is None:
            loss = (ours_part, theirs_part)
        else:
            loss = (loss[0] + ours_part, loss[1] + theirs_part)
    if loss is not None:
        loss[0].backward()
        loss[1].backward()


def compare_grads(ours, theirs, what):
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if not getattr(b, "requires_grad", False) or b.grad is None:
            continue
        assert a.grad is not None, f"{what} {i} has no gradient"
        grad = a.grad.to_dense() if a.grad.is_sparse else a.grad
        close(grad.numpy(), b.grad.to_dense().numpy(), f"gradient of {what} {i}")


def load_from(torch_module, module):
    """PyTorch's weights, shared by DLPack or as numpy arrays."""
    module.load_state_dict(torch_module.state_dict())


def compare_modules(torch, ours, theirs, inputs, seed=0):
    """Both modules with the same weights and inputs: results and gradients."""
    rng = np.random.default_rng(seed)
    load_from(theirs, ours)
    a, b = both(torch, [numbers(rng, spec) for spec in inputs])
    compare_results(torch, rng, ours(*a), theirs(*b))
    compare_grads(a, b, "input")
    names = dict(theirs.named_parameters())
    mine = dict(ours.named_parameters())
    assert list(mine) == list(names)
    compare_grads(mine.values(), names.values(), f"one of {list(names)}")
    for name, buffer in theirs.named_buffers():
        close(ours.get_buffer(name).numpy(), buffer.numpy(), name)


def compare_functions(torch, ours, theirs, inputs, kwargs, seed=0):
    rng = np.random.default_rng(seed)
    a, b = both(torch, [numbers(rng, spec) for spec in inputs])
    compare_results(torch, rng, ours(*a, **kwargs), theirs(*b, **kwargs))
    compare_grads(a, b, "input")
