"""Attributes tensors do not have are refused; data is what PyTorch calls so."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import sluice as sl
import sluice.nn as nn

MODES = [pytest.param(False, id="imperative"), pytest.param(True, id="captured")]


def both(f, captured):
    return sl.function(f) if captured else f


# ---- Attributes ----


@pytest.mark.parametrize("make", [
    lambda: sl.ones(2),
    lambda: nn.Parameter(sl.ones(2)),
    lambda: sl.ones(2, requires_grad=True) * 2,
], ids=["tensor", "parameter", "result"])
@pytest.mark.parametrize(("name", "text"), [
    ("foo", "has no attribute 'foo'"),
    ("requires_gard", "did you mean 'requires_grad'"),
    ("grad_", "did you mean 'grad'"),
    ("dtaa", "did you mean 'data'"),
    ("sum", "is a method"),
])
def test_attributes_that_do_not_exist_are_refused(make, name, text):
    x = make()
    with pytest.raises(AttributeError, match=text):
        setattr(x, name, True)
    assert name == "sum" or not hasattr(x, name)


@pytest.mark.parametrize("captured", MODES)
def test_attributes_that_do_not_exist_are_refused_in_functions(captured):
    def f(x):
        y = x * 2
        y.requires_gard = True
        return y

    with pytest.raises(AttributeError, match="requires_grad"):
        both(f, captured)(sl.ones(2))


def test_attributes_of_graph_tensors_are_refused():
    with sl.Graph():
        x = sl.placeholder(sl.float32, [2])
        with pytest.raises(AttributeError, match="has no attribute 'foo'"):
            x.foo = 1
        x.name  # noqa: B018


def test_own_classes_have_attributes():
    class Tagged(sl.Tensor):
        pass

    class Weight(nn.Parameter):
        pass

    t = Tagged(sl.ones(2))
    t.tag = "a"
    w = Weight(sl.ones(2))
    w.tag = "b"
    assert (t.tag, w.tag) == ("a", "b")


def test_what_exists_can_be_set():
    x = sl.ones(2)
    x.requires_grad = True
    x.grad = sl.zeros(2)
    x.name = "x"
    del x.grad
    assert x.requires_grad and x.grad is None and x.name == "x"
    again = pickle.loads(pickle.dumps(copy.deepcopy(x)))
    assert again.tolist() == [1, 1]


def test_flags_no_layer_looks_at_are_told():
    m = nn.Linear(2, 2)
    for name, text in [("trainning", "did you mean 'training'"),
                       ("requires_grad", "requires_grad_")]:
        with pytest.warns(UserWarning, match=text):
            setattr(m, name, False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.training = False
        m.scale = 2.0
        m.trainable = True


# ---- data ----


@pytest.mark.parametrize("captured", MODES)
def test_data_is_written_past_gradients(captured):
    p = nn.Parameter(sl.tensor([1.0, 2.0]))

    def f(x):
        p.data.mul_(3.0)
        p.data[0] = 7.0
        assert not p.data.requires_grad and p.requires_grad
        return (p * x).sum()

    loss = both(f, captured)(sl.ones(2))
    loss.backward()
    assert loss.item() == 13.0
    assert p.tolist() == [7.0, 6.0] and p.grad.tolist() == [1.0, 1.0]
    assert p.is_leaf


def test_data_shares_memory_and_is_a_constant():
    p = nn.Parameter(sl.tensor([1.0, 2.0]))
    alias = p.data
    assert type(alias) is sl.Tensor and not alias.requires_grad
    assert alias.data_ptr() == p.data_ptr()
    alias.add_(1.0)
    assert p.tolist() == [2.0, 3.0]


def test_data_that_was_kept_for_a_gradient_is_not_written_silently():
    x = sl.tensor([2.0], requires_grad=True)
    y = x * 1
    z = (y * y).sum()
    y.data.mul_(3)
    with pytest.raises(RuntimeError, match="overwritten in place"):
        z.backward()


def test_assigned_data_is_shared():
    p, t = nn.Parameter(sl.tensor([1.0, 2.0])), sl.tensor([5.0, 6.0])
    before = p.data
    p.data = t
    assert p.tolist() == [5.0, 6.0] and p.requires_grad and p.is_leaf
    t.mul_(2.0)
    assert p.tolist() == [10.0, 12.0]
    p.data.add_(1.0)
    assert t.tolist() == [11.0, 13.0]
    assert before.tolist() == [1.0, 2.0]
    before.mul_(0.0)  # nothing to it any more
    assert p.tolist() == [11.0, 13.0]


def test_assigned_data_may_have_another_shape_and_type():
    p = nn.Parameter(sl.ones(2))
    p.data = sl.zeros((3, 4), dtype=sl.float64)
    assert p.shape == (3, 4) and p.dtype == sl.float64
    (p * 2).sum().backward()
    assert p.grad.shape == (3, 4)


def test_calls_recorded_before_keep_the_old_elements():
    p = nn.Parameter(sl.tensor([3.0]))
    y = (p * p).sum()
    p.data = sl.tensor([100.0])
    y.backward()
    assert p.grad.tolist() == [6.0]


def test_old_views_stay_with_the_old_memory():
    p = sl.tensor([1.0, 2.0])
    view = p[0:1]
    p.data = sl.tensor([5.0, 6.0])
    w = sl.tensor([4.0], requires_grad=True)
    view.mul_(w)
    assert p.tolist() == [5.0, 6.0] and not p.requires_grad
    view.sum().backward()
    assert w.grad.tolist() == [1.0]


def test_swapping_data_and_back():
    p = nn.Parameter(sl.tensor([1.0]))
    old = p.data
    p.data = old + 10
    assert p.item() == 11.0
    p.data = old
    assert p.item() == 1.0
    with sl.no_grad():
        p.add_(1.0)
    assert old.item() == 2.0


@pytest.mark.parametrize(("value", "kind", "text"), [
    (3.0, TypeError, "wanted a Tensor"),
    (np.ones(2, np.float32), TypeError, "wanted a Tensor"),
    (sl.tensor([1, 2]), ValueError, "requires gradients"),
])
def test_data_of_the_wrong_kind(value, kind, text):
    p = nn.Parameter(sl.ones(2))
    with pytest.raises(kind, match=text):
        p.data = value
    assert p.tolist() == [1.0, 1.0]


def test_data_of_a_result_keeps_its_shape():
    y = sl.ones(2, requires_grad=True) * 2
    with pytest.raises(ValueError, match="recorded call"):
        y.data = sl.ones(3)


def test_data_is_not_assigned_while_a_function_is_recorded():
    p = nn.Parameter(sl.ones(2))

    @sl.function
    def f(x):
        p.data = x
        return p * 1

    with pytest.raises(NotImplementedError, match="copy_") as told:
        f(sl.zeros(2))
    assert "test_tensor_attributes.py:" in str(told.value)
    assert p.tolist() == [1.0, 1.0]


def test_functions_see_data_that_was_assigned_outside():
    p = nn.Parameter(sl.tensor([1.0, 2.0]))
    f = sl.function(lambda x: (p * x).sum())
    assert f(sl.tensor(2.0)).item() == 6.0
    p.data = sl.tensor([1.0, 1.0, 1.0])
    assert f(sl.tensor(2.0)).item() == 6.0
    p.data = sl.tensor([5.0], dtype=sl.float64)
    assert f(sl.tensor(2.0)).item() == 10.0


def test_functions_that_write_see_memory_that_became_shared():
    p, t = sl.tensor([1.0]), sl.tensor([5.0])

    @sl.function
    def f():
        p.mul_(2.0)
        return t * 1

    assert f().item() == 5.0 and p.item() == 2.0
    p.data = t
    try:
        assert f().item() == 10.0 and p.item() == 10.0
    except RuntimeError as refused:
        assert "memory" in str(refused)  # right, or refused with the reason


def test_data_of_a_graph_is_not_assigned():
    with sl.Graph():
        x = sl.placeholder(sl.float32, [2])
        with pytest.raises(NotImplementedError, match="other memory"):
            x.data = sl.ones(2)
