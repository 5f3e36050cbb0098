"""Random programs of fixed seeds, run at once and captured: they agree.

python/fuzz/capture writes and runs them; `make fuzz-capture` runs more.
"""

import pathlib
import sys

import pytest
from sanitized import SANITIZED

import sluice as sl

FUZZ = pathlib.Path(__file__).resolve().parent.parent / "fuzz"
sys.path.insert(0, str(FUZZ))

from capture import duals, reducing  # noqa: E402
from capture.canonical import form  # noqa: E402
from capture.compare import differences  # noqa: E402
from capture.families import PROGRAMS, ways_of  # noqa: E402
from capture.known import known  # noqa: E402
from capture.outcome import outcome  # noqa: E402
from capture.report import causes, judge_all  # noqa: E402
from capture.snapshot import take  # noqa: E402

JOBS = 2
# family: seeds, and how many of them may be refused, each with a message.
BLOCKS = {
    "functional": (range(0, 240), 3),
    "closures": (range(0, 600), 8),
    "everyday": (range(1000, 1400), 32),
    "state": (range(0, 2000), 25),
}


@pytest.mark.parametrize("family", sorted(BLOCKS))
def test_programs_agree(family):
    seeds, most_refused = BLOCKS[family]
    if SANITIZED:
        seeds = seeds[::8]
    tasks = [{"do": "judge", "family": family, "seed": seed, "torch": False}
             for seed in seeds]
    report = judge_all(tasks, JOBS)
    listed = {name for name in known() if name.partition(":")[0] == family}
    bad = {f"{t['family']}:{t['seed']}": (t, a) for t, a in report.found
           if a["word"] in ("differs", "crash")}
    report.found = [bad[name] for name in sorted(bad) if name not in listed]
    assert not report.found, "\n".join(
        [*report.lines(), *causes(report, 3, {"differs", "crash"}, JOBS)])
    inside = {name for name in listed if int(name.partition(":")[2]) in seeds}
    assert inside <= set(bad), (
        f"take from known.txt what agrees now: {sorted(inside - set(bad))}")
    assert report.counts["refused"] <= most_refused, "\n".join(report.lines())
    agreed = report.counts["agree"] + report.counts["agree (raised)"]
    assert agreed > len(seeds) // 2  # else they would say little


# Programs that failed once, and why.
ONCE = {
    "functional:20012386": "what is told of gradients stood below the loop reading it",
    "functional:20014926": "the same",
    "closures:20014386": "the same, under vmap",
    "closures:20006671": "NaN in the fifth derivative of a square at 0",
    "state:20004226": "vmap of a view that was written since never ended",
    "state:20001751": "a derivative's results behind a branch required gradients",
    "state:8002682": "gradients that are not there were zeros",
    "everyday:8002194": "effects before an error were lost in a later call",
    "everyday:20013930": "a loop handed on a number as a tensor",
    "state:60001011": "a derivative called hooks of what its closure reads",
}


@pytest.mark.parametrize("name", ONCE)
def test_programs_that_failed_once(name):
    family, _, seed = name.partition(":")
    task = {"do": "judge", "family": family, "seed": int(seed), "torch": False}
    report = judge_all([task], 1)
    assert not report.found, "\n".join(report.lines())


# The tools themselves: they see what is wrong, and make it small.

STATE = """\
D = T.float64


def helper(t):
    t += 1
    return t


def run(wrap, see):
    seen = [T.tensor([1.0, 2.0], dtype=D)]
    count = 0

    @wrap
    def step(x, m):
        nonlocal count
        count += 1
        y = x * 2
        z = m.sum()
        if count % 2 == 0:
            y = y + z
        helper(x)
        return y * z

    for value in (1.0, 2.0, 3.0):
        x = T.tensor([value, 1.0], dtype=D)
        m = T.tensor([[value]], dtype=D)
        r = step(x, m)
        see(r, x=x, m=m, seen=seen, count=count)
"""


class StagingError(TypeError):
    pass


def forgetful(T, f):
    """As a capture would be that loses writes to arguments."""
    return lambda *args: f(*(a.clone() for a in args))


def plain(T, f):
    return f


def test_a_lost_write_is_seen_and_reduced():
    from capture.outcome import Way

    ways = [Way("forgetful", plain, forgetful)]
    found = outcome(STATE, ways)
    assert found.word == "differs"
    assert "x: value" in found.what

    small = reducing.reduced(
        STATE, lambda text: outcome(text, ways).word == "differs")
    lines = [line for line in small.splitlines() if line.strip()]
    assert outcome(small, ways).word == "differs"
    assert len(lines) <= 10, small
    assert form(small) == form(small.replace("1.0", "2.0"))


def test_a_program_that_is_refused_says_why():
    from capture.outcome import Way

    def refuses(T, f):
        def call(*args):
            raise StagingError("no: 'x' is 3")
        return call

    found = outcome(STATE, [Way("refuses", plain, refuses)])
    assert (found.word, found.kind) == ("refused", "StagingError: no: '_' is #")


def test_snapshots_hold_gradients_flags_and_leaves():
    w = sl.tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    before = take(w=w, items=[1, {"a": w}])
    assert not differences(before, take(w=w, items=[1, {"a": w}]))
    w.grad.zero_()
    assert [d.path for d in differences(before, take(w=w, items=[1, {"a": w}]))] == [
        "w.grad", "items[1]['a'].grad"]
    w.requires_grad_(False)
    kinds = {d.kind for d in differences(before, take(w=w, items=[1, {"a": w}]))}
    assert "requires_grad" in kinds
    assert [d.kind for d in differences(take(a=1), take(a=2, b=3))] == [
        "value", "unexpected"]


def test_duals_keep_nested_derivatives_apart():
    grad, function = duals.grad, duals.function
    assert grad(lambda x: grad(lambda y: x * y**3)(x))(2.0) == 36.0
    assert duals.jvp(lambda x: function(lambda y: y * x)(x), (2.0,), (1.0,))[1] == 4.0
    assert grad(lambda x: duals.checkpoint(lambda y: y * x * x)(x))(2.0) == 12.0
    assert duals.hessian(lambda x: duals.sin(x) * x)(0.0) == 2.0


def test_programs_are_the_same_for_a_seed():
    for family, program in PROGRAMS.items():
        assert program(3).text == program(3).text
        assert program(3).text != program(4).text
        assert ways_of(family, 3)
