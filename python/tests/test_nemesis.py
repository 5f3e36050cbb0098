"""A short run of the nemesis (python/fuzz/nemesis), and its check of histories."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import sluice as sl

FUZZ = pathlib.Path(__file__).resolve().parents[1] / "fuzz"
LAUNCHER = pathlib.Path(sl.__file__).parents[2] / "bin" / "sluice"
sys.path.insert(0, str(FUZZ))

from nemesis.faults import even_kills, plan  # noqa: E402
from nemesis.history import check, check_sequential, check_undisturbed  # noqa: E402
from nemesis.sequential import sequential  # noqa: E402


@pytest.mark.skipif(not LAUNCHER.exists(), reason="no sluice launch in this build")
@pytest.mark.parametrize("seed", [2, 5])
def test_a_disturbed_run_is_the_undisturbed_one_to_the_bit(seed):
    path = os.pathsep.join([str(FUZZ), *(p for p in sys.path if p)])
    words = ["--rounds", "1", "--seed", str(seed), "--steps", "60", "--faults", "5"]
    words += ["--launcher", str(LAUNCHER), "--json"]
    ended = subprocess.run(
        [sys.executable, "-m", "nemesis", *words],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found = json.loads(ended.stdout.splitlines()[-1])
    assert found["bit_equal"] and sum(found["faults"].values()) > 0


def line(step, attempt=0, **other):
    return {"step": step, "attempt": attempt, "digest": f"d{step}", "samples": [step],
            "loss": 1.0, **other}  # fmt: skip


def good():
    return [[line(1), line(2), line(3), line(4)] for _ in range(2)]


def test_faults_follow_from_the_seed():
    assert plan(3, 90, 3, 6, True) == plan(3, 90, 3, 6, True)
    assert plan(3, 90, 3, 6, True) != plan(4, 90, 3, 6, True)
    kinds = {f.kind for seed in range(20) for f in plan(seed, 90, 2, 6, False)}
    assert kinds == {"kill", "kill_all", "launcher", "term", "stop"}
    steps = [f.step for f in even_kills(1, 400, 2, 100)]
    assert steps == sorted(steps) and len(set(steps)) == 100 and steps[-1] < 400


def test_a_right_history_is_right():
    again = [[line(1), line(2), line(2, 1), line(3, 1), line(4, 1)] for _ in range(2)]
    assert check(again, good(), [(0, 1)], 1) == []


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ([line(1), line(2, digest="x"), line(3), line(4)], "digest x"),
        ([line(1), line(2), line(2), line(3), line(4)], "came after step 2"),
        ([line(1), line(3), line(4)], "came after step 1"),
        ([line(1), line(2, samples=[9]), line(3), line(4)], "samples [9]"),
        ([line(1), line(2), line(3)], "not come to the end"),
        ([line(1), line(2), line(2, 1), line(3, 1), line(4, 1)], "steps were lost"),
    ],
)
def test_a_wrong_history_is_found(lines, what):
    wrong = check([lines, lines], good(), [(0, 2)], 1)
    assert any(what in one for one in wrong), wrong


def test_an_undisturbed_run_is_checked_itself():
    assert check_undisturbed(good(), 5) != []
    model = sequential(30)
    assert check_undisturbed(model, 30) == [] and check_sequential(model, model) == []
    wrong = [[{**line, "digest": "x"} if line["step"] == 7 else line for line in of]
             for of in model]  # fmt: skip
    assert [one[:15] for one in check_sequential(wrong, model)] == [
        "rank 0, step 7:",
        "rank 1, step 7:",
    ]
