"""Ranks that wait for each other at the start, and who is missed when it dies."""

import os
import signal
import socket
import struct
import subprocess
import sys
import textwrap

from ranks_util import run_ranks


def test_a_killed_rank_is_noticed_while_a_child_of_it_lives():
    """A forked process has the parent's connections, too."""
    ended = run_ranks(
        """
        child = os.fork() if rank == 1 else 0
        if rank == 1 and child == 0:
            signal.pause()
        pids = [None] * ranks
        dist.all_gather_object(pids, child)
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            dist.all_reduce(sl.zeros([4]))
        except ConnectionError as error:
            print(error)
        finally:
            os.kill(pids[1], signal.SIGKILL)
        """
    )
    assert ended[1].code == -signal.SIGKILL
    assert ended[0].code == 0, ended[0].err
    assert "rank 1 (127.0.0.1, process " in ended[0].out


# What a rank says to rank 0 first: magic, rank, size, port, process, group's name.
HELLO = struct.Struct("<4siiiqQ")


def waiting_rank_0(body, ranks):
    """A program that is rank 0 and waits for others, and where it listens."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    text = "import sluice.distributed as dist\n" + textwrap.dedent(body)
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "RANK": "0",
        "WORLD_SIZE": str(ranks),
        "SLUICE_LISTEN_FD": str(listener.fileno()),
    }
    child = subprocess.Popen(
        [sys.executable, "-c", text],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        pass_fds=(listener.fileno(),),
    )
    listener.close()
    # It closes the connection of a stranger when it is there.
    with socket.create_connection(("127.0.0.1", port)) as stranger:
        stranger.sendall(bytes(HELLO.size))
        assert stranger.recv(1) == b""
    return child, port


def test_ctrl_c_ends_the_wait_for_other_ranks():
    child, _ = waiting_rank_0("dist.init_process_group(timeout=60)", 2)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate()
    assert "KeyboardInterrupt" in err and "TimeoutError" not in err, err


def test_a_rank_that_ends_before_all_have_met_is_named():
    child, port = waiting_rank_0("dist.init_process_group(timeout=60)", 3)
    name = 14695981039346656037
    for byte in b"world":
        name = (name ^ byte) * 1099511628211 % 2**64
    with socket.create_connection(("127.0.0.1", port)) as first:
        first.sendall(HELLO.pack(b"SLF1", 1, 3, 1, 4711, name))
    _, err = child.communicate()
    assert "ConnectionError" in err, err
    assert "waited for rank 2 of 3" in err, err
    assert "rank 1 (127.0.0.1, process 4711) closed its connection" in err, err
