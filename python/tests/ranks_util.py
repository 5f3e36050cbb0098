"""Programs run as ranks, each a process of its own, for tests."""

import os
import socket
import subprocess
import sys
import tempfile
import textwrap

PRELUDE = """
import os, signal, sys
import numpy as np
import sluice as sl
import sluice.distributed as dist
import sluice.distributed.nn.functional as DF
from sluice import nn

dist.init_process_group(timeout=120)
rank, ranks = dist.get_rank(), dist.get_world_size()

def same(got, wanted):
    np.testing.assert_array_equal(np.asarray(got), np.asarray(wanted))
"""


class Ended:
    """How a rank ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def run_ranks(body, ranks=2, prelude=PRELUDE, env=None):
    """Runs the code on every rank, as a program ranks.py, and waits for all."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "ranks.py")
        with open(program, "w") as file:
            file.write(textwrap.dedent(prelude) + textwrap.dedent(body))
        return _run(program, ranks, env)


def _run(program, ranks, env):
    listener = socket.create_server(("127.0.0.1", 0))
    path = os.pathsep.join(p for p in sys.path if p)
    children = []
    for rank in range(ranks):
        settings = {
            **os.environ,
            "PYTHONPATH": path,
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(listener.getsockname()[1]),
            "RANK": str(rank),
            "WORLD_SIZE": str(ranks),
            "LOCAL_WORLD_SIZE": str(ranks),
            **(env or {}),
        }
        fds = ()
        if rank == 0:
            fds = (listener.fileno(),)
            settings["SLUICE_LISTEN_FD"] = str(listener.fileno())
        children.append(
            subprocess.Popen(
                [sys.executable, program],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=settings,
                pass_fds=fds,
            )
        )
    listener.close()
    ended = []
    for child in children:
        out, err = child.communicate()
        ended.append(Ended(child.returncode, out, err))
    return ended


def good_ranks(body, ranks=2, **options):
    """The same, where all end well; returns what they print."""
    ended = run_ranks(body, ranks, **options)
    for rank, end in enumerate(ended):
        assert end.code == 0, f"rank {rank}: {end.err}"
    return [end.out for end in ended]
