"""Hooks of modules, forward and backward."""

import numpy as np
import pytest
import sluice as sl
import sluice.nn.functional as F
from nn_small_net import Net, X
from sluice import nn


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
