"""Attributes that an object does not have are refused; v.vlaue = 3 was accepted."""

import pytest
from public_objects import MADE, OPTIMIZERS, SCHEDULERS, dataset, stepped

import sluice as sl
import sluice.compat.tf1 as tf
import sluice.data as data
import sluice.optim as optim
import sluice.report as report
import sluice.train as train
from sluice import nn
from sluice.optim import lr_scheduler

# Programs note what they like there, such as dataset.classes.
OPEN = "ChainDataset ConcatDataset StackDataset Subset TensorDataset".split()


def _queue():
    with sl.Graph():
        return sl.FIFOQueue(2, [sl.float32])


MORE = {
    "Variable": lambda: sl.Variable(1.0),
    "Graph": sl.Graph,
    "Session": lambda: sl.Session(graph=sl.Graph()),
    "FIFOQueue": _queue,
    "Coordinator": sl.Coordinator,
    "Pipeline": lambda: data.Pipeline(range(3)),
    "Table": lambda: report.Table(["a"]),
    "autocast": lambda: sl.autocast("cpu"),
    "numpy.random.Generator": lambda: sl.numpy.random.default_rng(0),
    "tf.ConfigProto": tf.ConfigProto,
    "tf.RunOptions": tf.RunOptions,
    "tf.train.Optimizer": lambda: tf.train.GradientDescentOptimizer(0.1),
}


@pytest.mark.parametrize("name", [*MADE, *MORE])
def test_unknown_attributes_are_refused(name):
    x = (MADE | MORE)[name]()
    if name in OPEN:
        x.vlaue = 3
        return
    with pytest.raises(AttributeError, match="vlaue|has no|read-only|immutable"):
        x.vlaue = 3
    assert not hasattr(x, "vlaue")


@pytest.mark.parametrize(("make", "wrong", "right"), [
    (lambda: stepped(), "param_gruops", "param_groups"),
    (lambda: lr_scheduler.StepLR(stepped(), 2), "gama", "gamma"),
    (lambda: data.DataLoader(dataset(), 2), "num_wokers", "num_workers"),
    (lambda: train.EarlyStopping("loss"), "patiance", "patience"),
    (tf.ConfigProto, "allow_soft_placment", "allow_soft_placement"),
])  # fmt: skip
def test_what_was_meant_is_named(make, wrong, right):
    with pytest.raises(AttributeError, match=f"did you mean '{right}'"):
        setattr(make(), wrong, 1)


@pytest.mark.parametrize("name", [*OPTIMIZERS, *SCHEDULERS])
def test_what_is_there_can_be_set(name):
    x = MADE[name]()
    for key, value in list(vars(x).items()):
        setattr(x, key, value)
    x.step = x.step  # programs count calls that way
    x._note = 1


def test_classes_of_users_have_any_attributes():
    class Own(optim.SGD):
        def __init__(self, params):
            self.before = 1
            super().__init__(params, lr=0.1)
            self.after = 2

    class Plain(optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": 0.1})
            self.count = 0

        def step(self, closure=None):
            self.count += 1

    class Halves(lr_scheduler.LRScheduler):
        def value(self, base, epoch, group):
            self.seen = epoch
            return base / 2

    w = nn.Parameter(sl.ones(2))
    own, plain = Own([w]), Plain([w])
    own.tag = "mine"
    plain.step()
    assert (own.before, own.after, own.tag, plain.count) == (1, 2, "mine", 1)
    assert Halves(own).seen == 0


def test_in_captured_functions_as_well():
    optimizer = stepped()

    @sl.function
    def f(x):
        optimizer.param_gruops = 1
        return x * 2

    with pytest.raises(AttributeError, match="did you mean 'param_groups'"):
        f(sl.ones(2))


def test_what_a_loader_was_made_with_stays():
    # Its batches stayed what they were, whatever was set.
    loader = data.DataLoader(dataset(), 2)
    for name in ("batch_size", "sampler", "batch_sampler", "drop_last", "dataset"):
        with pytest.raises(ValueError, match=f"{name} of a DataLoader"):
            setattr(loader, name, 3)
    loader.num_workers = 1
    assert [len(batch[0]) for batch in loader] == [2, 2, 2]


def test_a_config_that_is_set_later_is_refused_as_well():
    config = tf.ConfigProto()
    config.log_device_placement = True
    with pytest.raises(NotImplementedError, match="log_device_placement"):
        tf.Session(config=config)
