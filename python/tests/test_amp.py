"""Mixed precision: autocast against casts by hand, GradScaler."""

import copy
import pickle

import pytest

import sluice as sl
import sluice.nn.functional as F

LOW = (sl.bfloat16, sl.float16)


def cpu(dtype, **more):
    return sl.amp.autocast("cpu", dtype=dtype, **more)


@pytest.mark.parametrize("dtype", LOW)
def test_types_inside(dtype):
    x, w = sl.randn(4, 8), sl.randn(8, 3)
    with cpu(dtype):
        assert sl.amp.is_autocast_enabled()
        y = x @ w
        assert y.dtype == dtype
        assert (y + 1).dtype == (y * y).dtype == F.relu(y).dtype == dtype
        assert (y + x[:, :3]).dtype == sl.float32
        assert y.sum().dtype == y.exp().dtype == y.softmax(-1).dtype == sl.float32
        assert F.linear(y.float(), w, sl.zeros(8)).dtype == dtype
        image = sl.randn(2, 3, 8, 8)
        assert F.conv2d(image, sl.randn(4, 3, 3, 3), sl.zeros(4)).dtype == dtype
        assert F.layer_norm(y, (3,)).dtype == sl.float32
        assert F.cross_entropy(y, sl.tensor([0, 1, 2, 0])).dtype == sl.float32
        assert (x.double() @ w.double()).dtype == sl.float64
        with cpu(dtype, enabled=False):
            assert (x @ w).dtype == sl.float32
        assert (x @ w).dtype == dtype
    assert not sl.amp.is_autocast_enabled() and (x @ w).dtype == sl.float32


@pytest.mark.parametrize("dtype", LOW)
def test_the_same_as_casts_by_hand(dtype):
    sl.manual_seed(1)
    x, y = sl.randn(16, 8), sl.randint(0, 4, (16,))
    first, second = sl.nn.Linear(8, 12), sl.nn.Linear(12, 4)

    def by_hand():
        h = F.linear(x.to(dtype), first.weight.to(dtype), first.bias.to(dtype))
        h = F.relu(h)
        out = F.linear(h, second.weight.to(dtype), second.bias.to(dtype))
        return F.cross_entropy(out.float(), y)

    def under_autocast():
        with cpu(dtype):
            return F.cross_entropy(second(F.relu(first(x))), y)

    told = []
    for run in (by_hand, under_autocast, sl.function(under_autocast)):
        for module in (first, second):
            module.zero_grad()
        loss = run()
        loss.backward()
        assert first.weight.grad.dtype == sl.float32
        grads = first.weight.grad.tolist(), second.bias.grad.tolist()
        told.append([loss.item(), *grads])
    assert told[0] == told[1] == told[2]


def test_a_captured_function_sees_the_scope_around_its_call():
    @sl.function
    def product(a, b):
        return a @ b

    a = sl.randn(3, 3)
    for _ in range(2):
        assert product(a, a).dtype == sl.float32
        with cpu(sl.bfloat16):
            assert product(a, a).dtype == sl.bfloat16
        with cpu(sl.float16):
            assert product(a, a).dtype == sl.float16


def test_batch_norm_keeps_its_statistics_in_float32():
    net = sl.nn.Sequential(sl.nn.Conv2d(1, 3, 3), sl.nn.BatchNorm2d(3))
    image = sl.randn(4, 1, 6, 6)
    with cpu(sl.bfloat16):
        assert net(image).dtype == sl.bfloat16
        net.eval()
        assert net(image).dtype == sl.bfloat16
    assert net[1].running_mean.dtype == sl.float32
    assert net[1].running_mean.abs().sum().item() > 0


def test_recurrence_trains():
    sl.manual_seed(2)
    cell = sl.nn.LSTM(4, 4)
    with cpu(sl.bfloat16):
        out, _ = cell(sl.randn(5, 2, 4))
        loss = out.square().sum()
    loss.backward()
    assert cell.weight_hh_l0.grad.dtype == sl.float32


def test_as_a_decorator():
    @sl.amp.autocast("cpu")
    def product(a):
        return a @ a

    assert product(sl.ones(2, 2)).dtype == sl.bfloat16


def test_refusals():
    with pytest.raises(ValueError, match="bfloat16"):
        sl.amp.autocast("cpu", dtype=sl.float32)
    with pytest.raises(ValueError, match="device_type"):
        sl.amp.autocast("tpu")
    with pytest.raises(ValueError, match="growth_factor"):
        sl.amp.GradScaler(growth_factor=1.0)


def test_grad_scaler():
    w = sl.ones(2).requires_grad_()
    optimizer = sl.optim.SGD([w], lr=0.5)
    scaler = sl.amp.GradScaler(init_scale=8.0, growth_interval=2)
    for expected, scale in ((0.5, 8), (0.0, 16)):
        optimizer.zero_grad()
        scaler.scale(w.sum()).backward()
        assert w.grad.tolist() == [scaler.get_scale()] * 2
        scaler.step(optimizer)
        with pytest.raises(RuntimeError, match="twice"):
            scaler.step(optimizer)
        scaler.update()
        assert w.tolist() == [expected] * 2 and scaler.get_scale() == scale
    for bad in (float("inf"), float("nan")):
        optimizer.zero_grad()
        scaler.scale((w * bad).sum()).backward()
        scaler.unscale_(optimizer)
        before = w.tolist()
        assert scaler.step(optimizer) is None and w.tolist() == before
        scaler.update()
    assert scaler.get_scale() == 4
    other = sl.amp.GradScaler()
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 4
    with pytest.raises(RuntimeError, match="update"):
        other.update()


@pytest.mark.parametrize(
    "way", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_of_a_scaler_counts_on(way):
    w = sl.ones(1).requires_grad_()
    optimizer = sl.optim.SGD([w, sl.ones(1).requires_grad_()], lr=0.1)
    scaler = sl.amp.GradScaler(init_scale=8, growth_interval=2)

    def train(by):
        optimizer.zero_grad()
        by.scale(w.sum()).backward()  # the other parameter has no gradient
        by.step(optimizer)
        by.update()

    train(scaler)
    assert scaler.state_dict() == {
        "scale": 8.0, "growth_factor": 2.0, "backoff_factor": 0.5,
        "growth_interval": 2, "_growth_tracker": 1,
    }
    other = way(scaler)
    train(other)
    assert other.get_scale() == 16 and scaler.get_scale() == 8
    other.update(new_scale=3)
    assert other.get_scale() == 3
    off = way(sl.amp.GradScaler(enabled=False))
    assert not off.is_enabled() and off.get_scale() == 1


def test_a_scaler_that_is_not_enabled():
    w = sl.ones(1).requires_grad_()
    optimizer = sl.optim.SGD([w], lr=1.0)
    scaler = sl.amp.GradScaler(enabled=False)
    scaler.scale(w.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert w.tolist() == [0] and scaler.get_scale() == 1 and not scaler.state_dict()


def _product(cast_inputs):
    seen = []

    class Product(sl.autograd.Function):
        @staticmethod
        @sl.amp.custom_fwd(device_type="cpu", cast_inputs=cast_inputs)
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            seen.append((a.dtype, sl.amp.is_autocast_enabled()))
            return a @ b

        @staticmethod
        @sl.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            seen.append(("back", sl.amp.is_autocast_enabled()))
            return g @ b.mT, a.mT @ g

    return Product, seen


@pytest.mark.parametrize("wrap", [lambda f: f, sl.function])
def test_functions_of_ones_own_under_autocast(wrap):
    a = sl.full((2, 2), 1.0, requires_grad=True)
    for cast_inputs, kind, inside in (
        (None, sl.bfloat16, True), (sl.float32, sl.float32, False),
        (sl.float16, sl.float16, False),
    ):
        product, seen = _product(cast_inputs)

        def step(x):
            with sl.amp.autocast("cpu"):
                return product.apply(x, x)

        made = wrap(step)(a)
        assert made.dtype == kind
        a.grad = None
        made.sum().backward()
        assert a.grad.tolist() == [[4, 4], [4, 4]] and a.grad.dtype == sl.float32
        assert seen[0] == (cast_inputs or sl.float32, inside)
        assert ("back", inside) in seen
    product, seen = _product(sl.float16)
    assert product.apply(a, a).dtype == sl.float32  # no autocast, no cast
    with pytest.raises(ValueError, match="device_type"):
        sl.amp.custom_bwd(device_type="abacus")
