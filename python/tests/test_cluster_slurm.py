"""Servers that srun starts find each other by what it tells them."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess

import numpy as np
import pytest

import sluice as sl

SERVER = pathlib.Path(sl.__file__).parent / "sluice-server"
DAEMONS = ("slurmctld", "slurmd")
pytestmark = [
    pytest.mark.skipif(
        not SERVER.exists() or not all(map(shutil.which, (*DAEMONS, "srun"))),
        reason="no Slurm, or no cluster part",
    ),
    pytest.mark.skipif(os.geteuid() != 0, reason="Slurm's daemons want root"),
]

# A Slurm of its own: one node, this machine, and nobody else's.
CONFIG = """
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ctld}
SlurmdPort={slurmd}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/linear
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
NodeName=localhost NodeAddr=127.0.0.1
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


@pytest.fixture
def slurm(tmp_path):
    ctld, slurmd = free_ports(2)
    for name in ("state", "spool"):
        (tmp_path / name).mkdir()
    config = tmp_path / "slurm.conf"
    config.write_text(CONFIG.format(ctld=ctld, slurmd=slurmd, folder=tmp_path))
    log = (tmp_path / "log").open("w")
    daemons = [
        subprocess.Popen(words, stdout=log, stderr=log)
        for words in (
            ["slurmctld", "-D", "-c", "-f", str(config)],
            ["slurmd", "-D", "-N", "localhost", "-f", str(config)],
        )
    ]
    yield {**os.environ, "SLURM_CONF": str(config)}
    for daemon in reversed(daemons):
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()
    log.close()


def test_servers_of_srun_are_a_cluster(slurm):
    tasks = 3
    # srun waits for the daemons by itself.
    servers = subprocess.Popen(
        ["srun", "-N1", f"-n{tasks}", "--overcommit", str(SERVER)],
        stdout=subprocess.PIPE,
        text=True,
        env=slurm,
    )
    try:
        ports = []
        while len(ports) < tasks:
            line = servers.stdout.readline()
            assert line, "srun has ended"
            if line.startswith("listening "):
                ports.append(int(line.rpartition(":")[2]))
        target = f"grpc://127.0.0.1:{min(ports)}"
        while len(sl.cluster.status(target)["cluster"]) < tasks:
            pass
        assert sl.cluster.status(target)["task"] == "/job:worker/task:0"
        graph = sl.Graph()
        with graph.as_default():
            x = sl.placeholder(sl.float32, [None])
            y = x
            for task in range(tasks):
                with sl.device(f"/job:worker/task:{task}"):
                    y = y + 1.0
        with sl.Session(graph, target=target) as session:
            got = np.asarray(session.run(y, {x: [1.0, 3.0]}))
            assert got.tolist() == [4.0, 6.0]
    finally:
        servers.send_signal(signal.SIGTERM)
        servers.wait()
        servers.stdout.close()
