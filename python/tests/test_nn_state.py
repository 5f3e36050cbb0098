"""What modules hold: loaded, copied, pickled, called as functions of it."""

import copy
import pickle

import numpy as np
import pytest
import sluice as sl
from nn_small_net import NAMES, Net, X
from sluice import nn


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
