"""The gradient side of Tensor, and the modes of a thread."""

import threading

import numpy as np
import pytest

import sluice as sl


def tensor(values, grad=False):
    made = sl.add(np.asarray(values, np.float32), np.float32(0))
    return made.requires_grad_(grad)


def same(t, values):
    sl.testing.assert_close(t, values, rtol=1e-6, atol=0)


def test_requires_grad_is_read_and_written():
    x = tensor([1.0, 2.0])
    assert not x.requires_grad and x.is_leaf and x.grad_fn is None
    x.requires_grad = True
    assert x.requires_grad
    assert x.requires_grad_(False) is x and not x.requires_grad


def test_only_floats_and_leaves_can_be_told_to_require_gradients():
    with pytest.raises(ValueError, match="only floating-point"):
        sl.add(np.array([1, 2]), np.array([3, 4])).requires_grad_()
    y = tensor([1.0], grad=True) * 2
    with pytest.raises(RuntimeError, match="wanted a leaf"):
        y.requires_grad = False


def test_backward_adds_to_grad():
    x = tensor([1.0, 2.0, 3.0], grad=True)
    y = sl.sum(x * x)
    assert y.requires_grad and not y.is_leaf and x.grad is None
    y.backward()
    same(x.grad, [2, 4, 6])
    sl.sum(x * x).backward()
    same(x.grad, [4, 8, 12])
    x.zero_grad()
    assert x.grad is None


def test_grad_is_set_and_taken_away():
    x = tensor([1.0, 2.0], grad=True)
    x.grad = tensor([5.0, 6.0])
    same(x.grad, [5, 6])
    x.grad = None
    assert x.grad is None
    x.grad = tensor([5.0, 6.0])
    del x.grad
    assert x.grad is None
    with pytest.raises(ValueError, match=r"grad is f32\[3\]; wanted f32\[2\]"):
        x.grad = tensor([1.0, 2.0, 3.0])
    with pytest.raises(TypeError):
        x.grad = object()


def test_backward_of_a_vector_wants_a_gradient():
    x = tensor([1.0, 2.0], grad=True)
    y = x * x
    with pytest.raises(ValueError, match="wanted a scalar"):
        y.backward()
    with pytest.raises(ValueError, match=r"gradient is f32\[3\]"):
        y.backward(tensor([1.0, 1.0, 1.0]))
    y.backward(gradient=tensor([1.0, 10.0]))
    same(x.grad, [2, 40])


def test_a_second_backward_wants_retain_graph():
    x = tensor(3.0, grad=True)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    same(x.grad, 12)
    with pytest.raises(RuntimeError, match="retain_graph"):
        y.backward()


def test_create_graph_lets_gradients_be_differentiated():
    x = tensor(2.0, grad=True)
    (x * x * x).backward(create_graph=True)
    first = x.grad
    assert first.requires_grad
    x.grad = None
    first.backward()
    same(x.grad, 12)


def test_backward_to_some_inputs_alone():
    a, b = tensor(2.0, grad=True), tensor(3.0, grad=True)
    (a * b).backward(inputs=[a])
    same(a.grad, 3)
    assert b.grad is None
    (a * b).backward(inputs=a)
    same(a.grad, 6)
    with pytest.raises(TypeError):
        (a * b).backward(inputs=[3])
    with pytest.raises(ValueError):
        (a * b).backward(inputs=[])


def test_detach_shares_elements_and_cuts_gradients():
    x = tensor([1.0, 2.0], grad=True)
    y = (x * 2).detach()
    assert not y.requires_grad and y.is_leaf
    z = x * 2
    assert z.detach_() is z and z.is_leaf and not z.requires_grad


def test_clone_has_elements_of_its_own_and_a_gradient():
    x = tensor([1.0, 2.0], grad=True)
    y = x.clone()
    assert y.requires_grad
    sl.sum(y * y).backward()
    same(x.grad, [2, 4])


def test_retain_grad_keeps_that_of_a_tensor_in_between():
    x = tensor(2.0, grad=True)
    y = x * 3
    y.retain_grad()
    assert y.retains_grad and not x.retains_grad
    (y * y).backward()
    same(y.grad, 12)
    same(x.grad, 36)


def test_hooks_see_and_change_gradients():
    x = tensor(2.0, grad=True)
    seen = []
    handle = x.register_hook(lambda g: seen.append(g.clone()))
    changing = x.register_hook(lambda g: g * 10)
    (x * x).backward()
    assert len(seen) == 1
    same(seen[0], 4)
    same(x.grad, 40)
    handle.remove()
    handle.remove()
    changing.remove()
    (x * x).backward()
    assert len(seen) == 1
    same(x.grad, 44)


def test_hooks_of_tensors_in_between():
    x = tensor(2.0, grad=True)
    y = x * 3
    with y.register_hook(lambda g: g * 2):
        (y * 1).backward(retain_graph=True)
        same(x.grad, 6)
    (y * 1).backward()
    same(x.grad, 9)


def test_a_hook_may_remove_itself():
    for make in (lambda x: x, lambda x: x * 1):
        x = tensor(2.0, grad=True)
        y = make(x)
        calls = []

        def once(g):
            calls.append(g)
            handle.remove()

        handle = y.register_hook(once)
        other = y.register_hook(lambda g: calls.append(g))
        (y * y).backward(retain_graph=True)
        (y * y).backward()
        assert len(calls) == 3
        other.remove()


def test_what_a_hook_raises_comes_out_and_leaves_nothing_behind():
    x = tensor(2.0, grad=True)
    y = x * 3

    class Mine(Exception):
        pass

    def fails(g):
        raise Mine("from the hook")

    handle = y.register_hook(fails)
    z = y * y
    with pytest.raises(Mine, match="from the hook"):
        z.backward(retain_graph=True)
    handle.remove()
    z.backward()
    same(x.grad, 36)


def test_a_hook_that_returns_something_else_is_refused():
    x = tensor([1.0, 2.0], grad=True)
    with pytest.raises(TypeError, match="wanted a function"):
        x.register_hook(3)
    handle = x.register_hook(lambda g: tensor([1.0]))
    with pytest.raises(ValueError, match=r"hook: what it returned is f32\[1\]"):
        sl.sum(x * x).backward()
    handle.remove()
    x.register_hook(lambda g: "text")
    with pytest.raises((TypeError, ValueError)):
        sl.sum(x * x).backward()
    with pytest.raises(RuntimeError, match="does not require gradients"):
        tensor(1.0).register_hook(lambda g: g)


def test_grad_fn_names_op_and_line():
    x = tensor(2.0, grad=True)
    y = sl.sin(x * 3)
    assert y.grad_fn.name() == "SinBackward"
    assert y.grad_fn.op == "Sin"
    assert y.grad_fn.line.startswith("test_autograd.py:")
    (before, output), *_ = y.grad_fn.next_functions
    assert before.op == "Mul" and output == 0
    assert before.next_functions[0] == (None, 0)
    assert "SinBackward of test_autograd.py" in repr(y.grad_fn)


def test_version_counts_writes():
    x = tensor([1.0, 2.0])
    assert x._version == 0
    x += 1
    x += 1
    if x._version:  # += wrote in place
        assert x._version == 2


def test_no_grad_as_block_and_decorator():
    x = tensor(2.0, grad=True)
    assert sl.is_grad_enabled()
    with sl.no_grad():
        assert not sl.is_grad_enabled()
        assert not (x * x).requires_grad
        with sl.enable_grad():
            assert (x * x).requires_grad
        assert not sl.is_grad_enabled()
    assert sl.is_grad_enabled()

    @sl.no_grad()
    def f(v):
        return v * v

    @sl.no_grad
    def g(v):
        return v * v

    @sl.inference_mode()
    def h(v):
        return v * v

    assert not any(k(x).requires_grad for k in (f, g, h))
    assert f.__name__ == "f" and g.__name__ == "g"


def test_modes_end_with_an_exception():
    with pytest.raises(KeyError):
        with sl.no_grad():
            raise KeyError("x")
    assert sl.is_grad_enabled()


def test_one_mode_object_serves_many_times():
    off = sl.no_grad()
    with off:
        with off:
            assert not sl.is_grad_enabled()
        assert not sl.is_grad_enabled()
    assert sl.is_grad_enabled()


def test_set_grad_enabled_acts_at_once_and_as_a_block():
    try:
        sl.set_grad_enabled(False)
        assert not sl.is_grad_enabled()
        with sl.set_grad_enabled(True):
            assert sl.is_grad_enabled()
        assert not sl.is_grad_enabled()
    finally:
        sl.set_grad_enabled(True)

    @sl.set_grad_enabled(False)
    def f():
        return sl.is_grad_enabled()

    assert sl.is_grad_enabled()
    assert not f() and not f()
    assert sl.is_grad_enabled()


def test_inference_mode_can_be_off():
    with sl.inference_mode(False):
        assert sl.is_grad_enabled()
    with sl.inference_mode():
        assert not sl.is_grad_enabled()


def test_a_mode_holds_inside_a_generator_only():
    @sl.no_grad()
    def steps():
        got = yield sl.is_grad_enabled()
        try:
            yield (sl.is_grad_enabled(), got)
        except ValueError:
            yield sl.is_grad_enabled()

    run = steps()
    assert next(run) is False and sl.is_grad_enabled()
    assert run.send("hi") == (False, "hi") and sl.is_grad_enabled()
    assert run.throw(ValueError("x")) is False
    assert sl.is_grad_enabled()
    run.close()


def test_modes_belong_to_a_thread():
    seen = []
    with sl.no_grad():
        other = threading.Thread(target=lambda: seen.append(sl.is_grad_enabled()))
        other.start()
        other.join()
    assert seen == [True]


def test_detect_anomaly_names_the_op():
    x = tensor([1.0, 0.0])
    with sl.detect_anomaly():
        with pytest.raises(ValueError, match=r"(?s)\[Log\].*test_autograd.py"):
            sl.log(x)
    sl.log(x)


def test_detect_anomaly_in_the_backward_pass_names_the_forward_line():
    x = tensor([0.0], grad=True)
    y = sl.sum(sl.sqrt(x))
    with sl.detect_anomaly():
        with pytest.raises(ValueError, match="in the gradient of Sqrt at test_auto"):
            y.backward()


def test_an_overwritten_value_is_named_with_both_lines():
    x = tensor([1.0, 2.0], grad=True)
    y = x * 1
    z = sl.sum(y * y)
    with sl.no_grad():
        if not hasattr(y, "add_"):
            pytest.skip("no writes in place yet")
        y.add_(1)
    with pytest.raises(RuntimeError) as e:
        z.backward()
    assert "overwritten in place at test_autograd.py" in str(e.value)
    assert str(e.value).count("test_autograd.py:") >= 3


def test_rows_of_a_table_have_a_sparse_gradient():
    table = tensor(np.ones((4, 2)), grad=True)
    picked = sl.gather(table, np.array([1, 3, 1]))
    sl.sum(picked).backward()
    g = table.grad
    assert g.is_sparse and not table.is_sparse
    same(g.indices(), [1, 3, 1])
    assert g.values().shape == (3, 2)
    together = g.coalesce()
    same(together.indices(), [1, 3])
    same(together.values(), [[2, 2], [1, 1]])
    same(g, [[0, 0], [2, 2], [0, 0], [1, 1]])
    with pytest.raises((RuntimeError, ValueError)):
        table.indices()


def test_why_no_grad_explains():
    x = tensor(2.0, grad=True)
    y = (x * 2).detach() * 3
    assert "detach" in sl.why_no_grad(y, x) or "leaf" in sl.why_no_grad(y, x)
    assert sl.why_no_grad(x * 2, x) == ""


def test_backward_without_gradients_names_the_tensor():
    with pytest.raises(RuntimeError, match="requires_grad") as e:
        tensor(1.0).backward()
    assert "at test_autograd.py:" in str(e.value)
