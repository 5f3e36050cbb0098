"""Two servers that have nothing but a cable between them; in a network
namespace of its own, which the test makes (test_cluster_network.py).

    unshare -n python two_hosts_child.py CASE

Each case prints what it saw, as JSON, for the test to judge.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

import sluice as sl

SERVER = str(pathlib.Path(sl.__file__).parent / "sluice-server")
HERE, THERE = "10.9.0.1", "10.9.0.2"
TASKS = ["/job:worker/task:0", "/job:worker/task:1"]


def run(*words):
    subprocess.run(words, check=True)


class TwoHosts:
    """Task 0 is on this host, task 1 on the other end of the cable."""

    def __init__(self, folder, *arguments):
        self.stack = contextlib.ExitStack()
        other = self.start("unshare", "-n", "sleep", "1000")
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{other.pid}/ns/net") == own:
            time.sleep(0.01)
        self.inside = ("nsenter", "-t", str(other.pid), "-n")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1")
        run("ip", "link", "set", "v1", "netns", str(other.pid))
        for prefix, address, link in (((), HERE, "v0"), (self.inside, THERE, "v1")):
            run(*prefix, "ip", "address", "add", f"{address}/24", "dev", link)
            run(*prefix, "ip", "link", "set", link, "up")
        spec = pathlib.Path(folder) / "spec.json"
        spec.write_text(json.dumps({"worker": [f"{HERE}:7000", f"{THERE}:7000"]}))
        for task, prefix in enumerate(((), self.inside)):
            server = self.start(
                *prefix,
                *(SERVER, "--job", "worker", "--task", str(task)),
                *("--cluster", str(spec), "--insecure-allow-remote", *arguments),
                stdout=subprocess.PIPE,
            )
            assert server.stdout.readline().startswith(b"listening")

    def start(self, *words, **options):
        process = subprocess.Popen(words, **options)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stack.close()

    def cable(self, plugged):
        run("ip", "link", "set", "v0", "up" if plugged else "down")

    def slow(self, rate):
        for prefix, link in (((), "v0"), (self.inside, "v1")):
            run(*prefix, *("tc", "qdisc", "add", "dev", link, "root", "tbf"),
                *("rate", rate, "burst", "32kbit", "latency", "400ms"))

    def target(self, task=0):
        return f"grpc://{(HERE, THERE)[task]}:7000"

    def gauges(self, task):
        return sl.cluster.status(self.target(task))["gauges"]

    def left(self, task):
        """What is of sessions and steps in a task: asked until it is nothing."""
        end = time.monotonic() + 60
        while True:
            gauges = self.gauges(task)
            left = {k: v for k, v in gauges.items() if v and not k.endswith("_total")}
            if not left or time.monotonic() > end:
                return left
            time.sleep(0.05)


def endless():
    """A loop over both tasks that goes round n times, for ever with -1."""
    graph = sl.Graph()
    with graph.as_default():
        n = sl.placeholder(sl.int64, [])

        def body(i, y):
            with sl.device(TASKS[0]):
                i = i + 1
            with sl.device(TASKS[1]):
                y = y + 1.0
            return i, y

        start = (sl.constant(0, dtype=sl.int64), sl.constant(0.0))
        _, y = sl.while_loop(lambda i, y: sl.not_equal(i, n), body, *start)
    return graph, n, y


def partition(folder):
    """The cable is pulled while a step runs, and put back."""
    with TwoHosts(folder) as hosts:
        graph, n, y = endless()
        with sl.Session(graph, target=hosts.target()) as session:
            before = float(session.run(y, {n: 3}))

            def pull():
                while not hosts.gauges(1)["worker_running"]:
                    time.sleep(0.01)
                hosts.cable(False)

            puller = threading.Thread(target=pull)
            puller.start()
            try:
                session.run(y, {n: -1})
                error = ""
            except Exception as e:
                error = f"{type(e).__name__}: {e}"
            puller.join()
            hosts.cable(True)
            after = None
            for _ in range(600):  # until the tasks have found each other again
                with contextlib.suppress(Exception):
                    after = float(session.run(y, {n: 3}))
                    break
                time.sleep(0.05)
        left = [hosts.left(task) for task in (0, 1)]
    return {"before": before, "error": error, "after": after, "left": left}


def slow(folder):
    """Tensors that take longer than a silent peer is waited for."""
    given_up = ("--keepalive-ms", "500", "--keepalive-timeout-ms", "1000")
    with TwoHosts(folder, *given_up) as hosts:
        graph = sl.Graph()
        with graph.as_default():
            numbers = []
            for task in TASKS:
                with sl.device(task):
                    numbers.append(sl.cast(sl.range(0, 1 << 20, 1), sl.float32) * 0.5)
            with sl.device(TASKS[0]):  # 4 MiB, at a megabyte a second
                apart = sl.abs(numbers[0] - numbers[1]).max()
                largest = numbers[1].max()
        with sl.Session(graph, target=hosts.target()) as session:
            hosts.slow("8mbit")
            began = time.monotonic()
            got = [float(x) for x in session.run([apart, largest])]
            seconds = time.monotonic() - began
        left = [hosts.left(task) for task in (0, 1)]
    return {"got": got, "seconds": seconds, "left": left}


if __name__ == "__main__":
    case, folder = sys.argv[1:]
    print(json.dumps({"partition": partition, "slow": slow}[case](folder)))
