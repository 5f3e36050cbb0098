"""Parameters shared out over the ranks: fully_shard and FullyShardedDataParallel."""

import pathlib
import warnings

import pytest

import sluice as sl
from ranks_util import good_ranks
from sluice import nn
from sluice.distributed.fsdp import FullyShardedDataParallel, fully_shard

TRAIN = """
from sluice import optim
from sluice.distributed import fsdp

class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.fc = nn.Linear(size, size)
        self.drop = nn.Dropout(0.0)

    def forward(self, x, scale=1.0):
        return x + sl.tanh(self.fc(self.norm(self.drop(x)))) * scale

class Net(nn.Module):
    def __init__(self, size=13):
        super().__init__()
        self.first = nn.Linear(7, size)
        self.blocks = nn.ModuleList(Block(size) for _ in range(3))
        self.last = nn.Linear(size, 7, bias=False)
        self.register_buffer("shift", sl.zeros([7]))
        self.last.weight.requires_grad_(True)

    def forward(self, x):
        y = self.first(x)
        for block in self.blocks:
            y = block(y, scale=0.5)
        return self.last(y) + self.shift

def net(seed=3):
    sl.manual_seed(seed)
    return Net()

data = np.random.RandomState(5)
xs = data.randn(10, 12, 7).astype(np.float32)

def train(model, opt, part, steps=slice(None), captured=False, clip=None):
    def step(x):
        opt.zero_grad()
        loss = ((model(x) - x) ** 2).mean()
        loss.backward()
        if clip:
            clip()
        opt.step()
        return loss
    run = sl.function(step) if captured else step
    for x in xs[steps]:
        run(sl.tensor(x[part]))

def close(a, b):
    assert list(a) == list(b)
    for name in a:
        np.testing.assert_allclose(
            a[name].numpy(), b[name].numpy(), rtol=2e-5, atol=2e-6, err_msg=name
        )

mine = slice(rank, None, ranks)
"""


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("captured", [False, True])
def test_ranks_learn_what_one_process_learns_of_the_joined_batch(ranks, captured):
    good_ranks(
        TRAIN
        + f"""
for reshard in (None, False, True):
    model = net(rank)  # only rank 0's counts
    for block in model.blocks:
        fsdp.fully_shard(block, reshard_after_forward=reshard)
    fsdp.fully_shard(model, reshard_after_forward=reshard)
    alone = net(0)
    names = [name for name, _ in alone.named_parameters()]
    assert [name for name, _ in model.named_parameters()] == names
    opt = optim.Adam(model.parameters(), lr=0.01)
    train(model, opt, mine, captured={captured})
    train(alone, optim.Adam(alone.parameters(), lr=0.01), slice(None))
    close(fsdp.full_state_dict(model), alone.state_dict())
""",
        ranks,
    )


def test_a_rank_holds_its_share_of_parameters_gradients_and_moments():
    good_ranks(
        TRAIN
        + """
def held(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)

def moments(opt):
    kept = opt.torch_state_dict()["state"].values()
    return held(t for one in kept for t in one.values()
                if isinstance(t, sl.Tensor) and t.ndim > 0)

alone = net()
plain = optim.Adam(alone.parameters(), lr=0.01)
train(alone, plain, slice(None), slice(0, 1))
model = fsdp.FullyShardedDataParallel(net(), auto_wrap_policy={Block})
opt = optim.Adam(model.parameters(), lr=0.01)
train(model, opt, mine, slice(0, 1))
tensors = len(list(model.parameters()))
grads = lambda m: (p.grad for p in m.parameters())
for whole, part in (
    (held(alone.parameters()), held(model.parameters())),
    (held(grads(alone)), held(grads(model))),
):
    assert part * ranks <= whole + 4 * tensors * ranks, (part, whole)
    assert part * ranks >= whole
part, whole = moments(opt), moments(plain)
assert whole == 2 * held(alone.parameters())
assert whole <= part * ranks <= whole + 8 * tensors * ranks, (part, whole)
# Whole ones are nobody's after a step: what runs again gathers them again.
assert all(p.ndim == 1 for p in model.parameters())
""",
        4,
    )


def test_parameters_are_gathered_for_the_forward_and_again_for_the_backward():
    good_ranks(
        TRAIN
        + """
def gathers(call):
    before = dist.flight_record().count("all_gather")
    call()
    return dist.flight_record().count("all_gather") - before

for reshard, wanted in ((True, (1, 1)), (False, (1, 0))):
    model = fsdp.fully_shard(Block(8), reshard_after_forward=reshard)
    found = []
    assert gathers(lambda: found.append(model(sl.ones([2, 8])))) == wanted[0]
    assert gathers(lambda: found[0].sum().backward()) == wanted[1]
    with sl.no_grad():
        assert gathers(lambda: model(sl.ones([2, 8]))) == 1
"""
    )


def test_the_whole_state_goes_out_and_into_another_number_of_ranks():
    body = (
        TRAIN
        + """
import pickle
def make():
    model = fsdp.FullyShardedDataParallel(net(7), auto_wrap_policy={Block})
    return model, optim.Adam(model.parameters(), lr=0.01)
alone = net(0)
plain = optim.Adam(alone.parameters(), lr=0.01)
train(alone, plain, slice(None), slice(0, 4))
model, opt = make()
model.load_state_dict(alone.state_dict())
fsdp.load_full_optim_state_dict(model, opt, plain.torch_state_dict())
train(model, opt, mine, slice(4, 7))
state, moments = model.state_dict(), model.optim_state_dict(model, opt)
again, other = make()
again.load_state_dict({name: t.numpy() for name, t in state.items()})
again.load_optim_state_dict(again, other, moments)
train(again, other, mine, slice(7, 10))
train(alone, plain, slice(None), slice(4, 10))
close(again.state_dict(), alone.state_dict())
kept, wanted = (m["state"] for m in (again.optim_state_dict(again, other),
                                     plain.torch_state_dict()))
for number in wanted:
    for key in ("exp_avg", "exp_avg_sq"):
        np.testing.assert_allclose(kept[number][key].numpy(),
                                   wanted[number][key].numpy(), rtol=1e-4, atol=1e-7)
assert bool(fsdp.full_state_dict(model, rank0_only=True)) == (rank == 0)
"""
    )
    good_ranks(body, 1)
    good_ranks(body, 3)


def test_norms_are_those_of_all_parts_together():
    good_ranks(
        TRAIN
        + """
alone = net()
train(alone, optim.SGD(alone.parameters(), lr=0.5), slice(None),
      clip=lambda: nn.utils.clip_grad_norm_(alone.parameters(), 0.05))
model = fsdp.FullyShardedDataParallel(net(), auto_wrap_policy={Block})
train(model, optim.SGD(model.parameters(), lr=0.5), mine,
      clip=lambda: model.clip_grad_norm_(0.05))
close(model.state_dict(), alone.state_dict())
# Each rank would take the norm of its own parts, and scale by that.
for clip in (nn.utils.clip_grad_norm_, optim.clip_grad_norm_):
    try:
        clip(model.parameters(), 0.05)
    except NotImplementedError as error:
        assert "fsdp.clip_grad_norm_" in str(error)
    else:
        raise AssertionError("it was not refused")
""",
        3,
    )


def test_tied_frozen_and_added_up_gradients():
    good_ranks(
        TRAIN
        + """
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(7, 7), nn.Linear(7, 7)
        self.b.weight = self.a.weight
        self.b.bias.requires_grad_(False)
    def forward(self, x):
        return self.b(sl.tanh(self.a(x)))

sl.manual_seed(1)
alone, model = Tied(), Tied()
model.load_state_dict(alone.state_dict())
fsdp.fully_shard(model)
assert len(list(model.parameters())) == 3
for x in xs[:2]:
    ((model(sl.tensor(x[mine])) ** 2).mean()).backward()
    ((alone(sl.tensor(x)) ** 2).mean()).backward()
whole = fsdp._shard.units_of(model, "test")[0]
for entry in whole.entries:
    module, name = entry.places[0]
    wanted = alone.get_parameter(
        ("a." if module is model.a else "b.") + name).grad
    if wanted is None:
        assert entry.part.grad is None
    else:
        np.testing.assert_allclose(whole.joined(entry, entry.part.grad).numpy(),
                                   wanted.numpy(), rtol=1e-5, atol=1e-6)
"""
    )


@pytest.mark.parametrize("captured", [False, True])
def test_running_statistics_move_once_a_step(captured):
    good_ranks(
        TRAIN
        + f"""
make = lambda: nn.Sequential(nn.Linear(7, 5), nn.BatchNorm1d(5))
sl.manual_seed(0)
alone = make()
model = make()
model.load_state_dict(alone.state_dict())
fsdp.fully_shard(model)
def step(net, x):
    (net(x) ** 3).sum().backward()
if {captured}:
    step = sl.function(step)
for x in xs[:3]:
    step(model, sl.tensor(x))
    step(alone, sl.tensor(x))
same(model[1].num_batches_tracked, alone[1].num_batches_tracked)
np.testing.assert_allclose(model[1].running_mean.numpy(),
                           alone[1].running_mean.numpy(), rtol=1e-5)
"""
    )


def test_gpt2_over_a_group_of_some_ranks():
    root = pathlib.Path(__file__).resolve().parents[2]
    good_ranks(
        f"""
import sys
sys.path.insert(0, {str(root / "examples/python")!r})
from gpt2 import GPT2, Block, Config
from sluice import optim
from sluice.distributed.fsdp import FullyShardedDataParallel
pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]
tokens = np.random.RandomState(0).randint(0, 20, (4, 4, 9))
def make():
    sl.manual_seed(0)
    return GPT2(Config(20, 16, n_embd=16, n_layer=2, n_head=4))
def train(model, part):
    opt = optim.Adam(model.parameters(), lr=0.01)
    for t in tokens:
        t = sl.tensor(t[part])
        opt.zero_grad()
        scores = model(t[:, :-1]).reshape(-1, 20)
        nn.functional.cross_entropy(scores, t[:, 1:].reshape(-1)).backward()
        opt.step()
model = FullyShardedDataParallel(make(), pairs[rank // 2], auto_wrap_policy={{Block}})
train(model, slice(rank % 2, None, 2))
alone = make()
train(alone, slice(None))
for (name, t), (_, wanted) in zip(model.state_dict().items(),
                                  alone.state_dict().items()):
    np.testing.assert_allclose(t.numpy(), wanted.numpy(), rtol=1e-3, atol=1e-4,
                               err_msg=name)
""",
        4,
    )


def test_an_optimizer_made_before_is_told():
    sl.distributed.init_process_group(rank=0, world_size=1)
    try:
        model = nn.Linear(2, 2)
        optimizer = sl.optim.SGD(model.parameters(), lr=0.1)
        fully_shard(model)
        with pytest.warns(UserWarning, match="2 of 2 whole parameters of this Linear"):
            model(sl.ones([1, 2]))
        del optimizer
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model(sl.ones([1, 2]))  # told once
            fully_shard(nn.Linear(2, 2))(sl.ones([1, 2]))
    finally:
        sl.distributed.destroy_process_group()


def test_what_is_wrong_is_said():
    sl.distributed.init_process_group(rank=0, world_size=1)
    try:
        with pytest.raises(TypeError, match="fully_shard: module is a int; wanted"):
            fully_shard(3)
        with pytest.raises(TypeError, match="auto_wrap_policy is .3.; wanted classes"):
            FullyShardedDataParallel(nn.Linear(1, 1), auto_wrap_policy=[3])
        model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
        model[1].weight = model[0].weight
        with pytest.raises(ValueError, match="no part of this Sequential is sharded"):
            sl.distributed.fsdp.full_state_dict(model)
        fully_shard(model[0])
        with pytest.raises(ValueError, match="weight of this Linear is shared with"):
            fully_shard(model[1])
        with pytest.raises(ValueError, match="this Linear is sharded already"):
            fully_shard(model[0])
        with pytest.raises(ValueError, match="has none of the model's 2 parts"):
            other = sl.optim.SGD(nn.Linear(1, 1).parameters(), lr=1.0)
            sl.distributed.fsdp.full_optim_state_dict(model, other)
        whole = FullyShardedDataParallel(nn.Linear(2, 3))
        with pytest.raises(ValueError, match=r"bias is missing; x is not the model's"):
            whole.load_state_dict({"weight": sl.ones([3, 2]), "x": sl.ones([1])})
        with pytest.raises(ValueError, match=r"weight is \[2\], wanted \[3, 2\]"):
            whole.load_state_dict({"weight": sl.ones([2]), "bias": sl.ones([3])})
    finally:
        sl.distributed.destroy_process_group()
