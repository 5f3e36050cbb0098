"""Two of our ranks with a slow network between them, in a network of their own.

unshare -rn PYTHON benchmarks/fleet_link.py PORT MEGABITS

The loopback of this network carries so many megabits a second in each direction, and the
ranks do not share memory, as those of two machines do not. Passes lines on to both ranks
(fleet_rank.py) and answers with the slower one's numbers.
"""

from __future__ import annotations

import os
import subprocess
import sys

port, megabits = sys.argv[1:3]
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
# Both directions go through the one device.
limit = f"tbf rate {2 * int(megabits)}mbit burst 256kb latency 100ms"
subprocess.run(f"tc qdisc add dev lo root {limit}".split(), check=True)
ranks = [
    subprocess.Popen(
        [sys.executable, "benchmarks/fleet_rank.py", "sluice", str(rank), "2", port],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "SLUICE_SHARED_MEMORY": "0"},
    )
    for rank in range(2)
]
if [rank.stdout.readline() for rank in ranks] == ["ready\n"] * 2:
    print("ready", flush=True)
for line in sys.stdin:
    for rank in ranks:
        rank.stdin.write(line)
        rank.stdin.flush()
    answers = [rank.stdout.readline().split() for rank in ranks]
    if not all(answers):
        break
    print(*(max(map(float, numbers)) for numbers in zip(*answers)), flush=True)
for rank in ranks:
    rank.stdin.close()
    rank.wait()
