"""DistributedDataParallel over real processes of this machine."""

import copy
import pathlib
import re

import pytest

import sluice as sl
from ranks_util import good_ranks, run_ranks
from sluice import nn

TRAIN = """
def net():
    return nn.Sequential(
        nn.Linear(12, 40), nn.Tanh(), nn.Linear(40, 30), nn.ReLU(), nn.Linear(30, 3)
    )

data = np.random.RandomState(5)
xs = data.randn(20, 12, 12).astype(np.float32)
ys = data.randn(20, 12, 3).astype(np.float32)

def train(model, part, captured=False, momentum=0.9):
    opt = sl.optim.SGD(model.parameters(), lr=0.05, momentum=momentum)
    def step(x, y):
        opt.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        opt.step()
        return loss
    run = sl.function(step) if captured else step
    return [run(sl.tensor(x[part]), sl.tensor(y[part])).item() for x, y in zip(xs, ys)]

def bits(model):
    return b"".join(p.detach().numpy().tobytes() for p in model.parameters()).hex()
"""


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("captured", [False, True])
def test_ranks_learn_what_one_process_learns_of_the_joined_batch(ranks, captured):
    body = (
        TRAIN
        + f"""
sl.manual_seed(rank)  # only rank 0's counts
model = nn.parallel.DistributedDataParallel(net(), bucket_cap_mb=0.002)
assert model._reducer.num_buckets == 2
sl.manual_seed(0)
alone = net()
alone.load_state_dict(model.module.state_dict())
train(model, slice(rank, None, ranks), captured={captured})
train(alone, slice(None))
for a, b in zip(model.module.parameters(), alone.parameters()):
    np.testing.assert_allclose(
        a.detach().numpy(), b.detach().numpy(), rtol=2e-5, atol=2e-6
    )
print(bits(model))
"""
    )
    first, again = good_ranks(body, ranks), good_ranks(body, ranks)
    assert len(set(first + again)) == 1  # to the bit, on every rank, in every run


def test_accumulated_gradients_are_averaged_once():
    good_ranks(
        TRAIN
        + """
model = nn.parallel.DistributedDataParallel(net())
alone = net()
alone.load_state_dict(model.module.state_dict())
def loss(m, i, part):
    return (m(sl.tensor(xs[i][part])) ** 2).mean()
with model.no_sync():
    loss(model, 0, slice(rank, None, ranks)).backward()
mine = [p.grad.numpy().copy() for p in model.parameters()]
other = [sl.tensor(g) for g in mine]
for g in other:
    dist.all_reduce(g)
assert any((g.numpy() != 2 * m).any() for g, m in zip(other, mine))  # not averaged
loss(model, 1, slice(rank, None, ranks)).backward()
(loss(alone, 0, slice(None)) + loss(alone, 1, slice(None))).backward()
for a, b in zip(model.module.parameters(), alone.parameters()):
    np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-5, atol=1e-6)
# Averaged already: the same again is added.
before = [p.grad.numpy().copy() for p in model.parameters()]
(0 * loss(model, 1, slice(None))).backward()
for p, g in zip(model.parameters(), before):
    same(p.grad, g)
"""
    )


def test_no_sync_is_refused_around_and_inside_a_captured_function():
    good_ranks(
        """
        net = nn.Linear(2, 1, bias=False)
        ddp = nn.parallel.DistributedDataParallel(net)

        @sl.function
        def step(x):
            ddp(x).sum().backward()

        @sl.function
        def twice(x):
            with ddp.no_sync():
                ddp(x).sum().backward()
            ddp(x).sum().backward()

        x = sl.tensor([[1.0 + rank, 2.0]])
        for _ in range(2):
            net.zero_grad()
            step(x)
            same(net.weight.grad, [[1.5, 2.0]])
            try:
                with ddp.no_sync():
                    step(x)
            except NotImplementedError as error:
                assert "no_sync() around a captured function" in str(error)
            else:
                raise AssertionError("it was recorded for the other case")
        try:
            twice(x)
        except NotImplementedError as error:
            assert "no_sync() in a captured function" in str(error)
        else:
            raise AssertionError("it was not refused")
        """
    )


def test_gradients_of_no_sync_are_not_added_to_averages_of_a_captured_step():
    good_ranks(
        """
        net = nn.Linear(2, 1, bias=False)
        ddp = nn.parallel.DistributedDataParallel(net)

        @sl.function
        def step(x):
            ddp(x).sum().backward()

        def refused(run):
            try:
                run()
            except RuntimeError as error:
                assert "were added up under no_sync()" in str(error)
            else:
                raise AssertionError("gradients of this rank were added to averages")

        x = sl.tensor([[1.0 + rank, 2.0]])
        step(x)  # recorded before
        for _ in range(2):
            net.zero_grad()
            with ddp.no_sync():
                ddp(x).sum().backward()
            refused(lambda: step(x))
            same(net.weight.grad, [[1.0 + rank, 2.0]])
            ddp(x).sum().backward()  # averages both
            same(net.weight.grad, [[3.0, 4.0]])
            step(x)
            same(net.weight.grad, [[4.5, 6.0]])
            with ddp.no_sync():
                ddp(x).sum().backward()
            net.zero_grad()
            step(x)
            same(net.weight.grad, [[1.5, 2.0]])
        """
    )


ROWS = """
class Net(nn.Module):
    def __init__(self, rows=1000):
        super().__init__()
        self.table = nn.Embedding(rows, 3, sparse=True)
        self.fc = nn.Linear(3, 1)

    def forward(self, i):
        return self.fc(self.table(i)).sum()

sl.manual_seed(0)
model = Net()
alone = Net()
alone.load_state_dict(model.state_dict())
ddp = nn.parallel.DistributedDataParallel(model, find_unused_parameters=True)
# As many as the rank has, some of them twice.
of = lambda r: [1, 7, 7, 500 + r] + [900 + r] * (3 * r)

def check():
    for r in range(ranks):
        (alone(sl.tensor(of(r))) / ranks).backward()
    a, b = model.table.weight.grad, alone.table.weight.grad
    np.testing.assert_allclose(a.to_dense().numpy(), b.to_dense().numpy(),
                               rtol=1e-5, atol=1e-6)
    return a
"""


@pytest.mark.parametrize("ranks", [2, 3])
def test_rows_of_tables_are_sent_as_rows(ranks):
    outs = good_ranks(
        ROWS
        + """
def sent(before):
    return dist.flight_record()[len(before):]
before = dist.flight_record()
ddp(sl.tensor(of(rank))).backward()
assert "[3000]" not in sent(before) and "[1000, 3]" not in sent(before)
found = check()
assert found.is_sparse
assert found.indices().numel() == sum(len(of(r)) for r in range(ranks))
# Added up without the others, and then with them.
model.zero_grad()
alone.zero_grad()
with ddp.no_sync():
    ddp(sl.tensor(of(rank))).backward()
ddp(sl.tensor(of(rank))).backward()
for r in range(ranks):
    (alone(sl.tensor(of(r))) / ranks).backward()
check()
opt = sl.optim.SGD(model.parameters(), lr=0.1)
opt.step()
print(model.table.weight.detach().numpy().tobytes().hex())
""",
        ranks,
    )
    assert len(set(outs)) == 1


def test_rows_of_a_rank_that_has_none_or_a_dense_gradient():
    good_ranks(
        ROWS
        + """
if rank == 1:
    of_1 = sl.tensor([3])
    (model.fc(sl.ones([1, 3])).sum() + 0 * ddp(of_1)).backward()
else:
    ddp(sl.tensor([3, 4])).backward()
wanted = np.zeros((1000, 3), "f4")
wanted[3] = wanted[4] = model.fc.weight.detach().numpy()[0] / 2
np.testing.assert_allclose(model.table.weight.grad.to_dense().numpy(), wanted,
                           rtol=1e-6)
model.zero_grad()
if rank == 1:  # not looked up at all
    model.fc(sl.ones([1, 3])).sum().backward()
else:
    ddp(sl.tensor([3, 4])).backward()
np.testing.assert_allclose(model.table.weight.grad.to_dense().numpy(), wanted,
                           rtol=1e-6)
model.zero_grad()
model.fc(sl.ones([1, 3])).sum().backward()  # on no rank
assert model.table.weight.grad is None
extra = (model.table.weight.sum() if rank == 1 else 0)
(ddp(sl.tensor([3, 4])) + extra).backward()
wanted[3] = wanted[4] = model.fc.weight.detach().numpy()[0]
assert not model.table.weight.grad.is_sparse
np.testing.assert_allclose(model.table.weight.grad.numpy(), wanted + 0.5, rtol=1e-5)
"""
    )


def test_hooks_of_parameters_see_this_rank_and_change_what_is_averaged():
    good_ranks(
        """
        model = nn.Linear(2, 1, bias=False)
        seen = []
        model.weight.register_hook(lambda g: (seen.append(g.numpy().copy()), g * 10)[1])
        ddp = nn.parallel.DistributedDataParallel(model)
        ddp(sl.tensor([[1.0 + rank, 2.0]])).sum().backward()
        same(seen, [[[1.0 + rank, 2.0]]])
        same(model.weight.grad, [[15.0, 20.0]])
        """
    )


def test_weights_that_are_transposed_first_come_with_their_layer():
    # Their calls are the first of all, and came last: nothing hid what was sent.
    good_ranks(
        """
        class Layer(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(sl.ones([4, 4]) * 0.5)
                self.shift = nn.Parameter(sl.zeros([4]))

            def forward(self, x):
                w = sl.transpose(self.weight)
                return sl.tanh(nn.functional.linear(x, w) + self.shift)

        net = nn.Sequential(*[Layer() for _ in range(4)])
        ddp = nn.parallel.DistributedDataParallel(net)
        seen = []
        for name, p in net.named_parameters():
            p.register_hook(lambda g, name=name: seen.append(name))
        ddp(sl.ones([2, 4]) * (rank + 1)).sum().backward()
        assert [name[0] for name in seen] == list("33221100"), seen
        # Together with gradients of another use of the same weight.
        found = net[3].weight.grad.numpy().copy()
        net.zero_grad()
        seen.clear()
        (ddp(sl.ones([2, 4]) * (rank + 1)).sum() + net[3].weight.sum()).backward()
        np.testing.assert_allclose(net[3].weight.grad.numpy(), found + 1, rtol=1e-6)
        assert len(seen) == 8
        """
    )


def test_parameters_and_buffers_become_those_of_rank_0():
    good_ranks(
        """
        sl.manual_seed(rank)
        net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
        net[1].running_mean.fill_(float(rank))
        ddp = nn.parallel.DistributedDataParallel(net)
        for t in [*net.parameters(), *net.buffers()]:
            found = [None] * ranks
            dist.all_gather_object(found, t.detach().numpy())
            same(found[0], found[1])
        # Running statistics are those of rank 0 at every forward.
        for _ in range(3):
            ddp(sl.tensor(np.random.RandomState(rank).randn(8, 3).astype("f4")))
        ddp(sl.tensor(np.zeros((8, 3), "f4")))
        found = [None] * ranks
        dist.all_gather_object(found, net[1].running_mean.numpy())
        same(found[0], found[1])
        ddp.eval()
        state = ddp.state_dict()
        assert all(name.startswith("module.") for name in state)
        """
    )


UNUSED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
        self.c = nn.Linear(2, 2, bias=False)

    def forward(self, x, which):
        return (self.a(x) if which == "a" else self.b(x)).sum()

"""


def test_unused_parameters_are_named():
    ended = run_ranks(
        UNUSED
        + """
model = nn.parallel.DistributedDataParallel(Net())
model(sl.ones([1, 2]), "a").backward()
"""
    )
    for end in ended:
        assert end.code == 1
        assert "gave 2 of 3 parameters no gradient: b.weight, c.weight" in end.err
        assert "find_unused_parameters=True" in end.err


def test_unused_parameters_count_as_zero_where_others_use_them():
    good_ranks(
        UNUSED
        + """
model = nn.parallel.DistributedDataParallel(Net(), find_unused_parameters=True)
for _ in range(2):
    model.zero_grad()
    model(sl.ones([1, 2]) * (rank + 1), "a" if rank == 0 else "b").backward()
    same(model.module.a.weight.grad, [[0.5, 0.5]] * 2)
    same(model.module.b.weight.grad, [[1.0, 1.0]] * 2)
    assert model.module.c.weight.grad is None
"""
    )


def test_an_average_that_no_rank_adds_to_stays_as_it_is():
    """It is not averaged once more, which would round it or, here, be too large."""
    good_ranks(
        UNUSED
        + """
model = nn.parallel.DistributedDataParallel(Net(), find_unused_parameters=True)
model(sl.ones([1, 2]), "b").backward()
model.module.b.weight.grad = sl.full([2, 2], 3e38)
model(sl.ones([1, 2]), "a").backward()
same(model.module.b.weight.grad, np.full([2, 2], 3e38, np.float32))
same(model.module.a.weight.grad, [[1.0, 1.0]] * 2)
# What was added up without the others is averaged, with a gradient or not.
model.zero_grad()
with model.no_sync():
    model(sl.ones([1, 2]) * (1 + 2 * rank), "b").backward()
model(sl.ones([1, 2]), "a").backward()
same(model.module.b.weight.grad, [[2.0, 2.0]] * 2)
"""
    )


def test_an_error_in_backward_ends_the_group_with_its_reason():
    ended = run_ranks(
        """
        model = nn.Linear(2, 1)
        ddp = nn.parallel.DistributedDataParallel(model)
        h = ddp(sl.ones([1, 2]))
        if rank == 1:
            def bad(g):
                raise ArithmeticError("the gradient is bad")
            h.register_hook(bad)
        h.sum().backward()
        """
    )
    assert [end.code for end in ended] == [1, 1]
    assert "ArithmeticError: the gradient is bad" in ended[1].err
    assert "rank 1" in ended[0].err


def test_a_gradient_of_gradients_is_refused():
    ended = run_ranks(
        """
        ddp = nn.parallel.DistributedDataParallel(nn.Linear(2, 1))
        (ddp(sl.ones([1, 2])) ** 2).sum().backward(create_graph=True)
        """
    )
    for end in ended:
        assert end.code == 1 and "create_graph with parameters of a data par" in end.err


def test_the_last_bucket_which_nothing_hides_is_a_small_part():
    def buckets(size, layers):
        net = nn.Sequential(*[nn.Linear(size, size) for _ in range(layers)])
        return nn.parallel.DistributedDataParallel(net)._reducer.num_buckets

    sl.distributed.init_process_group(rank=0, world_size=1)
    try:
        assert buckets(512, 16) == 9  # a small one first, then an eighth of all each
        assert buckets(100, 3) == 1  # too little to be sent in parts
    finally:
        sl.distributed.destroy_process_group()


def test_bad_arguments_are_refused():
    sl.distributed.init_process_group(rank=0, world_size=1)
    try:
        ddp = nn.parallel.DistributedDataParallel
        with pytest.raises(TypeError, match="module is a list; wanted a Module"):
            ddp([1])
        with pytest.raises(ValueError, match="no parameters that require gradients"):
            ddp(nn.ReLU())
        with pytest.raises(ValueError, match="bucket_cap_mb is 0; wanted more than 0"):
            ddp(nn.Linear(1, 1), bucket_cap_mb=0)
        model = nn.Linear(1, 1)
        first = ddp(model)
        with pytest.raises(TypeError, match="deepcopy of a DistributedDataParallel"):
            copy.deepcopy(first)
        with pytest.raises(ValueError, match="is watched already"):
            ddp(model)
        del first
        again = ddp(model)
        again(sl.ones([1, 1])).sum().backward()
        assert model.weight.grad.item() == 1.0
    finally:
        sl.distributed.destroy_process_group()
    with pytest.raises(RuntimeError, match="there is no process group"):
        nn.parallel.DistributedDataParallel(nn.Linear(1, 1))


def test_the_example_reads_digits_on_any_number_of_ranks():
    root = pathlib.Path(__file__).resolve().parents[2]
    body = f"""
import runpy, sys
sys.argv = ["mnist_ranks.py", "--epochs", "1"]
runpy.run_path({str(root / "examples/python/mnist_ranks.py")!r}, run_name="__main__")
"""
    env = {"SLUICE_DATA": str(root / "data")}
    two = good_ranks(body, 2, prelude="", env=env)
    assert two[0] == two[1]
    shares = []
    for out in (two[0], good_ranks(body, 1, prelude="", env=env)[0]):
        found = re.fullmatch(r"epoch 1: (\d+\.\d)% of unseen digits read right\n", out)
        assert found, out
        shares.append(float(found[1]))
    # What one process has, but for the rounding of sums.
    assert min(shares) > 80 and abs(shares[0] - shares[1]) <= 1.0


def test_the_example_of_a_scheme_of_ones_own_learns():
    root = pathlib.Path(__file__).resolve().parents[2]
    body = f"""
import runpy, sys
sys.argv = ["local_sgd.py"]
runpy.run_path({str(root / "examples/python/local_sgd.py")!r}, run_name="__main__")
"""
    outs = good_ranks(body, 2, prelude="", env={"SLUICE_DATA": str(root / "data")})
    assert outs[0] == outs[1]
    found = re.fullmatch(r"(\d+\.\d)% of unseen digits read right\n", outs[0])
    assert found and float(found[1]) > 75, outs[0]
