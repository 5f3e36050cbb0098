"""The GPU beside PyTorch and JAX, in one run and one table.

    python benchmarks/gpu/run.py [--only CASE[,CASE]] [--no-peers] [--seconds N]

Each library runs in processes of its own, one after the other; a figure is the
median of several. What is not installed, fails, or takes too long is told and
left out. `first` is the first step, with an empty cache of kernels (cold) and
with a full one (warm).
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
# What is measured: its name, its unit, what one figure is of.
CASES = {
    "mlp": ("us", "MLP 784-100-10, batch 64, train step"),
    "op": ("us", "imperative op, host time per call"),
    "while": ("us", "trivial while loop, per iteration"),
    "tanh loop": ("us", "64x1024 @ 1024x1024 + tanh, per iteration"),
    "lstm": ("ms", "LSTM cell loop 512, batch 64, 100 steps, TF32"),
    "alexnet bf16": ("ms", "AlexNet, batch 128, bf16"),
    "alexnet tf32": ("ms", "AlexNet, batch 128, TF32"),
    "vgg-a bf16": ("ms", "VGG-A, batch 64, bf16"),
    "vgg-a tf32": ("ms", "VGG-A, batch 64, TF32"),
    "resnet50 bf16": ("ms", "ResNet-50, batch 64, bf16"),
    "resnet50 tf32": ("ms", "ResNet-50, batch 64, TF32"),
    "resnet50 b8": ("ms", "ResNet-50, batch 8, TF32"),
    "gpt2 bf16": ("ms", "GPT-2 small, 8 x 1024, bf16"),
    "embedding": ("us", "embedding 10M x 64, 4096 lookups, Adam"),
}
SCALE = {"us": 1e6, "ms": 1e3}


def worker(name, cases, limit, **more):
    """What one library measures: a list of results, and why it has none."""
    env = dict(os.environ, XLA_PYTHON_CLIENT_PREALLOCATE="false", **more)
    found, note = [], ""
    try:
        done = subprocess.run(
            [sys.executable, str(HERE / f"{name}_cases.py"), *cases],
            capture_output=True, text=True, timeout=limit, env=env, check=False,
        )
        text, errors, code = done.stdout, done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode()
        errors, code, note = "", 0, f"stopped after {limit:.0f} s"
    for line in text.splitlines():
        if line.startswith("RESULT "):
            found.append(json.loads(line[7:]))
    if code != 0:
        note = (errors.strip().splitlines() or ["no message"])[-1][:120]
    return found, note


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases, with commas between")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--seconds", type=float, default=300, help="for all of it")
    given = parser.parse_args()
    wanted = [c for c in given.only.split(",") if c] or list(CASES)
    for case in wanted:
        if case not in CASES:
            parser.error(f"there is no case {case!r}; wanted one of {', '.join(CASES)}")
    end = time.monotonic() + given.seconds

    def left(share):
        return max(10.0, (end - time.monotonic()) * share)

    results, notes = {}, []

    def take(name, cases, share, rename=None, **more):
        found, note = worker(name, cases, left(share), **more)
        if note:
            notes.append(f"{name}: {note}")
        for r in found:
            mode = rename(r["mode"]) if rename else r["mode"]
            if r["value"] is None:
                notes.append(f"{name}, {r['case']}: {mode}: {r['note']}")
            elif mode:
                results.setdefault(r["case"], {})[mode] = r["value"]

    # A process for each case: what one leaves in memory is not in another's way.
    quick = [c for c in wanted if c in ("mlp", "op", "while", "tanh loop", "lstm")]
    large = [c for c in wanted if c not in quick]
    take("sluice", quick, 0.3)
    for i, case in enumerate(large):
        take("sluice", [case], 0.5 / max(1, len(large) - i))
    with tempfile.TemporaryDirectory() as cold:
        cases = [c for c in ("mlp", "resnet50 bf16") if c in wanted]

        def cold_name(mode):
            return "sluice first step, cold" if mode.endswith("first step") else ""

        if cases:
            take("sluice", cases, 0.3, cold_name, SLUICE_KERNEL_CACHE=cold)
    if not given.no_peers:
        take("jax", wanted, 0.4)
        take("torch", wanted, 1.0)

    print_table(wanted, results, notes)
    return 0 if any("sluice" in r for r in results.values()) else 1


def version(package):
    try:
        from importlib.metadata import version as of

        return of(package)
    except Exception:  # noqa: BLE001: it is not there
        return "none"


def print_table(wanted, results, notes):
    import sluice as sl

    gpu = sl.cuda.get_device_name() if sl.cuda.is_available() else "no GPU"
    print(f"{gpu}, {platform.machine()}, {datetime.date.today()}; sluice "
          f"{sl.__version__}, torch {version('torch')}, jax {version('jax')}\n")
    print(f"{'workload':48} {'sluice':>10}      {'best peer':>10} of            times")
    for case in wanted:
        unit, text = CASES[case]
        modes = results.get(case, {})
        plain = {m: v for m, v in modes.items() if "first" not in m}
        ours = plain.pop("sluice", None)
        best = min(plain.items(), key=lambda item: item[1], default=None)
        mine = f"{ours * SCALE[unit]:10.2f} {unit}" if ours else f"{'-':>10}   "
        theirs, times = f"{'-':>10}", ""
        if best:
            theirs = f"{best[1] * SCALE[unit]:10.2f} {unit} {best[0]}"
            if ours:
                times = f"{best[1] / ours:6.2f}x"
        print(f"{text:48} {mine}  {theirs:28} {times}")
    print("\nall figures")
    for case in wanted:
        unit, _ = CASES[case]
        for mode, value in results.get(case, {}).items():
            if "first" in mode:
                print(f"  {case:16} {mode:28} {value:10.2f} s")
            else:
                print(f"  {case:16} {mode:28} {value * SCALE[unit]:10.2f} {unit}")
    for note in notes:
        print("left out:", note)


if __name__ == "__main__":
    sys.exit(main())
