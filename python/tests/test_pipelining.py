"""Layers on several ranks, and micro-batches through them."""

import pathlib
import re

import pytest

import sluice as sl
from ranks_util import good_ranks, run_ranks
from sluice import nn
from sluice.distributed.pipelining import (
    PipelineStage,
    ScheduleGPipe,
    drawn,
    gpipe_order,
    one_f_one_b_order,
    split_sequential,
    ticks,
)

TRAIN = """
from sluice import optim
from sluice.distributed.pipelining import *

def net():
    sl.manual_seed(3)
    return nn.Sequential(
        nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 9), nn.LayerNorm(9), nn.ReLU(),
        nn.Linear(9, 16), nn.Tanh(), nn.Linear(16, 2))

data = np.random.RandomState(5)
xs = data.randn(5, 24, 6).astype(np.float32)
ys = data.randn(5, 24, 2).astype(np.float32)
loss_fn = nn.functional.mse_loss

def fed(schedule, x, y, **options):
    stage = schedule.stage
    args = (sl.tensor(x),) if stage.is_first else ()
    if stage.is_last:
        options["target"] = sl.tensor(y)
    return schedule.step(*args, **options)

def close(a, b):
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(),
                               rtol=2e-5, atol=2e-6)
"""


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("schedule", ["ScheduleGPipe", "Schedule1F1B"])
def test_stages_learn_what_one_process_learns(ranks, schedule):
    good_ranks(
        TRAIN
        + f"""
for batches in (1, 3, 8):
    alone, parts = net(), split_sequential(net(), ranks)
    part = parts[rank]
    stage = PipelineStage(part)
    schedule = {schedule}(stage, batches, loss_fn)
    opt = optim.SGD(part.parameters(), lr=0.1, momentum=0.9)
    plain = optim.SGD(alone.parameters(), lr=0.1, momentum=0.9)
    for x, y in zip(xs, ys):
        losses = []
        opt.zero_grad()
        out = fed(schedule, x, y, losses=losses)
        plain.zero_grad()
        wanted = alone(sl.tensor(x))
        loss = loss_fn(wanted, sl.tensor(y))
        loss.backward()
        of_alone = dict(alone.named_parameters())
        for name, p in part.named_parameters():  # under the names of the whole
            close(p.grad, of_alone[name].grad)
        opt.step()
        plain.step()
        assert (out is not None) == stage.is_last
        if stage.is_last:
            close(out, wanted)
            assert len(losses) == batches
            np.testing.assert_allclose(
                np.mean([l.item() for l in losses]), loss.item(), rtol=1e-5)
    out = schedule.eval(*((sl.tensor(xs[0]),) if stage.is_first else ()))
    if stage.is_last:
        close(out, alone(sl.tensor(xs[0])))
    report = schedule.last
    assert 0 <= report.waiting <= report.seconds and 0 <= report.bubble <= 1
""",
        ranks,
    )


def test_one_forward_one_backward_keeps_fewer_micro_batches():
    good_ranks(
        TRAIN
        + """
part = split_sequential(net(), ranks)[rank]
stage = PipelineStage(part)
for make, wanted in ((ScheduleGPipe, 12), (Schedule1F1B, ranks - rank)):
    schedule = make(stage, 12, loss_fn)
    fed(schedule, xs[0], ys[0])
    assert schedule.last.kept == wanted, (make, schedule.last)
""",
        4,
    )


def test_pipelines_beside_each_other_with_averaged_gradients():
    good_ranks(
        TRAIN
        + """
part = split_sequential(net(), 2)[rank % 2]
stage = PipelineStage(part, pipelines=[[0, 1], [2, 3]])
assert (stage.stage_index, stage.num_stages) == (rank % 2, 2)
same_stage = [dist.new_group([0, 2]), dist.new_group([1, 3])][rank % 2]
schedule = Schedule1F1B(stage, 3, loss_fn)
half = slice(rank // 2, None, 2)
fed(schedule, xs[0][half], ys[0][half])
alone = net()
loss_fn(alone(sl.tensor(xs[0])), sl.tensor(ys[0])).backward()
of_alone = dict(alone.named_parameters())
for name, p in part.named_parameters():
    dist.all_reduce(p.grad, dist.ReduceOp.AVG, same_stage)
    close(p.grad, of_alone[name].grad)
""",
        4,
    )


def test_stages_of_ones_own_pass_several_tensors_and_numbers():
    good_ranks(
        TRAIN
        + """
class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)
    def forward(self, x, mask):
        return self.fc(x), mask, x

class Second(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 2)
    def forward(self, h, mask, x):
        return self.fc(sl.tanh(h)) * mask + x[:, :2]

sl.manual_seed(0)
first, second = First(), Second()
x, y = sl.tensor(xs[0]), sl.tensor(ys[0])
mask = sl.tensor((np.arange(24) % 3).reshape(24, 1))
stage = PipelineStage([first, second][rank])
schedule = ScheduleGPipe(stage, 4, loss_fn)
if rank == 0:
    schedule.step(x, mask=mask)
else:
    schedule.step(target=y)
mine = [p.grad.numpy().copy() for p in stage.submodule.parameters()]
for part in (first, second):
    part.zero_grad()
loss_fn(second(*first(x, mask)), y).backward()
for g, p in zip(mine, stage.submodule.parameters()):
    np.testing.assert_allclose(g, p.grad.numpy(), rtol=2e-5, atol=2e-6)
"""
    )


@pytest.mark.parametrize("kind", ["tuple", "dict", "numpy"])
def test_tensors_inside_of_an_argument_are_cut_too(kind):
    good_ranks(
        TRAIN
        + f"""
kind = {kind!r}
class Stage(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 2)
    def forward(self, given):
        if kind == "numpy":
            return self.fc(sl.tensor(given))
        x, shift = given if kind == "tuple" else (given["x"], given["shift"])
        assert x.shape[0] == shift.shape[0] == 6
        return self.fc(x) + shift

sl.manual_seed(0)
part = Stage()
x, shift = xs[0], xs[1][:, :2]
if kind == "tuple":
    given = (sl.tensor(x), sl.tensor(shift))
elif kind == "dict":
    given = dict(x=sl.tensor(x), shift=sl.tensor(shift))
else:
    given = x
found = []
schedule = ScheduleGPipe(PipelineStage(part), 4, lambda y, t: loss_fn(y, sl.tensor(t)))
out = schedule.step(given, target=ys[0], losses=found)
assert out.shape == (24, 2) and len(found) == 4
grads = [p.grad.clone() for p in part.parameters()]
part.zero_grad()
loss_fn(part(given) if kind == "numpy" else part.fc(sl.tensor(x)) + sl.tensor(shift),
        sl.tensor(ys[0])).backward()
for g, p in zip(grads, part.parameters()):
    close(g, p.grad)
""",
        1,
    )


def test_a_stage_that_fails_ends_the_others():
    ended = run_ranks(
        TRAIN
        + """
class Bad(nn.Module):
    def forward(self, x):
        raise ArithmeticError("the layer is bad")
part = split_sequential(net(), ranks)[rank]
stage = PipelineStage(Bad() if rank == 1 else part)
fed(ScheduleGPipe(stage, 2, loss_fn), xs[0], ys[0])
dist.barrier()
""",
        3,
    )
    assert [end.code for end in ended] == [1, 1, 1]
    assert "the layer is bad" in ended[1].err
    cause = "the program, rank 1 of all, ended with ArithmeticError: the layer is bad"
    for rank in (0, 2):
        assert cause in ended[rank].err, ended[rank].err


def test_bubbles_are_told():
    assert drawn(gpipe_order, 3, 3) == (
        "stage 0: F0 F1 F2  .  .  .  . B0 B1 B2\n"
        "stage 1:  . F0 F1 F2  .  . B0 B1 B2  .\n"
        "stage 2:  .  . F0 F1 F2 B0 B1 B2  .  ."
    )
    assert drawn(one_f_one_b_order, 3, 3) == (
        "stage 0: F0 F1 F2  .  . B0  . B1  . B2\n"
        "stage 1:  . F0 F1  . B0 F2 B1  . B2  .\n"
        "stage 2:  .  . F0 B0 F1 B1 F2 B2  .  ."
    )
    for order in (gpipe_order, one_f_one_b_order):
        for stages in range(1, 6):
            for batches in range(1, 9):
                for row in ticks(order, stages, batches):
                    # Two ticks for each micro-batch, and the way there and back.
                    assert len(row) == 2 * (batches + stages - 1)
                    assert row.count(None) == 2 * (stages - 1)
                    done = [a for a in row if a is not None]
                    assert len(set(done)) == len(done) == 2 * batches


def test_layers_are_cut_so_that_the_largest_stage_is_small():
    def sizes(*widths):
        layers = [nn.Linear(a, b) for a, b in zip(widths, widths[1:])]
        return [len(part) for part in split_sequential(nn.Sequential(*layers), 3)]

    assert sizes(4, 4, 4, 4, 4, 4, 4) == [2, 2, 2]
    assert sizes(2, 2, 2, 2, 50, 50, 2) == [4, 1, 1]
    assert sizes(50, 50, 5, 5, 5) == [1, 1, 2]
    net = nn.Sequential(*[nn.ReLU() for _ in range(5)])
    assert [len(p) for p in split_sequential(net, 2, [1, 4])] == [1, 4]
    with pytest.raises(ValueError, match=r"sizes is \[1, 1\]; wanted 2 counts"):
        split_sequential(net, 2, [1, 1])
    with pytest.raises(ValueError, match="stages is 6; wanted 1 to 5"):
        split_sequential(net, 6)
    with pytest.raises(TypeError, match="net is a Linear; wanted a Sequential"):
        split_sequential(nn.Linear(1, 1), 1)


def test_the_example_reads_digits_on_any_number_of_ranks():
    root = pathlib.Path(__file__).resolve().parents[2]
    body = f"""
import runpy, sys
sys.argv = ["stages.py", "--epochs", "1"]
runpy.run_path({str(root / "examples/python/stages.py")!r}, run_name="__main__")
"""
    env = {"SLUICE_DATA": str(root / "data")}
    shares = []
    for ranks in (1, 3):
        *others, out = good_ranks(body, ranks, prelude="", env=env)
        assert others == [""] * (ranks - 1)
        found = re.match(r"epoch 1: (\d+\.\d)% of unseen digits read right\n", out)
        assert found, out
        shares.append(float(found[1]))
    assert "33% of the ticks are bubbles:\nstage 0: F0 F1 F2  .  . B0" in out, out
    # What one process has, but for the rounding of sums.
    assert min(shares) > 80 and abs(shares[0] - shares[1]) <= 1.0


def test_what_is_wrong_is_said():
    sl.distributed.init_process_group(rank=0, world_size=1)
    try:
        with pytest.raises(TypeError, match="submodule is a int; wanted a Module"):
            PipelineStage(3)
        with pytest.raises(ValueError, match=r"pipelines is \[\[0, 1\]\]; wanted each"):
            PipelineStage(nn.ReLU(), [[0, 1]])
        stage = PipelineStage(nn.Linear(2, 2))
        with pytest.raises(ValueError, match="n_microbatches is 0; wanted at least 1"):
            ScheduleGPipe(stage, 0)
        with pytest.raises(ValueError, match="last stage has no loss; wanted loss_fn"):
            ScheduleGPipe(stage, 2).step(sl.ones([4, 2]))
        schedule = ScheduleGPipe(stage, 3, nn.functional.mse_loss)
        with pytest.raises(ValueError, match=r"\[4, 2\]; wanted rows for 3 equal"):
            schedule.step(sl.ones([4, 2]), target=sl.ones([6, 2]))
    finally:
        sl.distributed.destroy_process_group()
