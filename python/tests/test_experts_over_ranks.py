"""Experts that are on several ranks: all_to_all there and back, with gradients."""

import pytest

import sluice as sl
from ranks_util import good_ranks
from sluice import nn
from sluice.distributed.nn import MixtureOfExperts

TRAIN = """
from sluice import optim
from sluice.distributed.nn import MixtureOfExperts
SIZE, HERE = 5, 2

def expert(number):
    sl.manual_seed(100 + number)
    return nn.Sequential(nn.Linear(SIZE, 7), nn.Tanh(), nn.Linear(7, SIZE))

class Net(nn.Module):
    def __init__(self, experts, group=None, **options):
        super().__init__()
        sl.manual_seed(1)
        self.first = nn.Linear(3, SIZE)
        gate = nn.Linear(SIZE, HERE * ranks)
        self.mixture = MixtureOfExperts(gate, experts, group=group, **options)
        self.last = nn.Linear(SIZE, 1)

    def forward(self, x):
        h = sl.tanh(self.first(x))
        return self.last(h + self.mixture(h))

# One process that has all experts: a group of this rank alone.
groups = [dist.new_group([r]) for r in range(ranks)]
def both(**options):
    sl.manual_seed(0)
    net = Net([expert(rank * HERE + i) for i in range(HERE)], **options)
    alone = Net([expert(i) for i in range(HERE * ranks)], groups[rank], **options)
    alone.load_state_dict({**alone.state_dict(), **{
        n: t for n, t in net.state_dict().items() if "experts" not in n}})
    return net, alone

xs = np.random.RandomState(5).randn(12, 8 * ranks, 3).astype(np.float32)

def train(model, part, captured):
    opt = optim.SGD(model.parameters(), lr=0.1)
    def step(x):
        opt.zero_grad()
        loss = (model(x) - x.prod(dim=1, keepdim=True)).square().mean()
        loss.backward()
        opt.step()
        return loss
    run = sl.function(step) if captured else step
    return [run(sl.tensor(x[part])).item() for x in xs]
"""


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("top_k", [1, 2])
def test_it_learns_what_one_process_with_all_experts_learns(ranks, captured, top_k):
    good_ranks(
        TRAIN
        + f"""
net, alone = both(top_k={top_k})
ddp = nn.parallel.DistributedDataParallel(net, find_unused_parameters=True)
train(ddp, slice(rank, None, ranks), {captured})
train(alone, slice(None), False)
mine, whole = net.state_dict(), alone.state_dict()
for name, t in mine.items():
    head, of, tail = name.partition("experts.")
    if of:  # numbered among all
        number, _, rest = tail.partition(".")
        name = f"{{head}}experts.{{rank * HERE + int(number)}}.{{rest}}"
    np.testing.assert_allclose(t.numpy(), whole[name].numpy(), rtol=1e-4, atol=1e-5,
                               err_msg=name)
# Experts of every rank have learnt something.
before = both()[1].state_dict()
for r in range(ranks):
    names = [f"mixture.experts.{{r * HERE + i}}.0.weight" for i in range(HERE)]
    assert any((whole[n].numpy() != before[n].numpy()).any() for n in names)
""",
        ranks,
    )


def test_rows_that_find_no_place_get_zeros():
    good_ranks(
        TRAIN
        + """
gate = nn.Linear(SIZE, HERE * ranks)
with sl.no_grad():
    gate.weight.zero_()
    gate.bias.copy_(sl.tensor([0.0] * (HERE * ranks - 1) + [5.0]))
layer = MixtureOfExperts(gate, [nn.Identity(), nn.Identity()], capacity=2.0)
x = sl.ones([8, SIZE]) * (rank + 1)
y = layer(x)
weight = gate(x).softmax(dim=-1).max().item()
# Twice 8 rows / 4 experts: 4 slots, and all rows want the last expert.
np.testing.assert_allclose(y.detach().numpy()[:4], weight * (rank + 1), rtol=1e-5)
same(y.detach().numpy()[4:], np.zeros((4, SIZE)))
route = layer.route(x)
assert route.slots == 4
assert (route.place == 16).sum().item() == 4
"""
    )


def test_the_example_learns():
    import pathlib
    import re

    root = pathlib.Path(__file__).resolve().parents[2]
    body = f"""
import runpy, sys
sys.argv = ["experts_ranks.py", "--steps", "150"]
runpy.run_path({str(root / "examples/python/experts_ranks.py")!r}, run_name="__main__")
"""
    outs = good_ranks(body, 2, prelude="")
    losses = [float(n) for n in re.findall(r"loss (\d+\.\d+)", outs[0])]
    assert losses[-1] < losses[0] / 2 and outs[1] == ""


def test_what_is_wrong_is_said():
    sl.distributed.init_process_group(rank=0, world_size=1)
    try:
        with pytest.raises(ValueError, match="experts is empty; wanted at least one"):
            MixtureOfExperts(nn.Linear(2, 1), [])
        with pytest.raises(ValueError, match="top_k is 2; wanted 1 to 1"):
            MixtureOfExperts(nn.Linear(2, 1), [nn.ReLU()], top_k=2)
        with pytest.raises(ValueError, match="capacity is 0; wanted more than 0"):
            MixtureOfExperts(nn.Linear(2, 1), [nn.ReLU()], capacity=0)
        layer = MixtureOfExperts(nn.Linear(2, 3), [nn.ReLU()])
        with pytest.raises(ValueError, match=r"of shape \[2\]; wanted \[rows, siz"):
            layer(sl.ones([2]))
        with pytest.raises(ValueError, match="the gate gives 3 scores; wanted 1"):
            layer(sl.ones([1, 2]))
    finally:
        sl.distributed.destroy_process_group()
