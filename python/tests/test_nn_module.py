"""nn.Module: what it is made of, its modes, state, hooks and text."""

import copy
import pickle
from collections import OrderedDict

import numpy as np
import pytest
import sluice as sl
import sluice.nn.functional as F
from sluice import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 3)
        self.body = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Dropout(0.5))
        self.scale = nn.Parameter(sl.ones((3,)))
        self.register_buffer("seen", sl.zeros((2,)))
        self.register_buffer("scratch", sl.zeros((2,)), persistent=False)

    def forward(self, x):
        return self.body(self.fc1(x)) * self.scale


X = np.arange(8, dtype=np.float32).reshape(2, 4)
NAMES = ["scale", "fc1.weight", "fc1.bias", "body.0.weight", "body.0.bias"]


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
        with pytest.raises(ValueError, match="wanted cpu"):
            net.to("cuda")
        with pytest.raises(TypeError, match="type of floats"):
            net.to(sl.int32)
        with pytest.raises(TypeError):
            net.to(3)


class TestState:
    def test_keys_and_order(self):
        assert list(Net().state_dict()) == ["scale", "seen", *NAMES[1:]]

    def test_round_trip(self):
        a, b = Net().eval(), Net().eval()
        assert b.load_state_dict(a.state_dict()) == ([], [])
        assert (a(X).detach().numpy() == b(X).detach().numpy()).all()

    def test_it_shares_elements_and_needs_no_gradient(self):
        net = Net()
        state = net.state_dict()
        assert not state["scale"].requires_grad
        nn.init.constant_(net.scale, 7)
        assert (state["scale"].numpy() == 7).all()
        assert net.state_dict(keep_vars=True)["scale"] is net.scale
        assert "net.scale" in net.state_dict(prefix="net.")

    def test_types_are_converted(self):
        net = Net()
        state = {k: v.numpy().astype(np.float64) for k, v in net.state_dict().items()}
        net.load_state_dict(state)
        assert net.scale.dtype == sl.float32

    def test_a_table_of_what_does_not_fit(self):
        net = Net()
        state = net.state_dict()
        del state["fc1.bias"]
        state["extra"] = sl.ones((1,))
        state["scale"] = sl.ones((5,))
        with pytest.raises(ValueError) as error:
            net.load_state_dict(state)
        text = str(error.value)
        assert "1 missing, 1 extra, 1 mismatched" in text
        assert "fc1.bias" in text and "f32[5]" in text
        keys = net.load_state_dict(state, strict=False)
        missing, unexpected = keys
        assert missing == ["fc1.bias"] and unexpected == ["extra"]
        assert keys.mismatched_keys == ["scale"]
        assert "mismatched" in repr(keys)

    def test_nothing_changes_when_it_fails(self):
        net = Net()
        nn.init.ones_(net.fc1.weight)
        state = {k: np.zeros(v.shape, np.float32) for k, v in net.state_dict().items()}
        state["extra"] = np.zeros(1)
        with pytest.raises(ValueError):
            net.load_state_dict(state)
        assert (net.fc1.weight.detach().numpy() == 1).all()

    def test_bad_states(self):
        with pytest.raises(TypeError, match="wanted a dict"):
            Net().load_state_dict(3)
        with pytest.raises(TypeError, match="key is no str"):
            Net().load_state_dict({1: sl.ones(1)})
        with pytest.raises(TypeError):
            Net().load_state_dict({"scale": object()})

    def test_deepcopy(self):
        net = Net().eval()
        net.body[0].weight = net.fc1.extra = nn.Parameter(sl.ones((3, 3)))
        other = copy.deepcopy(net)
        assert other.body[0].weight is other.fc1.extra
        assert other.body[0].weight is not net.body[0].weight
        assert not other.training
        nn.init.zeros_(other.scale)
        assert (net.scale.detach().numpy() == 1).all()
        assert type(other.scale) is nn.Parameter and other.scale.requires_grad

    def test_pickle(self):
        net = Net().eval()
        net.scale.requires_grad_(False)
        other = pickle.loads(pickle.dumps(net))
        assert not other.training and not other.scale.requires_grad
        assert (net(X).detach().numpy() == other(X).detach().numpy()).all()
        other.train()
        assert not net.training


class TestHooks:
    def test_forward_hooks(self):
        net, seen = Net().eval(), []
        before = net.fc1.register_forward_pre_hook(
            lambda m, args: seen.append((m, len(args)))
        )
        after = net.fc1.register_forward_hook(lambda m, args, y: y * 0)
        y = net(X)
        assert seen == [(net.fc1, 1)]
        wanted = F.relu(net.body[0].bias).detach().numpy()
        assert np.allclose(y.detach().numpy(), wanted)
        before.remove()
        after.remove()
        after.remove()
        assert not np.allclose(net(X).detach().numpy(), wanted)
        assert len(seen) == 1

    def test_a_pre_hook_changes_arguments(self):
        layer = nn.Identity()
        layer.register_forward_pre_hook(lambda m, args: args[0] + 1)
        assert layer(sl.zeros((1,))).numpy() == 1
        layer.register_forward_pre_hook(
            lambda m, args, kwargs: ((args[0] * 5,), kwargs), with_kwargs=True
        )
        assert layer(sl.zeros((1,))).numpy() == 5

    def test_a_handle_is_a_context(self):
        layer = nn.Identity()
        with layer.register_forward_hook(lambda m, a, y: y + 1):
            assert layer(sl.zeros((1,))).numpy() == 1
        assert layer(sl.zeros((1,))).numpy() == 0

    def test_an_exception_comes_out_unchanged(self):
        class Mine(Exception):
            pass

        net = Net()

        def hook(*_):
            raise Mine("no")

        net.fc1.register_forward_hook(hook)
        with pytest.raises(Mine) as error:
            net(X)
        assert error.value.args == ("no",)

    def test_backward_hook(self):
        layer, seen = nn.Linear(4, 3), []

        def hook(module, grad_input, grad_output):
            seen.append((grad_input[0].shape, grad_output[0].shape))
            return (grad_input[0] * 2,)

        handle = layer.register_full_backward_hook(hook)
        x = sl.tensor(X, requires_grad=True)
        layer(x).sum().backward()
        assert seen == [((2, 4), (2, 3))]
        twice = x.grad.numpy()
        handle.remove()
        x = sl.tensor(X, requires_grad=True)
        layer(x).sum().backward()
        assert np.allclose(twice, 2 * x.grad.numpy())

    def test_backward_hook_without_gradients_of_inputs(self):
        layer, seen = nn.Linear(4, 3), []
        layer.register_full_backward_hook(lambda m, i, o: seen.append((i, o[0].shape)))
        layer(X).sum().backward()
        assert seen == [((None,), (2, 3))]

    def test_backward_pre_hook(self):
        layer = nn.Linear(4, 3)
        layer.register_full_backward_pre_hook(lambda m, grads: (grads[0] * 3,))
        layer(X).sum().backward()
        assert np.allclose(layer.bias.grad.numpy(), 6)


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
        assert "test_nn_module.py" in lines[1]
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


class TestContainers:
    def test_sequential(self):
        net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
        assert len(net) == 3
        assert net[-1] is net[2]
        assert isinstance(net[:2], nn.Sequential) and len(net[:2]) == 2
        assert net[0].weight is net[:2][0].weight
        net.append(nn.Tanh())
        assert isinstance(net[3], nn.Tanh)
        del net[1]
        assert [n for n, _ in net.named_children()] == ["0", "1", "2"]
        net.insert(1, nn.ReLU())
        assert isinstance(net[1], nn.ReLU)
        net[1] = nn.Identity()
        assert isinstance(net.pop(1), nn.Identity)
        assert net(X).shape == (2, 2)
        assert len(net + net) == 6
        with pytest.raises(IndexError, match="there are 3"):
            net[3]

    def test_sequential_of_names(self):
        net = nn.Sequential(OrderedDict(fc=nn.Linear(4, 3), act=nn.ReLU()))
        assert isinstance(net.fc, nn.Linear)
        assert list(net.state_dict()) == ["fc.weight", "fc.bias"]
        assert list(net[:1].state_dict()) == ["fc.weight", "fc.bias"]

    def test_module_list(self):
        layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
        layers += [nn.ReLU()]
        layers.extend([nn.Tanh()])
        assert len(layers) == 5 and len(layers[1:3]) == 2
        assert [n for n, _ in layers.named_parameters()][0] == "0.weight"
        assert layers[0] in layers
        with pytest.raises(TypeError):
            layers.append(3)

    def test_module_dict(self):
        layers = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.ReLU()})
        assert list(layers) == ["a", "b"] and "a" in layers
        assert isinstance(layers.pop("b"), nn.ReLU)
        layers["c"] = nn.Tanh()
        layers.update([("d", nn.Tanh())])
        del layers["d"]
        assert list(layers.keys()) == ["a", "c"]
        assert [type(v).__name__ for v in layers.values()] == ["Linear", "Tanh"]

    def test_parameter_list_and_dict(self):
        class Holder(nn.Module):
            def __init__(self):
                super().__init__()
                self.many = nn.ParameterList([sl.ones((2,)), nn.Parameter(sl.ones(3))])
                self.named = nn.ParameterDict({"a": sl.ones((1,))})

        holder = Holder()
        assert [n for n, _ in holder.named_parameters()] == [
            "many.0", "many.1", "named.a",
        ]  # fmt: skip
        assert holder.many[-1].shape == (3,)
        assert holder.named["a"].requires_grad
        assert "Parameter containing" in repr(holder)


class TestSummary:
    def test_shapes_parameters_and_work(self):
        table = nn.summary(Net(), (2, 4))
        rows = {row.path: row for row in table.rows}
        assert rows["fc1"].parameters == 15
        assert rows["fc1"].shape == "[2,3]"
        assert rows["fc1"].flops == 2 * 2 * 4 * 3
        assert table.parameters == 15 + 12 + 3
        assert table.buffers == 4
        assert "Sequential" in str(table)

    def test_nothing_stays(self):
        net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
        nn.summary(net, sl.ones((5, 4)))
        assert int(net[1].num_batches_tracked.numpy()) == 0
        assert not net(X).symbolic

    def test_a_model_that_fails(self):
        with pytest.raises(ValueError, match="in fc1"):
            nn.summary(Net(), (2, 5))
        assert Net()(X).shape == (2, 3)


class TestFunctionalCall:
    def test_a_dict(self):
        net = Net().eval()
        before = net.scale
        y = nn.functional_call(net, {"scale": sl.zeros((3,))}, X)
        assert not y.detach().numpy().any()
        assert net.scale is before and net(X).detach().numpy().any()

    def test_gradients(self):
        net = Net().eval()

        def loss(params):
            return nn.functional_call(net, params, (X,)).sum()

        params = dict(net.named_parameters())
        grads = sl.grad(loss)(params)
        net(X).sum().backward()
        for name, p in params.items():
            ours = grads[name].detach().numpy()
            assert np.allclose(ours, p.grad.numpy(), atol=1e-6), name

    def test_a_list(self):
        net = nn.Linear(4, 3)
        zeros = [sl.zeros(p.shape) for p in net.parameters()]
        assert not nn.functional_call(net, zeros, X).numpy().any()
        with pytest.raises(ValueError, match="1 parameters; wanted 2"):
            nn.functional_call(net, zeros[:1], X)

    def test_bad_names(self):
        net = nn.Linear(4, 3)
        with pytest.raises(KeyError, match="no parameter or buffer 'w'"):
            nn.functional_call(net, {"w": sl.ones((1,))}, X)
        with pytest.raises(TypeError, match="wanted a Tensor"):
            nn.functional_call(net, {"weight": 3}, X)

    def test_a_failure_puts_everything_back(self):
        net = nn.Linear(4, 3)
        before = net.weight
        with pytest.raises(ValueError):
            nn.functional_call(net, {"weight": sl.ones((3, 9))}, X)
        assert net.weight is before


class TestBackwardHooksOfSeveral:
    def test_two_inputs_and_two_results(self):
        class Both(nn.Module):
            def forward(self, a, b):
                return a * b, a + b

        module, seen = Both(), []
        module.register_full_backward_hook(lambda m, i, o: seen.append((i, o)))
        a = sl.tensor([2.0], requires_grad=True)
        b = sl.tensor([5.0], requires_grad=True)
        first, second = module(a, b)
        (first * 3 + second).sum().backward()
        ((grad_a, grad_b), (grad_first, grad_second)), = seen
        assert (float(grad_a), float(grad_b)) == (16.0, 7.0)
        assert (float(grad_first), float(grad_second)) == (3.0, 1.0)
        assert (float(a.grad), float(b.grad)) == (16.0, 7.0)

    def test_a_module_that_is_called_twice(self):
        layer, seen = nn.Linear(2, 2), []
        layer.register_full_backward_hook(lambda m, i, o: seen.append(o[0].shape))
        layer(layer(sl.tensor([[1.0, 2.0]], requires_grad=True))).sum().backward()
        assert seen == [(1, 2), (1, 2)]


class TestThreads:
    def test_calls_on_several_threads(self):
        import threading

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
