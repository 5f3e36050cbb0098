"""Optimizer state shared out over the ranks."""

import pytest

import sluice as sl
from ranks_util import good_ranks
from sluice import nn, optim
from sluice.distributed.optim import ZeroRedundancyOptimizer

TRAIN = """
from sluice import optim
from sluice.distributed.optim import ZeroRedundancyOptimizer

def net():
    sl.manual_seed(3)
    layers = nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 10), nn.Linear(10, 2)
    return nn.Sequential(*layers)

xs = np.random.RandomState(5).randn(12, 6 * ranks, 6).astype(np.float32)

def train(model, opt, steps, captured=False):
    def step(x):
        opt.zero_grad()
        (model(x) ** 2).mean().backward()
        opt.step()
    run = sl.function(step) if captured else step
    for x in xs[steps]:
        run(sl.tensor(x[rank::ranks]))

def bits(model):
    return b"".join(p.detach().numpy().tobytes() for p in model.parameters()).hex()
"""


@pytest.mark.parametrize("ranks", [2, 5])
def test_it_learns_what_the_optimizer_alone_learns_to_the_bit(ranks):
    good_ranks(
        TRAIN
        + """
for make in (lambda p, c: c(p, optim.Adam, lr=0.01),
             lambda p, c: c(p, optim.SGD, lr=0.05, momentum=0.9)):
    alone = nn.parallel.DistributedDataParallel(net())
    plain = make(alone.parameters(), lambda p, cls, **o: cls(p, **o))
    train(alone, plain, slice(0, 8))
    model = nn.parallel.DistributedDataParallel(net())
    opt = make(model.parameters(), ZeroRedundancyOptimizer)
    train(model, opt, slice(0, 4))
    # Every parameter has its state on one rank.
    owned = [None] * ranks
    dist.all_gather_object(owned, opt.local_state_dict()["mine"])
    assert sorted(sum(owned, [])) == list(range(6))
    # The whole state goes to a file and back, here to itself.
    opt.consolidate_state_dict(to=ranks - 1)
    whole = [opt.state_dict() if rank == ranks - 1 else None]
    dist.broadcast_object_list(whole, src=ranks - 1)
    assert sorted(whole[0]["state"]) == list(range(6))
    again = make(model.parameters(), ZeroRedundancyOptimizer)
    again.load_state_dict(whole[0])
    train(model, again, slice(4, 8))
    assert bits(model) == bits(alone)
""",
        ranks,
    )


def test_it_takes_a_group_of_some_ranks():
    good_ranks(
        TRAIN
        + """
pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]
mine = pairs[rank // 2]
model = net()
opt = ZeroRedundancyOptimizer(model.parameters(), optim.Adam, mine, lr=0.01)
alone = net()
plain = optim.Adam(alone.parameters(), lr=0.01)
for m, o in ((model, opt), (alone, plain)):
    (m(sl.ones([2, 6]) * (1 + rank // 2)) ** 2).mean().backward()
    o.step()
assert bits(model) == bits(alone)
opt.consolidate_state_dict(to=0)
""",
        4,
    )


def test_rates_of_schedulers_reach_the_ranks():
    good_ranks(
        TRAIN
        + """
results = []
for make in (ZeroRedundancyOptimizer, lambda p, cls, **o: cls(p, **o)):
    model = nn.parallel.DistributedDataParallel(net())
    opt = make(model.parameters(), optim.SGD, lr=0.1)
    curve = optim.lr_scheduler.StepLR(opt, 2, 0.5)
    for i in range(6):
        train(model, opt, slice(i, i + 1))
        curve.step()
    results.append(bits(model))
assert results[0] == results[1]
"""
    )


def test_what_is_wrong_is_said():
    sl.distributed.init_process_group(rank=0, world_size=1)
    try:
        model = nn.Linear(2, 1)
        with pytest.raises(TypeError, match="optimizer_class is 3; wanted a class"):
            ZeroRedundancyOptimizer(model.parameters(), 3)
        opt = ZeroRedundancyOptimizer(model.parameters(), optim.Adam, lr=0.1)
        with pytest.raises(RuntimeError, match="has a part of the state only"):
            opt.state_dict()
        with pytest.raises(NotImplementedError, match="belong to ranks already"):
            opt.add_param_group({"params": [nn.Parameter(sl.ones([1]))]})
        with pytest.raises(ValueError, match="the state has None groups; wanted 1"):
            opt.load_state_dict({})
    finally:
        sl.distributed.destroy_process_group()
