"""Functions of the library give on a device what they give on the host, and there.

Tensors they make for their own work were made on the host, or their elements were read
as if they were there.
"""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import sluice as sl
from sluice import data, report
from sluice.nn import functional as F


@pytest.fixture(scope="module", autouse=True)
def there_are_some():
    sl.devices.add_simulated(2)


def gradient(f, x):
    x = x.clone().requires_grad_()
    f(x).backward()
    return x.grad


def item_set(key, value):
    def f(x):
        y = x.clone()
        y[key(y)] = value
        return y

    return f


def view_written(x):
    y = x * 1
    y[0] = 5.0
    return (y * y).sum()


def item_set_under_gradients(x):
    y = x * 1
    y[x > 2] = 0.0
    return (y * y).sum()


def second(x):
    x = x.clone().requires_grad_()
    (g,) = sl.autograd.grad((x * x).sum() ** 2, x, create_graph=True)
    return sl.autograd.grad(g.sum(), x)[0]


def loaded(x):
    batches = data.DataLoader(data.TensorDataset(x, x + 1), batch_size=2)
    return sl.cat([a * b for a, b in batches])


def collated(x):
    return data.default_collate([x, x + 1, x * 2])


def listed(x):
    """So large that threads share the work of laying its parts out."""
    rows = sl.ones_like(x).reshape(1, 3, 1) * sl.ones(64, 3, 1024, device=x.device)
    values, _ = sl.List.of(rows).append(rows[0] * 2).concat()
    return values.sum(1)


def list_s_gradient(x):
    values = sl.List.of(x)
    return (values[0] * values[2]).sum() + values.append(x.sum())[-1]


def ragged(x):
    sl.manual_seed(1)
    layer = sl.nn.GRU(1, 2).to(x.device)
    return layer(sl.stack([x, x * 2], 1).reshape(3, 2, 1), lengths=[3, 1])[0]


def hessian(x):
    return sl.hessian(lambda t: (t * t * t).sum())(x)


def recomputed(x):
    sl.manual_seed(1)
    return sl.checkpoint(lambda t: F.dropout(t) * t)(x)




PROGRAMS = {
    "scatter of a number": lambda x: x.scatter(0, [0, 1], 7.0),
    "scatter reduced": lambda x: sl.scatter(x, 0, [0, 1], 2.0, reduce="add"),
    "index_fill": lambda x: x.index_fill(0, [0, 2], 9.0),
    "interpolate nearest": lambda x: F.interpolate(x.reshape(1, 1, 3), 6),
    "interpolate linear": lambda x: F.interpolate(x.reshape(1, 1, 3), 5, mode="linear"),
    "median": lambda x: sl.median(x, 0).indices,
    "max of a number": lambda x: sl.max(x.sum(), 0).indices,
    "sort of a number": lambda x: sl.sort(x.sum()).indices,
    "unique slices": lambda x: sl.unique(x.reshape(3, 1), dim=0),
    "cumulative sum": lambda x: sl.cumulative_sum(x, include_initial=True),
    "mask set": item_set(lambda y: y > 1, 2.0),
    "mask set to a list": item_set(lambda y: y > 1, [2.0, 3.0]),
    "places set": item_set(lambda y: [0, 2], 4.0),
    "gradient of a set mask": lambda x: gradient(item_set_under_gradients, x),
    "gradient of a written view": lambda x: gradient(view_written, x),
    "second gradient": second,
    "linear layer of a vector": lambda x: F.linear(
        x.clone().requires_grad_(), sl.ones(2, 3, device=x.device)
    ),
    "flattened": lambda x: gradient(lambda t: t.reshape(3, 1).reshape(-1).sum(), x),
    "gradient of a list's sum": lambda x: gradient(
        lambda t: sl.add(t, [1.0, 2.0, 3.0]).sum() * 2, x
    ),
    "loaded": loaded,
    "collated": collated,
    "recomputed": recomputed,
    "listed": listed,
    "gradient of a list's elements": lambda x: gradient(list_s_gradient, x),
    "hessian": hessian,
    "sequences of several lengths": ragged,
    "causal attention": lambda x: F.scaled_dot_product_attention(
        x.reshape(1, 1, 3, 1), x.reshape(1, 1, 3, 1), x.reshape(1, 1, 3, 1),
        is_causal=True, dropout_p=1e-9),  # fmt: skip
    "converted": lambda x: sl.nn.Parameter(x).double(),
    "pickled": lambda x: pickle.loads(pickle.dumps(x, protocol=5)),
    "pickled as of old": lambda x: pickle.loads(pickle.dumps(x, protocol=2)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_on_the_host(name):
    x = sl.tensor([1.0, 2.0, 3.0])
    wanted = PROGRAMS[name](x)
    got = PROGRAMS[name](x.to("sim:0"))
    assert got.device == "sim:0" and wanted.device == "cpu"
    assert got.tolist() == wanted.tolist()


CAPTURED = ("scatter of a number", "index_fill", "mask set", "recomputed", "listed",
            "gradient of a list's elements", "causal attention",
            "gradient of a set mask", "gradient of a written view",
            "interpolate linear")  # fmt: skip


@pytest.mark.parametrize("name", CAPTURED)
def test_as_on_the_host_captured(name):
    x = sl.tensor([1.0, 2.0, 3.0])
    got = sl.function(PROGRAMS[name])(x.to("sim:0"))
    assert got.device == "sim:0"
    assert got.tolist() == PROGRAMS[name](x).tolist()


def test_what_a_copy_to_a_device_was_made_of_may_be_written():
    # The device copies later: it saw what was written after the call.
    x = sl.zeros(3)
    numbers = np.zeros(3, np.float32)
    shared = sl.from_numpy(numbers)
    there, too = x.to("sim:0"), shared.to("sim:0")
    part = sl.ones(3, device="sim:0")
    part[:2] = shared[:2]
    factor = sl.tensor(2.0)
    product = sl.ones(3, device="sim:0") * factor
    x.add_(1)
    factor.add_(1)
    numbers[:] = 5
    assert there.tolist() == too.tolist() == [0, 0, 0]
    assert part.tolist() == [0, 0, 1]
    assert product.tolist() == [2, 2, 2]


def test_what_has_the_shape_of_a_tensor_lies_where_it_does():
    x = sl.ones(2, requires_grad=True)
    with sl.device("sim:0"):
        assert sl.zeros_like(x).device == "cpu"
        (x * x).sum().backward()  # begins with ones like the sum
        made = sl.add(np.ones(2, np.float32), [1.0, 2.0])
        v = sl.Variable([1.0, 2.0])
        v.assign_sub(sl.tensor([0.5, 0.5]))
        v.assign_add([1.0, 1.0])
        counted = sl.arange(3)
    assert x.grad.tolist() == [2, 2] and x.grad.device == "cpu"
    assert made.device == counted.device == "sim:0"
    assert made.tolist() == [2, 3] and counted.tolist() == [0, 1, 2]
    assert v.read().device == "sim:0" and v.read().tolist() == [1.5, 2.5]


def test_elements_are_read_from_a_device(tmp_path):
    x = sl.tensor([1.0, 2.0]).to("sim:0")
    sl.testing.assert_close(x, [1.0, 2.0])
    sl.testing.assert_close(x, x.cpu())
    with report.SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalar("loss", x.sum(), 1)
        writer.add_histogram("x", x, 1)
    seen = report.ConfusionMatrix(2)
    seen.add(sl.tensor([0, 1]).to("sim:0"), sl.tensor([0, 0]).to("sim:0"))
    assert seen.total == 2
    assert data.make_example({"x": x}) == data.make_example({"x": x.cpu()})
    assert sl.autograd.gradcheck(lambda t: sl.sin(t), [x.double()])
    with sl.autograd.detect_anomaly(), pytest.raises(ValueError, match="Log"):
        sl.log(x - 3)


def test_sizes_may_lie_on_the_device():
    # What a gradient needs is found out at the first call with so many axes.
    x = sl.ones(1, 1, 1, 1, 1, 3).to("sim:0").requires_grad_()
    sl.reshape(x, sl.tensor([3]).to("sim:0")).sum().backward()
    assert x.grad.tolist() == [[[[[[1, 1, 1]]]]]]


def test_a_graph_s_constant_is_taken_from_a_device():
    t = sl.tensor([1.0, 2.0]).to("sim:0")
    graph = sl.Graph()
    with graph.as_default():
        y = sl.placeholder(sl.float32, [2]) * 1 + t
        z = sl.constant(t) * 2
    x = y.op.inputs[0].op.inputs[0]
    with sl.Session(graph) as session:
        got = session.run([y, z], {x: [1.0, 1.0]})
    assert [g.tolist() for g in got] == [[2, 3], [2, 4]]


def test_two_devices_are_noticed_after_any_number_of_steps():
    # The host's part is so long that nobody followed it back to its beginning.
    def f(x, y):
        for _ in range(2000):
            y = y * 1.5 + 0.25
        return x + y

    x, y = sl.ones(3, device="sim:0"), sl.ones(3)
    for call in (f, sl.function(f)):
        with pytest.raises(ValueError, match="sim:0.*cpu:0"):
            call(x, y)


def test_a_pickle_of_a_device_that_is_not_there():
    # The next process has no simulated devices: the tensor is the host's.
    text = pickle.dumps(sl.tensor([1.0, 2.0]).to("sim:1")).hex()
    program = f"""
import pickle
import sluice
x = pickle.loads(bytes.fromhex({text!r}))
print(x.device, x.tolist())
"""
    plain = {k: v for k, v in os.environ.items() if k != "SLUICE_DEVICE"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=plain, capture_output=True, text=True
    )
    assert done.stdout == "cpu [1.0, 2.0]\n", done.stderr


@pytest.mark.parametrize("made", ("sl.arange(3)", "sl.add([1, 2], [3, 4])"))
def test_the_first_call_of_a_process_finds_the_default_device(made):
    # The devices that SLUICE_DEVICE names are made when one is asked for.
    done = subprocess.run(
        [sys.executable, "-c", f"import sluice as sl; print({made}.device)"],
        env={**os.environ, "SLUICE_DEVICE": "sim:0"},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "sim:0\n", done.stderr
