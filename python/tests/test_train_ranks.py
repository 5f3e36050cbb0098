"""The training loop on ranks: stopped, killed, gone on with, and who waits."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from ranks_util import good_ranks, run_ranks

import sluice as sl
from sluice import io

LAUNCHER = pathlib.Path(sl.__file__).parents[2] / "bin" / "sluice"
EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/python/mnist_survives.py"

SETUP = """
import json, time
from sluice import data, optim, train
folder = {folder!r}
sl.manual_seed(5)
net = nn.parallel.DistributedDataParallel(
    nn.Sequential(nn.Linear(2, 6), nn.Dropout(0.3), nn.Linear(6, 1)))
adam = optim.Adam(net.parameters(), lr=0.05)
sl.manual_seed(20 + rank)
rng = np.random.default_rng(1)
x = rng.normal(size=(48, 2)).astype(np.float32)
rows = data.TensorDataset(x, x @ np.array([[1.0], [-2.0]], np.float32))
def loader(batch=4):
    return data.DataLoader(
        rows, batch_size=batch, sampler=data.DistributedSampler(rows, seed=2))
def loss(batch):
    return ((net(batch[0]) - batch[1]) ** 2).mean()
def trainer(**options):
    options.setdefault("show_progress", False)
    options.setdefault("events", False)
    return train.Trainer(net, adam, loss, **options)
def weights():
    return [np.asarray(p.detach()).tolist() for p in net.parameters()]
"""


ALONE = """
import numpy as np
import sluice as sl
from sluice import nn
rank = 0
class Wrapped(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module
    def forward(self, x):
        return self.module(x)
"""


def body(folder, text):
    return SETUP.format(folder=str(folder)) + text


WHOLE = """
result = trainer(epochs=4).fit(loader())
print(json.dumps([result.steps, result.loss, weights()]))
"""


def test_a_killed_rank_and_then_all_go_on_bit_for_bit(tmp_path):
    wanted = good_ranks(body(tmp_path, WHOLE))
    assert wanted[0] == wanted[1]
    ended = run_ranks(
        body(
            tmp_path,
            """
def after(step, loss):
    if step == 9 and rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
trainer(epochs=4, dir=folder, save_every=2).fit(loader(), after_step=after)
""",
        )
    )
    # Whoever is left says that it is worth starting again, and names the one that
    # died; nobody waits for it.
    assert ended[1].code == -9 and ended[0].code == 75
    assert "rank 1" in ended[0].err and "Error" in ended[0].err
    left = io.CheckpointManager(tmp_path).steps()[-1]
    assert left in (6, 8)
    rest = """
result = trainer(epochs=4, dir=folder, save_every=2).fit(loader())
assert result.resumed == LEFT, result
print(json.dumps([result.steps, result.loss, weights()]))
"""
    assert good_ranks(body(tmp_path, rest.replace("LEFT", str(left)))) == wanted


@pytest.mark.skipif(not LAUNCHER.exists(), reason="no sluice launch in this build")
def test_the_example_survives_an_accident(tmp_path):
    def run(name, *words):
        command = [LAUNCHER, "launch", "--ranks", "2", "--restarts", "1"]
        command += [sys.executable, EXAMPLE, "--dir", tmp_path / name, *words]
        path = os.pathsep.join(p for p in sys.path if p)
        env = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr
        return done

    whole, broken = run("whole"), run("broken", "--accident", "50")
    assert "all 2 ranks start again (1 of 1)" in broken.stderr
    assert "gone on from" in broken.stdout and "gone on from" not in whole.stdout
    assert whole.stdout.splitlines()[-1] == broken.stdout.splitlines()[-1]
    a, b = (io.load_checkpoint(tmp_path / name) for name in ("whole", "broken"))
    assert a.step == b.step == 125
    for part in ("model", "optimizer"):
        for key, value in a[part].items():
            np.testing.assert_array_equal(value.numpy(), b[part][key].numpy(), key)


def test_sigterm_of_one_rank_is_a_checkpoint_and_75_on_all(tmp_path):
    wanted = good_ranks(body(tmp_path, WHOLE))
    stop = """
def after(step, loss):
    if step == 5 and rank == 1:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)  # told twice
trainer(epochs=4, dir=folder, save_every=100).fit(loader(), after_step=after)
raise AssertionError("it went on")
"""
    ended = run_ranks(body(tmp_path, stop))
    assert [end.code for end in ended] == [75, 75], ended[0].err + ended[1].err
    assert io.CheckpointManager(tmp_path).steps() == [6]
    rest = """
result = trainer(epochs=3, dir=folder).fit(loader())
assert result.resumed == 6, result
result = trainer(epochs=4, dir=folder).fit(loader())  # a second one, in this program
print(json.dumps([result.steps, result.loss, weights()]))
"""
    assert good_ranks(body(tmp_path, rest)) == wanted


def test_a_pipeline_of_each_rank_goes_on_where_it_was(tmp_path):
    """Its place differs from rank to rank, and is kept for each."""
    own = """
def loader():
    rows = data.from_tensors(x, x @ np.array([[1.0], [-2.0]], np.float32))
    return data.DataLoader(
        rows.shard(rank, ranks).shuffle(24, seed=7).batch(4).prefetch(2),
        batch_size=None)
"""
    wanted = good_ranks(body(tmp_path, own + WHOLE))
    stop = "trainer(epochs=4, dir=folder).fit(loader(), after_step=lambda s, _: s < 9)"
    good_ranks(body(tmp_path, own + stop))
    rest = """
result = trainer(epochs=4, dir=folder).fit(loader())
assert result.resumed == 9, result
print(json.dumps([result.steps, result.loss, weights()]))
"""
    assert good_ranks(body(tmp_path, own + rest)) == wanted


def test_another_number_of_ranks_goes_on(tmp_path):
    first = """
trainer(epochs=2, dir=folder).fit(loader(), after_step=lambda step, loss: step < 8)
"""
    good_ranks(body(tmp_path, first))  # 6 steps a pass: 2 in the second one
    then = """
mine = loader(8 // ranks)
result = trainer(epochs=2, dir=folder).fit(mine)
assert (result.resumed, result.steps) == (8, 12), result
"""
    good_ranks(body(tmp_path, then), ranks=1)
    # The same without a group at all.
    alone = SETUP.format(folder=str(tmp_path))
    alone = alone.replace("(rows, seed=2)", "(rows, 1, 0, seed=2)")
    more = """
result = trainer(epochs=3, dir=folder).fit(loader(8))
assert (result.resumed, result.steps) == (12, 18), result
"""
    alone = alone.replace("nn.parallel.DistributedDataParallel", "Wrapped")
    good_ranks(more, ranks=1, prelude=ALONE + alone)
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [10]


def test_an_error_of_the_program_is_not_worth_a_restart(tmp_path):
    ended = run_ranks(
        body(
            tmp_path,
            """
def after(step, loss):
    if step == 3 and rank == 1:
        raise KeyError("mine")
trainer(dir=folder, save_every=1).fit(loader(), after_step=after)
""",
        )
    )
    assert [end.code for end in ended] == [1, 1]
    assert "KeyError" in ended[0].err and "rank 1" in ended[0].err, ended[0].err


def test_a_lost_rank_is_an_exception_where_that_is_wanted(tmp_path):
    ended = run_ranks(
        body(
            tmp_path,
            """
if rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
try:
    trainer(dir=folder, exit_for_restart=False).fit(loader())
except ConnectionError as error:
    print("caught", error)
""",
        )
    )
    assert ended[0].code == 0 and "caught" in ended[0].out, ended[0].err


def test_one_rank_may_end_a_run_after_a_step():
    good_ranks(
        body(
            "",
            """
result = trainer(epochs=4).fit(
    loader(), after_step=lambda step, loss: not (rank == 1 and step == 3))
assert result.steps == 3, result
""",
        )
    )


def test_ranks_with_other_numbers_of_batches_are_told():
    ended = run_ranks(
        body(
            "",
            """
part = data.Subset(rows, range(16 + 4 * rank))
trainer().fit(data.DataLoader(part, batch_size=4))
""",
        )
    )
    for end in ended:
        assert end.code == 1 and "wanted as many on every rank" in end.err, end.err


def test_metrics_are_means_and_written_once(tmp_path):
    good_ranks(
        body(
            tmp_path,
            """
t = trainer(epochs=2, dir=folder, log_every=3)
result = t.fit(loader(), evaluate=lambda: {"b": 1.0 + rank, "a": 2.0})
assert result.metrics == {"b": 1.5, "a": 2.0}, result
""",
        )
    )
    text = (tmp_path / "metrics.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["step"] for line in lines] == [3, 6, 6, 9, 12, 12]
    assert all(line["steps_per_second"] > 0 for line in lines if "loss" in line)
    assert sorted(os.listdir(tmp_path)) == [
        "metrics.csv",
        "metrics.jsonl",
        "step_00000006",
        "step_00000012",
    ]


def test_a_checkpoint_that_cannot_be_written(tmp_path):
    """The run goes on where that was asked for, on all ranks; not without."""
    fails = """
right = sl._core.write_shard
def full(path, *rest):
    if rank == 1 and FAILS in path:
        raise OSError(28, "no space left on device")
    return right(path, *rest)
sl._core.write_shard = full
"""
    warn = fails.replace("FAILS", "'step_00000004'") + """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    result = trainer(dir=folder, save_every=2, on_save_error="warn").fit(loader())
assert result.steps == 6 and "no space left" in str(told[0].message), told
assert "training goes on" in str(told[0].message)
"""
    good_ranks(body(tmp_path, warn))
    assert io.CheckpointManager(tmp_path).steps() == [2, 6]
    # After SIGTERM there is still the one before.
    told = fails.replace("FAILS", "'step_00000009'") + """
def after(step, loss):
    if step == 8 and rank == 0:
        os.kill(os.getpid(), signal.SIGTERM)
trainer(epochs=3, dir=folder, save_every=2, on_save_error="warn").fit(
    loader(), after_step=after)
"""
    assert [end.code for end in run_ranks(body(tmp_path, told))] == [75, 75]
    assert io.CheckpointManager(tmp_path).steps() == [2, 6, 8]
    # The last one must be written in any other case.
    stop = fails.replace("FAILS", "'step_'") + """
trainer(epochs=2, dir=folder, on_save_error=HOW).fit(loader())
"""
    for how in ("raise", "warn"):
        for end in run_ranks(body(tmp_path / how, stop.replace("HOW", repr(how)))):
            assert end.code == 1 and "OSError" in end.err, end.err


def test_metrics_of_other_names_are_not_averaged():
    ended = run_ranks(
        body("", """
trainer().fit(loader(), evaluate=lambda: {"ab"[rank]: 1.0, "c": 2.0})
""")
    )
    for end in ended:
        assert end.code == 1 and "metrics of the same names" in end.err, end.err


def test_a_rank_that_is_killed_before_fit_is_worth_a_restart(tmp_path):
    ended = run_ranks(
        body(tmp_path, """
if rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
trainer(dir=folder).fit(loader())
""")
    )
    assert [end.code for end in ended] == [75, -9], ended[0].err


def test_a_lost_rank_is_not_waited_for_with_a_checkpoint_under_way(tmp_path):
    """Rank 1 hangs while it writes, until rank 0 has ended."""
    ended = run_ranks(
        body(tmp_path, """
first = [os.getpid()]
dist.broadcast_object_list(first)
right, plain = sl._core.write_shard, loss
def hangs(*given):
    for _ in range(6000):
        try:
            os.kill(first[0], 0)
        except ProcessLookupError:
            return right(*given)
        time.sleep(0.01)
    os._exit(3)
if rank == 1:
    sl._core.write_shard = hangs
steps = 0
def loss(batch):
    global steps
    steps += 1
    if rank == 0 and steps == 3:  # as if it had waited for it
        error = TimeoutError("waited for rank 1")
        error.sluice_code = "DeadlineExceeded"
        raise error
    return plain(batch)
trainer(dir=folder, save_every=2).fit(loader())
""")
    )
    assert [end.code for end in ended] == [75, 75], ended[0].err + ended[1].err


# come(i): rank 1 comes to the i-th collective when the others wait there, on a
# machine however busy.
COMES_LAST = """
import pathlib, time
def come(i):
    marks = pathlib.Path({marks!r})
    (marks / f"{{rank}}-{{i}}").touch()
    if rank == 1:
        while len(list(marks.glob(f"*-{{i}}"))) < dist.get_world_size():
            time.sleep(0.001)
        time.sleep(0.1)
"""


def test_the_straggler_report_says_who_waited_for_whom(tmp_path):
    out = good_ranks(
        COMES_LAST.format(marks=str(tmp_path))
        + """
begun = dist.straggler_report().last_number
for i in range(6):
    come(i)
    dist.all_reduce(sl.ones(4))
report = dist.straggler_report(since=begun)
assert report.straggler() == 1 and sum(report.came_last) == report.collectives
assert report.waited[0][1] > report.waited[1][0], report.waited
assert report.waited[2][1] > report.waited[1][2], report.waited
assert report.waited[1][1] == 0 and report.kept_waiting(0) < report.kept_waiting(1)
later = dist.straggler_report(since=report.last_number)
assert later.collectives < report.collectives
print(report)
""",
        ranks=3,
    )
    assert out[0] == out[1] == out[2]
    first = out[0].splitlines()[1]
    assert first.startswith("  rank 1 (")
    assert "rank 0 0." in first and "rank 2 0." in first


def test_the_log_names_the_straggler(tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    good_ranks(
        body(
            tmp_path,
            COMES_LAST.format(marks=str(marks))
            + """
plain, steps = loss, 0
def loss(batch):
    global steps
    steps += 1
    come(steps)
    return plain(batch)
result = trainer(dir=folder, log_every=6, show_progress=True).fit(
    loader(), evaluate=lambda: {"a": 1.0})
assert result.speed["straggler"] == 1 and result.speed["straggler_ms"] > 0, result
assert result.speed["step_ms_p99"] >= result.speed["step_ms"] > 90
""",
        )
    )
    last = json.loads((tmp_path / "metrics.jsonl").read_text().splitlines()[-2])
    assert last["straggler"] == 1.0 and 0 < last["wait_share"] <= 1.0


def test_the_loss_is_the_mean_of_the_ranks():
    out = good_ranks(
        body(
            "",
            """
own = []
plain = loss
def loss(batch):
    value = plain(batch)
    own.append(float(value))
    return value
result = trainer(max_steps=3).fit(loader())
print(json.dumps([own[-1], result.loss]))
""",
        )
    )
    (a, mean), (b, same) = map(json.loads, out)
    assert mean == same and a != b
    np.testing.assert_allclose(mean, (a + b) / 2, rtol=1e-6)
