"""Checkpoints that ranks write together, and other numbers of ranks read."""

import os

import numpy as np
import pytest
from ranks_util import good_ranks, run_ranks

import sluice as sl
from sluice import data, io, nn, optim

# A small net after one step on data of each rank, and other random numbers.
NET = """
folder = {folder!r}
sl.manual_seed(3)
net = nn.parallel.DistributedDataParallel(
    nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 2)))
adam = {optimizer}
sl.manual_seed(50 + rank)
def step():
    adam.zero_grad()
    (net(sl.randn(4, 6)) ** 2).mean().backward()
    adam.step()
"""
ADAM = "sl.optim.Adam(net.parameters(), lr=0.1)"
ZERO = (
    "__import__('sluice.distributed.optim').distributed.optim."
    "ZeroRedundancyOptimizer(net.parameters(), sl.optim.Adam, lr=0.1)"
)


def body(folder, text, optimizer=ADAM):
    return NET.format(folder=str(folder), optimizer=optimizer) + text


SAVE = """
step()
checkpoints = dist.checkpoint.CheckpointManager(folder, keep_last=2)
checkpoints.save(1, metrics={"loss": 0.5}, extra=[1], model=net, optimizer=adam)
wanted = sl.randn(3)
step()
after = [np.asarray(p.detach()).copy() for p in net.parameters()]
checkpoints.wait()
"""


def test_ranks_write_shards_and_go_on_where_they_were(tmp_path):
    good_ranks(
        body(
            tmp_path,
            SAVE
            + """
names = sorted(os.listdir(folder + "/step_00000001"))
assert names[0] == "manifest.json", names
assert "model-00001-of-00003.safetensors" in names, names
found = checkpoints.restore(model=net, optimizer=adam)
assert found.step == 1 and found.metrics == {"loss": 0.5} and found.extra == [1]
same(sl.randn(3).numpy(), wanted.numpy())
step()
for p, value in zip(net.parameters(), after):
    same(p.detach().numpy(), value)
for number in (2, 3, 4):
    checkpoints.save(number, model=net)
checkpoints.wait()
assert checkpoints.steps() == [3, 4], checkpoints.steps()
""",
        ),
        ranks=3,
    )


@pytest.mark.parametrize("optimizer", [ADAM, ZERO])
def test_any_number_of_ranks_reads_them(tmp_path, optimizer):
    """What three ranks wrote is read by two, by one, and by a process alone; the
    sharded state of an optimizer, too."""
    show = """
print([np.asarray(p.detach()).tolist() for p in net.parameters()])
state = adam
if hasattr(adam, "consolidate_state_dict"):
    adam.consolidate_state_dict(0)
    if rank == 0:
        state = sl.optim.Adam(net.parameters(), lr=0.1)
        state.load_state_dict(adam.state_dict())
if rank == 0:
    print(sorted((k, np.asarray(v).tolist()) for k, v in state.state_dict().items()
                 if isinstance(v, sl.Tensor)))
"""
    first = """
step()
checkpoints = dist.checkpoint.CheckpointManager(folder)
checkpoints.save(1, model=net, optimizer=adam)
checkpoints.wait()
"""
    then = """
checkpoints = dist.checkpoint.CheckpointManager(folder)
assert checkpoints.restore(model=net, optimizer=adam).step == 1
"""
    wanted = good_ranks(body(tmp_path, first + show, optimizer), ranks=3)[0]
    for ranks in (2, 1):
        got = good_ranks(body(tmp_path, then + show, optimizer), ranks=ranks)
        assert got[0] == wanted
    alone = io.load_checkpoint(tmp_path)
    assert alone.step == 1 and len(alone["model"]) == 4


def test_buffers_are_those_of_rank_0(tmp_path):
    """Running statistics differ from rank to rank between two forwards; what goes on
    from a checkpoint is what goes on without."""
    good_ranks(
        f"""
folder = {str(tmp_path)!r}
sl.manual_seed(3)
net = nn.parallel.DistributedDataParallel(
    nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.BatchNorm1d(5)))
sgd = sl.optim.SGD(net.parameters(), lr=0.1)
sl.manual_seed(50 + rank)
def step(x):
    sgd.zero_grad()
    (net(x) ** 3).mean().backward()
    sgd.step()
step(sl.randn(6, 3))
state = {{k: v.numpy().copy() for k, v in net.state_dict().items()}}
theirs = [None] * ranks
dist.all_gather_object(theirs, state)
key = "module.1.running_mean"
assert (theirs[0][key] != theirs[1][key]).any()
checkpoints = dist.checkpoint.CheckpointManager(folder)
checkpoints.save(1, model=net, optimizer=sgd)
found = checkpoints.load()
for name, value in theirs[0].items():
    same(found["model"][name].numpy(), value)
x = sl.randn(6, 3)
step(x)
after = {{k: v.numpy().copy() for k, v in net.state_dict().items()}}
checkpoints.restore(model=net, optimizer=sgd)
step(x)
for name, value in net.state_dict().items():
    same(value.numpy(), after[name])
""",
        ranks=3,
    )


SHARDED = """
from sluice.distributed import fsdp
folder = {folder!r}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 7), nn.Linear(7, 3)
        self.norm = nn.BatchNorm1d(7)
    def forward(self, x):
        return self.b(sl.tanh(self.norm(self.a(x))))
def made(seed):
    sl.manual_seed(seed)
    net = Net()
    if {wrapped}:
        net = fsdp.FullyShardedDataParallel(net, auto_wrap_policy={{nn.Linear}})
    else:
        fsdp.fully_shard(net)
    return net, sl.optim.Adam(net.parameters(), lr=0.1)
def step(net, adam, x):
    adam.zero_grad()
    ((net(x) - x) ** 2).mean().backward()
    adam.step()
def whole(net, adam):
    inner = net.module if {wrapped} else net
    state = fsdp.full_state_dict(inner)
    for n, one in fsdp.full_optim_state_dict(inner, adam)["state"].items():
        state.update((f"{{n}} {{k}}", v) for k, v in one.items())
    return {{k: np.array(v) for k, v in state.items()}}
x = np.random.RandomState(2).randn(2, 6, 3).astype(np.float32)
"""


@pytest.mark.parametrize("wrapped", [False, True])
def test_sharded_models_and_their_optimizers_are_saved_whole(tmp_path, wrapped):
    """Every rank has other parts under one name: none of them is all of it."""
    shared = SHARDED.format(folder=str(tmp_path), wrapped=wrapped)
    good_ranks(
        shared
        + """
net, adam = made(1)
step(net, adam, sl.tensor(x[0]))
saved = whole(net, adam)
checkpoints = dist.checkpoint.CheckpointManager(folder)
checkpoints.save(1, model=net, optimizer=adam)
step(net, adam, sl.tensor(x[1]))
after = whole(net, adam)
other, other_adam = made(2)
checkpoints.restore(model=other, optimizer=other_adam)
got = whole(other, other_adam)
assert list(got) == list(saved)
for name in got:
    same(got[name], saved[name])
step(other, other_adam, sl.tensor(x[1]))
got = whole(other, other_adam)
for name in got:
    same(got[name], after[name])
try:
    checkpoints.save(2, optimizer=adam)
    raise AssertionError("an optimizer of parts alone")
except ValueError as error:
    assert "wanted the model they belong to" in str(error), error
if rank == 0:
    np.savez(folder + "/saved.npz", **saved)
""",
        ranks=3,
    )
    good_ranks(
        shared
        + """
net, adam = made(5)
step(net, adam, sl.tensor(x[0]))
dist.checkpoint.CheckpointManager(folder).restore(model=net, optimizer=adam)
with np.load(folder + "/saved.npz") as saved:
    got = whole(net, adam)
    for name in saved:
        same(got[name], saved[name])
""",
        ranks=2,
    )
    alone = io.load_checkpoint(tmp_path)["model"]
    assert alone["a.weight"].shape == (7, 3)


EXPERTS = """
from sluice.distributed.nn import MixtureOfExperts
folder = {folder!r}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        experts = [nn.Linear(4, 4), nn.Linear(4, 4)]
        self.moe = MixtureOfExperts(nn.Linear(4, 2 * ranks), experts, top_k=2)
    def forward(self, x):
        return self.moe(x)
def made():
    sl.manual_seed(7 * rank + 1)
    net = nn.parallel.DistributedDataParallel(Net())
    return net, sl.optim.Adam({params}, lr=0.1)
def step(net, adam, x):
    adam.zero_grad()
    (net(x) ** 2).mean().backward()
    adam.step()
"""


@pytest.mark.parametrize("params", ["net.parameters()", "net.named_parameters()"])
def test_experts_of_every_rank_are_saved(tmp_path, params):
    shared = EXPERTS.format(folder=str(tmp_path), params=params)
    good_ranks(
        shared
        + """
def state(net, adam):
    found = {**net.state_dict(), **adam.state_dict()}
    tensors = {k: v for k, v in found.items() if isinstance(v, sl.Tensor)}
    return {k: np.array(v) for k, v in tensors.items()}
net, adam = made()
sl.manual_seed(rank)
x = sl.randn(8, 4)
step(net, adam, x)
saved = state(net, adam)
theirs = [None] * ranks
dist.all_gather_object(theirs, saved)
key = "module.moe.experts.0.weight"
assert (theirs[0][key] != theirs[1][key]).any()
checkpoints = dist.checkpoint.CheckpointManager(folder)
checkpoints.save(1, model=net, optimizer=adam)
step(net, adam, x)
checkpoints.restore(model=net, optimizer=adam)
got = state(net, adam)
assert list(got) == list(saved)
for name in got:
    same(got[name], saved[name])
"""
    )
    told = run_ranks(
        shared
        + """
net, adam = made()
dist.checkpoint.CheckpointManager(folder).restore(model=net, optimizer=adam)
""",
        ranks=1,
    )
    assert "were others on each of 2 ranks, and there are 1" in told[0].err
    assert "module.moe.experts.0.weight@rank1" in io.load_checkpoint(tmp_path)["model"]


def test_what_fails_on_one_rank_is_an_error_on_all_and_changes_nothing(tmp_path):
    good_ranks(
        body(
            tmp_path,
            SAVE
            + """
def full(*given):
    raise OSError(28, "no space left on device")
right = sl._core.write_shard
if rank == 1:
    sl._core.write_shard = full
for where in (checkpoints, dist.checkpoint.CheckpointManager(folder, background=False)):
    try:
        where.save(2, model=net)
        where.wait()
        raise SystemExit("it was saved")
    except OSError as error:
        assert error.errno == 28 and "rank 1" in str(error), error
sl._core.write_shard = right
assert os.listdir(folder) == ["step_00000001"], os.listdir(folder)
assert checkpoints.load().step == 1
checkpoints.save(2, model=net)
checkpoints.wait()
try:
    checkpoints.save(3, model=nn.Linear(2 + rank, 1))
    checkpoints.wait()
    raise SystemExit("other shapes were saved")
except ValueError as error:
    assert "other names, types or shapes" in str(error), error
assert checkpoints.steps() == [1, 2]
""",
        )
    )


def test_a_folder_that_not_all_ranks_see(tmp_path):
    ended = run_ranks(
        body(
            tmp_path,
            """
checkpoints = dist.checkpoint.CheckpointManager(folder + f"/{rank}", background=False)
os.makedirs(folder + "/1", exist_ok=True)
sl._core.write_shard, right = (
    lambda path, *rest: right(path if rank == 0 else folder + "/not/there", *rest)
), sl._core.write_shard
checkpoints.save(1, model=net)
""",
        )
    )
    for end in ended:
        assert end.code == 1, end.err
        assert "wanted a folder that all ranks see" in end.err, end.err


def test_states_that_differ_need_as_many_ranks_or_a_rule(tmp_path):
    good_ranks(
        body(
            tmp_path,
            """
class Place:
    def state_dict(self): return {"rank": rank}
checkpoints = dist.checkpoint.CheckpointManager(folder)
checkpoints.save(1, place=Place())
checkpoints.wait()
assert checkpoints.load()["place"] == {"rank": rank}
""",
        )
    )

    class Place:
        def load_state_dict(self, state):
            raise AssertionError

    with pytest.raises(ValueError, match="place had another state on each of 2 ranks"):
        io.load_checkpoint(tmp_path, place=Place())

    class Divided(Place):
        def load_rank_states(self, states, ranks):
            self.got = states, ranks

    place = Divided()
    io.load_checkpoint(tmp_path, place=place)
    assert place.got == ([{"rank": 0}, {"rank": 1}], 1)


def loader(rank, ranks, batch):
    rows = data.TensorDataset(np.arange(48))
    sampler = data.DistributedSampler(rows, ranks, rank, seed=4)
    return data.DataLoader(rows, batch_size=batch, sampler=sampler)


def test_a_pass_goes_on_on_another_number_of_ranks():
    """Four ranks take half of a pass, two the rest: every row comes once."""
    seen, states = [], []
    for rank in range(4):
        one = loader(rank, 4, 3)
        batches = iter(one)
        seen += [int(i) for _ in range(2) for i in next(batches)[0].numpy()]
        states.append(one.state_dict())
    for rank in range(2):
        one = loader(rank, 2, 6)
        one.load_rank_states(states, 2)
        assert one.state_dict()["taken"] == 2
        seen += [int(i) for batch in one for i in batch[0].numpy()]
    assert sorted(seen) == list(range(48))


def states_after(make, ranks, batches):
    """The states of loaders of all ranks, and what they gave."""
    states, seen = [], []
    for rank in range(ranks):
        one = make(rank, ranks)
        made = iter(one)
        for _ in range(batches):
            seen += [int(i) for i in np.asarray(next(made)).reshape(-1)]
        states.append(one.state_dict())
    return states, seen


def test_a_pass_of_a_pipeline_goes_on_on_another_number_of_ranks():
    def make(size):
        def one(rank, ranks):
            rows = data.range(48).shuffle(48, seed=3).shard(rank, ranks)
            return data.DataLoader(rows.batch(size).prefetch(1), batch_size=None)

        return one

    states, seen = states_after(make(3), 4, 2)
    for rank in range(2):
        rest = make(6)(rank, 2)
        rest.load_rank_states(states, 2)
        assert rest.state_dict()["taken"] == 2
        seen += [int(i) for batch in rest for i in batch.numpy()]
    assert sorted(seen) == list(range(48))
    alone = data.DataLoader(data.range(48).shuffle(48, seed=3), batch_size=8)
    alone.load_rank_states(states, 1)
    assert alone.state_dict()["taken"] == 3


def test_an_order_of_each_rank_alone_cannot_be_divided_again():
    def shuffled(rank, ranks):
        return data.DataLoader(data.range(48).shard(rank, ranks), 4, shuffle=True)

    def everything(rank, ranks):
        return data.DataLoader(data.TensorDataset(np.arange(48)), 4)

    def unshared(rank, ranks):
        return data.DataLoader(data.range(48), 4)

    cases = ((shuffled, "shard"), (everything, "Distributed"), (unshared, "shard"))
    for make, what in cases:
        states, _ = states_after(make, 2, 1)
        with pytest.raises(ValueError, match=f"wanted .*{what}|without a {what}"):
            make(0, 1).load_rank_states(states, 1)


def test_a_place_within_a_batch_of_now():
    states, _ = states_after(lambda rank, ranks: loader(rank, ranks, 4), 2, 1)
    other = loader(0, 3, 2)
    with pytest.warns(UserWarning, match="2 ranks had begun .* of 3: 2 elements come"):
        other.load_rank_states(states, 3)
    assert other.state_dict()["taken"] == 1
    with pytest.raises(ValueError, match="different"):
        other.load_rank_states([states[0], {**states[1], "taken": 7}], 3)
    with pytest.raises(ValueError, match="other loaders"):
        data.DataLoader(other.dataset, batch_size=2).load_rank_states(states, 1)
    with pytest.raises(ValueError, match="no states"):
        other.load_rank_states([{}], 1)


def test_random_numbers_of_ranks_that_were_not_there():
    from sluice.io._rank_states import RankStates

    def of(places, rank):
        read = {"ranks": [{"random": [str(s), c], "states": {}} for s, c in places]}
        return RankStates(read, rank, 4).random()

    assert RankStates({}, 1, 2).random() is None
    assert of([(5, 1), (6, 2)], 1) == (6, 2)
    assert of([(5, 1), (5, 1)], 3) == (5, 1)
    new = [of([(5, 1), (6, 1)], rank) for rank in (0, 1, 2, 3)]
    assert len(set(new)) == 4


def test_a_process_alone_reads_what_it_wrote_as_before(tmp_path):
    net = nn.Linear(2, 2)
    adam = optim.Adam(net.parameters())
    io.save_checkpoint(tmp_path, 4, model=net, optimizer=adam)
    assert sorted(os.listdir(tmp_path / "step_00000004"))[:2] == [
        "manifest.json",
        "model.safetensors",
    ]
    before = sl.randn(2).numpy()
    io.load_checkpoint(tmp_path, model=net, optimizer=adam)
    np.testing.assert_array_equal(sl.randn(2).numpy(), before)
