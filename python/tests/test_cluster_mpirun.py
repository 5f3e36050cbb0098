"""Servers that mpirun starts find each other by what it tells them."""

import os
import pathlib
import shutil
import signal
import subprocess

import numpy as np
import pytest

import sluice as sl

SERVER = pathlib.Path(sl.__file__).parent / "sluice-server"
pytestmark = pytest.mark.skipif(
    not shutil.which("mpirun") or not SERVER.exists(),
    reason="no mpirun, or no cluster part",
)


def test_servers_of_mpirun_are_a_cluster():
    tasks = 3
    servers = subprocess.Popen(
        ["mpirun", "-n", str(tasks), "--oversubscribe", str(SERVER)],
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        },
    )
    try:
        ports = []
        while len(ports) < tasks:
            line = servers.stdout.readline()
            assert line, "mpirun has ended"
            if line.startswith("listening "):
                ports.append(int(line.rpartition(":")[2]))
        # Ports go up with ranks.
        target = f"grpc://127.0.0.1:{min(ports)}"
        # It is told of the others a moment after it listens.
        while len(sl.cluster.status(target)["cluster"]) < tasks:
            pass
        assert sl.cluster.status(target)["task"] == "/job:worker/task:0"
        graph = sl.Graph()
        with graph.as_default():
            x = sl.placeholder(sl.float32, [None])
            y = x
            for task in range(tasks):
                with sl.device(f"/job:worker/task:{task}"):
                    y = y * 2.0
        with sl.Session(graph, target=target) as session:
            got = np.asarray(session.run(y, {x: [1.0, 3.0]}))
            assert got.tolist() == [8.0, 24.0]
    finally:
        servers.send_signal(signal.SIGTERM)
        servers.wait()
        servers.stdout.close()
