"""The options of optimizers: one list in C++, which Python's signatures follow."""

import inspect

import pytest

import sluice as sl
from sluice import optim

OPTIMIZERS = [
    cls
    for cls in vars(optim).values()
    if inspect.isclass(cls)
    and issubclass(cls, optim.Optimizer)
    and cls._class is not None
]


def test_every_optimizer_is_here():
    assert len(OPTIMIZERS) == 14


@pytest.mark.parametrize("cls", OPTIMIZERS, ids=lambda cls: cls.__name__)
def test_signature_has_the_options_and_defaults_of_the_list(cls):
    listed = cls._class.options()
    arguments = {
        name: p.default for name, p in inspect.signature(cls).parameters.items()
    }
    made = cls.__new__(cls)
    read = made._to_core(made._given(arguments))
    assert read == {name: default for name, default, _ in listed}
    assert all(meaning.endswith(".") for _, _, meaning in listed)


@pytest.mark.parametrize("cls", OPTIMIZERS, ids=lambda cls: cls.__name__)
def test_groups_keep_the_options_in_the_order_of_the_signature(cls):
    optimizer = cls([sl.ones(2).requires_grad_()])
    names = [n for n in inspect.signature(cls).parameters if n in optimizer.defaults]
    assert list(optimizer.defaults) == names
    assert list(optimizer.param_groups[0]) == ["params", *names]


def test_pairs_that_are_no_pairs_are_refused():
    p = [sl.ones(2).requires_grad_()]
    for cls, key in [(optim.Adam, "betas"), (optim.Rprop, "etas")]:
        for wrong in [0.9, (0.9,), (0.9, 0.99, 0.999)]:
            with pytest.raises(ValueError, match=rf"{key} is .*; wanted a pair"):
                cls(p, **{key: wrong})


def test_differentiable_is_refused():
    with pytest.raises(NotImplementedError, match="Adam: differentiable=True"):
        optim.Adam([sl.ones(2).requires_grad_()], differentiable=True)
