"""The cases of `make bench-peers` that take little time: captured they give what
they give as written."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICK = ("mlp", "policy", "ode", "tree_lstm", "beam_search", "embedding", "while_grad")


@pytest.mark.parametrize("case", QUICK)
def test_case_gives_the_same_captured(case):
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "peers" / "run.py"), "--libraries",
         "sluice", "--only", case, "--rounds", "1", "--threads", "1", "--precision",
         "f32"],
        capture_output=True, text=True, check=False, env=dict(os.environ),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    row = next(line for line in done.stdout.splitlines() if "| f32 |" in line)
    captured, imperative = row.split(" | ")[3:5]
    assert "-" not in (captured, imperative), done.stdout


def test_the_check_accuses_what_has_lost_its_lead():
    path = str(ROOT / "benchmarks" / "peers")
    code = (
        f"import sys; sys.path.insert(0, {path!r}); from check import verdict; "
        "assert verdict(2.0, 1.9, True, 0.2) == ''; "
        "assert 'was 2.00' in verdict(2.0, 1.5, True, 0.2); "
        "assert verdict(2.0, 1.5, False, 0.2) == ''; "
        "assert verdict(1.0, 0.7, False, 0.2) == 'behind'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
