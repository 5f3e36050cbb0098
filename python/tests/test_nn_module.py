"""nn.Module: what it is made of, its modes and its text."""

import threading
from collections import OrderedDict

import numpy as np
import pytest
import sluice as sl
import sluice.nn.functional as F
from nn_small_net import NAMES, Net, X
from sluice import nn


class TestParts:
    def test_assignment_registers(self):
        net = Net()
        assert [n for n, _ in net.named_parameters()] == NAMES
        assert len(list(net.parameters())) == 5
        assert [n for n, _ in net.named_parameters(recurse=False)] == ["scale"]
        assert [n for n, _ in net.named_parameters(prefix="net")][1] == "net.fc1.weight"
        assert [n for n, _ in net.named_buffers()] == ["seen", "scratch"]
        assert [n for n, _ in net.named_children()] == ["fc1", "body"]
        assert [n for n, _ in net.named_modules()] == [
            "", "fc1", "body", "body.0", "body.1", "body.2",
        ]  # fmt: skip
        assert isinstance(net.scale, nn.Parameter)
        assert isinstance(net.scale, sl.Tensor)
        assert net.scale.requires_grad

    def test_by_path(self):
        net = Net()
        assert net.get_submodule("body.0") is net.body[0]
        assert net.get_submodule("") is net
        assert net.get_parameter("body.0.weight") is net.body[0].weight
        assert net.get_buffer("seen") is net.seen
        with pytest.raises(AttributeError, match="no module 'body.7'.*has 0, 1, 2"):
            net.get_submodule("body.7")
        with pytest.raises(AttributeError, match="no parameter 'fc1.w'"):
            net.get_parameter("fc1.w")

    def test_a_parameter_is_replaced(self):
        net = Net()
        tied = nn.Linear(3, 3)
        net.body[0].weight = tied.weight
        assert net.body[0].weight is tied.weight
        y = net.eval()(X)
        nn.init.zeros_(tied.weight)
        wanted = F.relu(net.body[0].bias) * net.scale
        assert np.allclose(net(X).detach().numpy(), wanted.detach().numpy())
        assert y.shape == (2, 3)

    def test_shared_parameters_are_listed_once(self):
        a = nn.Linear(3, 3)
        net = nn.Sequential(a, nn.ReLU(), a)
        assert len(list(net.parameters())) == 2
        assert len(list(net.modules())) == 3
        b = nn.Linear(3, 3)
        b.weight = a.weight
        assert len(list(nn.Sequential(a, b).parameters())) == 3

    def test_none_keeps_a_name(self):
        layer = nn.Linear(2, 2, bias=False)
        assert layer.bias is None
        assert "bias" in layer._parameters
        layer.bias = nn.Parameter(sl.ones((2,)))
        assert "bias" in layer.state_dict()
        layer.bias = None
        assert "bias" not in layer.state_dict()

    def test_what_is_no_parameter_is_refused(self):
        net = Net()
        with pytest.raises(TypeError, match="cannot assign a Tensor as scale"):
            net.scale = sl.ones((3,))
        with pytest.raises(TypeError, match="cannot assign a int as fc1"):
            net.fc1 = 3
        with pytest.raises(TypeError, match="wanted a Tensor or None"):
            net.register_buffer("x", 3)
        with pytest.raises(KeyError, match="without dots"):
            net.register_parameter("a.b", None)
        with pytest.raises(KeyError, match="already"):
            net.register_parameter("forward", None)
        with pytest.raises(ValueError, match="contains the module"):
            net.fc1.outer = net

    def test_before_init(self):
        class Hasty(nn.Module):
            def __init__(self):
                self.fc = nn.Linear(1, 1)

        with pytest.raises(AttributeError, match=r"super\(\).__init__\(\)"):
            Hasty()

        class Lazy(nn.Module):
            def __init__(self):
                pass

        with pytest.raises(AttributeError, match=r"super\(\).__init__\(\)"):
            Lazy()(1)

    def test_deletion(self):
        net = Net()
        del net.scale
        del net.seen
        assert not hasattr(net, "scale")
        assert "seen" not in net.state_dict()
        with pytest.raises(AttributeError, match="'Net' has no attribute 'scale'"):
            net.scale

    def test_apply(self):
        seen = []
        net = Net()
        assert net.apply(lambda m: seen.append(type(m).__name__)) is net
        assert seen == ["Linear", "Linear", "ReLU", "Dropout", "Sequential", "Net"]


class TestModes:
    def test_train_and_eval(self):
        net = Net()
        assert net.training
        assert net.eval() is net
        assert not any(m.training for m in net.modules())
        net.body.train()
        assert net.body[2].training and not net.training
        with pytest.raises(ValueError):
            net.train("yes")

    def test_requires_grad(self):
        net = Net().requires_grad_(False)
        assert not any(p.requires_grad for p in net.parameters())

    def test_zero_grad(self):
        net = Net()
        net(X).sum().backward()
        assert net.fc1.weight.grad is not None
        net.zero_grad(set_to_none=False)
        assert not net.fc1.weight.grad.numpy().any()
        net.zero_grad()
        assert net.fc1.weight.grad is None

    def test_to_another_type(self):
        net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
        weight = net[0].weight
        assert net.double() is net
        assert net[0].weight is weight and weight.dtype == sl.float64
        assert net[1].num_batches_tracked.dtype == sl.int64
        assert net(X.astype(np.float64)).dtype == sl.float64
        assert net.to(sl.float32)[0].weight.dtype == sl.float32
        assert net.to("cpu") is net
        assert net.bfloat16()[0].bias.dtype == sl.bfloat16
        assert net.half()[0].bias.dtype == sl.float16
        assert net.float()[0].bias.dtype == sl.float32
        with pytest.raises(ValueError, match="there is no device"):
            net.to("cuda")
        with pytest.raises(TypeError, match="type of floats"):
            net.to(sl.int32)
        with pytest.raises(TypeError):
            net.to(3)


class TestText:
    def test_tree(self):
        assert repr(Net()) == (
            "Net(\n"
            "  (fc1): Linear(in_features=4, out_features=3, bias=True)\n"
            "  (body): Sequential(\n"
            "    (0): Linear(in_features=3, out_features=3, bias=True)\n"
            "    (1): ReLU()\n"
            "    (2): Dropout(p=0.5, inplace=False)\n"
            "  )\n"
            ")"
        )

    def test_errors_name_the_path_and_the_line(self):
        net = nn.Sequential(OrderedDict(net=Net()))
        with pytest.raises(ValueError) as error:
            net(X[:, :2])
        lines = str(error.value).split("\n")
        assert "linear: x is f32[2,2]" in lines[0]
        assert "nn_small_net.py" in lines[1]
        linear = "Linear(in_features=4, out_features=3, bias=True)"
        assert lines[-1].strip() == f"in net.fc1 ({linear})"

    def test_other_errors_get_a_note(self):
        class Bad(nn.Module):
            def forward(self, x):
                raise KeyError("k")

        with pytest.raises(KeyError) as error:
            nn.Sequential(nn.Identity(), Bad())(X)
        assert error.value.args == ("k",)
        if hasattr(error.value, "add_note"):
            assert error.value.__notes__ == ["in 1 (Bad())"]

    def test_no_forward(self):
        with pytest.raises(NotImplementedError, match="Module has no forward"):
            nn.Module()(1)


class TestParameter:
    def test_it_shares_elements(self):
        data = sl.ones((3,))
        p = nn.Parameter(data)
        nn.init.zeros_(p)
        assert not data.numpy().any()
        assert p.requires_grad and not data.requires_grad

    def test_without_gradient(self):
        assert not nn.Parameter(sl.ones((1,)), requires_grad=False).requires_grad
        assert nn.Parameter().shape == (0,)
        assert nn.Parameter([1.0, 2.0]).shape == (2,)

    def test_integers_have_no_gradient(self):
        with pytest.raises(ValueError):
            nn.Parameter(sl.tensor([1, 2]))
        assert nn.Parameter(sl.tensor([1, 2]), False).dtype == sl.int64

    def test_text(self):
        assert repr(nn.Parameter(sl.ones((1,)))).startswith("Parameter containing:\n")


class TestThreads:
    def test_calls_on_several_threads(self):
        net = Net().eval()
        wanted = net(X).detach().numpy()
        wrong = []

        def work():
            for _ in range(50):
                if not (net(X).detach().numpy() == wanted).all():
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for _ in range(5):
            nn.summary(net, (2, 4))
        for t in threads:
            t.join()
        assert not wrong
