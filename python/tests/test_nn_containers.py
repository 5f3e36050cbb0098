"""Modules and parameters by number or name; tables of models."""

from collections import OrderedDict

import pytest
import sluice as sl
from nn_small_net import Net, X
from sluice import nn


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
