"""Generators, settings for all, and compile: PyTorch's names of what is there."""

import copy

import numpy as np
import pytest

import sluice as sl

T = sl.tensor


def test_generators_have_streams_of_their_own():
    g = sl.Generator().manual_seed(3)
    sl.manual_seed(3)
    assert sl.rand(3, generator=g).tolist() == sl.rand(3).tolist()
    state = g.get_state()
    first = sl.randn(4, generator=g).tolist()
    assert g.set_state(state) is g and sl.randn(4, generator=g).tolist() == first
    sl.manual_seed(1)
    wanted = sl.rand(2).tolist()
    sl.manual_seed(1)
    for draw in (
        lambda: sl.randint(0, 9, (3,), generator=g),
        lambda: sl.randperm(5, generator=g),
        lambda: sl.zeros(3).normal_(generator=g),
        lambda: sl.bernoulli(sl.full((3,), 0.5), generator=g),
    ):
        draw()
    assert sl.rand(2).tolist() == wanted
    assert g.initial_seed() == 3 and sl.initial_seed() == 1
    now = sl.get_rng_state()
    once = sl.rand(1).item()
    sl.set_rng_state(now)
    assert sl.rand(1).item() == once
    with pytest.raises(NotImplementedError, match="generator"):
        sl.function(lambda: sl.rand(2, generator=g))()
    with pytest.raises(TypeError, match="Generator"):
        sl.rand(2, generator=3)


def test_settings():
    assert sl.get_default_dtype() == sl.float32
    sl.set_default_dtype(sl.float32)
    with pytest.raises(TypeError, match="wanted a type of floats"):
        sl.set_default_dtype(sl.int64)
    n = sl.get_num_threads()
    x = sl.randn(300, 300)
    wanted = (x @ x).numpy()
    for threads in (1, 3, n):
        sl.set_num_threads(threads)
        assert sl.get_num_threads() == threads
        assert ((x @ x).numpy() == wanted).all()
    with pytest.raises(ValueError, match="wanted an int from 1 to 1024"):
        sl.set_num_threads(0)
    sl.use_deterministic_algorithms(True)
    assert sl.are_deterministic_algorithms_enabled()
    sl.set_float32_matmul_precision("highest")
    assert sl.get_float32_matmul_precision() == "highest"
    sl.backends.cudnn.benchmark = True
    assert not sl.backends.mps.is_available()
    with sl.autocast("cpu"):
        assert sl.is_autocast_enabled()


def test_compile_is_function():
    @sl.compile(fullgraph=True)
    def double(x):
        return x * 2

    assert double(T([1.0])).tolist() == [2] and len(double.traces()) == 1
    assert sl.compile(abs, disable=True) is abs
    for wrong in ({"backend": "other"}, {"mode": "default"}, {"dynamic": False}):
        with pytest.raises(NotImplementedError, match="compile"):
            sl.compile(lambda x: x, **wrong)


def test_compiled_modules_share_parameters_and_copies_do_not():
    net = sl.nn.Sequential(sl.nn.Linear(2, 3), sl.nn.Dropout(0.5))
    net.tag = 7
    x = sl.ones(4, 2)
    made = sl.compile(net).eval()
    assert made(x).tolist() == net(x).tolist() and made.tag == 7
    assert list(made.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    made(x).sum().backward()
    assert net[0].bias.grad.tolist() == [4, 4, 4]
    other = copy.deepcopy(made)
    with sl.no_grad():
        other._orig_mod[0].weight.zero_()
    assert other(x).tolist() != made(x).tolist()
    assert made(x).tolist() == net(x).tolist()
    assert len(made.traces()) == 1


@pytest.mark.parametrize("kind", [sl.float64, sl.bfloat16, sl.float16])
def test_default_type_of_floats(kind):
    whole = sl.tensor([1, 2])
    sl.set_default_dtype(kind)
    try:
        assert sl.get_default_dtype() == kind
        for made in (
            sl.tensor(1.5), sl.tensor([1.5, 2.0]), sl.zeros(2), sl.ones(2), sl.eye(2),
            sl.rand(2), sl.randn(2), sl.linspace(0, 1, 3), sl.arange(0, 1, 0.5),
            sl.full((2,), 0.5), whole * 0.5, whole / 2, whole + 0.5, 0.5 - whole,
            sl.sqrt(whole), sl.nn.Linear(2, 2).weight, sl.Tensor([1, 2]),
            sl.nn.Linear(2, 1)(sl.ones(1, 2)), sl.erfinv(whole * 0),
            sl.function(lambda x: x * 0.5)(whole),
            sl.function(lambda x: sl.zeros(2) + 0.25)(whole),
        ):  # fmt: skip
            assert made.dtype == kind, made
        assert sl.tensor(np.ones(2, np.float32)).dtype == sl.float32
        assert (sl.ones(2, dtype=sl.float32) * 0.5).dtype == sl.float32
    finally:
        sl.set_default_dtype(sl.float32)
    assert sl.tensor(1.5).dtype == sl.float32 and (whole / 2).dtype == sl.float32


def test_the_default_type_of_floats():
    def f(n):
        return sl.zeros(2) + n, sl.tensor([0.5]) * 2

    captured = sl.function(f)
    try:
        for dtype in (sl.float32, sl.float64, sl.bfloat16, sl.float32):
            sl.set_default_dtype(dtype)
            assert [t.dtype for t in captured(1)] == [dtype] * 2
            assert [t.dtype for t in f(1)] == [dtype] * 2
    finally:
        sl.set_default_dtype(sl.float32)
    assert "floats without a type are" in str(captured.traces())
    with pytest.raises(NotImplementedError, match="wanted it before the call"):
        sl.function(lambda: sl.set_default_dtype(sl.float64))()
    with pytest.raises(NotImplementedError, match="wanted it before the call"):
        sl.function(lambda: sl.set_num_threads(1))()
