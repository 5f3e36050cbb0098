"""Bytes that are altered on their way between two tasks: an error or the right
result, never a wrong one, and the tasks go on."""

import json
import pathlib
import random
import socket
import subprocess
import threading
import time

import numpy as np
import pytest

import sluice as sl

SERVER = pathlib.Path(sl.__file__).parent / "sluice-server"
pytestmark = pytest.mark.skipif(not SERVER.exists(), reason="no cluster part")


class Relay:
    """Hands on what comes for another address. Once armed, the byte of that
    number from then on, whichever way it goes, arrives altered."""

    def __init__(self, to):
        self.to = to
        self.mu = threading.Lock()
        self.left = None  # bytes until the one that is altered
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def arm(self, at):
        with self.mu:
            self.left = at

    def armed(self):
        with self.mu:
            return self.left is not None

    def accept(self):
        while True:
            try:
                one, _ = self.listener.accept()
                other = socket.create_connection(self.to)
            except OSError:
                return
            for a, b in ((one, other), (other, one)):
                a.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.pump, args=(a, b), daemon=True).start()

    def pump(self, a, b):
        try:
            while data := a.recv(1 << 16):
                b.sendall(self.altered(data))
        except OSError:
            pass
        for s in (a, b):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def altered(self, data):
        with self.mu:
            if self.left is None:
                return data
            if self.left >= len(data):
                self.left -= len(data)
                return data
            at, self.left = self.left, None
        return data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]


@pytest.fixture
def relayed(tmp_path):
    """The target of task 0; the relay between it and task 1."""
    ports = []
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0)) as s:
            ports.append(s.getsockname()[1])
    relay = Relay(("127.0.0.1", ports[1]))
    spec = tmp_path / "spec.json"
    reached = [f"127.0.0.1:{ports[0]}", f"127.0.0.1:{relay.port}"]
    spec.write_text(json.dumps({"worker": reached}))
    servers = []
    for task, port in enumerate(ports):
        words = [str(SERVER), "--job", "worker", "--task", str(task)]
        words += ["--listen", f"127.0.0.1:{port}", "--cluster", str(spec)]
        words += ["--keepalive-ms", "200", "--keepalive-timeout-ms", "500"]
        servers.append(subprocess.Popen(words, stdout=subprocess.PIPE))
        assert servers[-1].stdout.readline().startswith(b"listening")
    yield f"grpc://{reached[0]}", relay
    relay.listener.close()
    for server in servers:
        assert server.poll() is None, "a server has ended"
        server.kill()
        server.wait()
        server.stdout.close()


def test_altered_bytes_are_an_error_or_nothing(relayed):
    target, relay = relayed
    graph = sl.Graph()
    with graph.as_default():
        x = sl.placeholder(sl.float32, [64])
        with sl.device("/job:worker/task:1"):
            y = x * 2.0
        with sl.device("/job:worker/task:0"):
            z = y + 1.0
    feed = np.arange(64, dtype=np.float32)
    seed = 11
    rng = random.Random(seed)
    seen = {"right": 0, "error": 0}
    # A call may be lost whose connection lives on: then its step's deadline ends it.
    options = sl.RunOptions(timeout=10)
    with sl.Session(graph, target=target) as session:
        for case in range(30):
            for _ in range(600):  # until the tasks have found each other again
                try:
                    session.run(z, {x: feed}, options=options)
                    break
                except Exception:
                    time.sleep(0.05)
            relay.arm(rng.randrange(700))
            while relay.armed():
                try:
                    got = session.run(z, {x: feed}, options=options)
                    np.testing.assert_array_equal(got, feed * 2 + 1, f"{seed}:{case}")
                    seen["right"] += 1
                except AssertionError:
                    raise
                except Exception:
                    seen["error"] += 1
    assert seen["error"] > 0, seen
