"""What happens to sessions when the network between two hosts fails or is slow.
The hosts are network namespaces of this machine (two_hosts_child.py)."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import sluice as sl

SERVER = pathlib.Path(sl.__file__).parent / "sluice-server"
CHILD = pathlib.Path(__file__).parent / "two_hosts_child.py"


def may_make_hosts():
    if os.geteuid() != 0 or not all(map(shutil.which, ("ip", "unshare", "nsenter"))):
        return False
    words = "ip link add v0 type veth peer name v1 && ip link set v0 up"
    made = subprocess.run(["unshare", "-n", "sh", "-c", words], capture_output=True)
    return made.returncode == 0


pytestmark = [
    pytest.mark.skipif(not SERVER.exists(), reason="no cluster part"),
    pytest.mark.skipif(
        not may_make_hosts(),
        reason="no network namespaces with a cable between them may be made here",
    ),
]


def on_two_hosts(case, folder):
    env = {
        **os.environ,
        "SLUICE_INSECURE_ALLOW_REMOTE": "1",
        "SLUICE_SHARED_MEMORY": "0",  # they are one machine in truth
    }
    done = subprocess.run(
        ["unshare", "-n", sys.executable, str(CHILD), case, str(folder)],
        env=env,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_partition_ends_the_step_with_the_tasks_name_and_heals(tmp_path):
    saw = on_two_hosts("partition", tmp_path)
    assert saw["before"] == 3
    assert "/job:worker/task:1" in saw["error"]
    assert saw["after"] == 3
    assert saw["left"] == [{}, {}]


def test_a_slow_link_makes_a_step_slow_and_nothing_else(tmp_path):
    if not shutil.which("tc"):
        pytest.skip("no tc, which makes links slow")
    saw = on_two_hosts("slow", tmp_path)
    assert saw["got"] == [0, ((1 << 20) - 1) / 2]
    # Longer than a peer that says nothing is waited for there.
    assert saw["seconds"] > 1.5
    assert saw["left"] == [{}, {}]
