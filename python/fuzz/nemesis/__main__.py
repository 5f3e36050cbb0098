"""The command line: rounds of a disturbed job until the time is up."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from .faults import set_loopback
from .rounds import Rounds

# A namespace of our own with a small disk, which may be filled, and a network, which
# may be cut.
_DISK = "NEMESIS_DISK"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="nemesis", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="rounds begin until then")
    parser.add_argument("--rounds", type=int, default=0, help="so many, however long")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=90, help="of a round")
    parser.add_argument("--faults", type=int, default=6, help="in a round")
    parser.add_argument("--kills", type=int, default=0,
                        help="one round of so many kills, spread evenly")
    parser.add_argument("--launcher", default="build/release/bin/sluice")
    parser.add_argument("--json", action="store_true", help="the last line is JSON")
    return parser.parse_args()


def _in_a_room_of_our_own() -> None:
    """Restarts this program in a namespace with its own 8 MB disk and network. Without
    the permission for that it continues and leaves disks and networks alone."""
    if _DISK in os.environ or not shutil.which("unshare"):
        return
    who = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    folder = tempfile.mkdtemp(prefix="nemesis-disk-")
    mount = 'mount -t tmpfs -o size=8m nemesis "$0" && exec "$@"'
    words = ["unshare", "--mount", "--net", *who, "sh", "-c", mount, folder]
    if subprocess.run([*words, "true"], capture_output=True).returncode == 0:
        again = [*words, sys.executable, "-m", "nemesis", *sys.argv[1:]]
        code = subprocess.run(again, env={**os.environ, _DISK: folder}).returncode
        os.rmdir(folder)
        sys.exit(code)
    os.rmdir(folder)
    print("nemesis: no disk can be mounted here: full disks, cut networks are left out")


def main() -> int:
    chosen = _arguments()
    _in_a_room_of_our_own()
    disk = os.environ.get(_DISK)
    if disk:
        set_loopback(True)
    with tempfile.TemporaryDirectory(prefix="nemesis-") as folder:
        rounds = Rounds(chosen, pathlib.Path(folder), disk and pathlib.Path(disk))
        until = time.monotonic() + chosen.seconds
        count = 0
        while True:
            rounds.play(chosen.seed + count)
            count += 1
            enough = count >= chosen.rounds if chosen.rounds else time.monotonic() >= until
            if chosen.kills or enough or rounds.wrong:
                break
    found = rounds.summary()
    print(json.dumps(found) if chosen.json else "\n".join(f"{k}: {v}" for k, v in found.items()))
    for line in rounds.wrong[:20]:
        print("WRONG:", line)
    return 1 if rounds.wrong else 0


sys.exit(main())
