"""Runs the checks of this folder on a GPU, without pytest: not every machine
with a GPU has it.

    python python/tests/gpu/run.py [TEXT]       those with TEXT in their names

Exit code: 0 when all pass, 1 when some fail, 2 when there is no GPU. With
SLUICE_CUDA_EMULATION=1 the emulated one serves.
"""

import importlib
import inspect
import pathlib
import sys
import time
import traceback

HERE = pathlib.Path(__file__).parent


class Skip(Exception):
    """Raised by a check that this machine cannot run."""


def checks(wanted):
    sys.path.insert(0, str(HERE))
    for path in sorted(HERE.glob("check_*.py")):
        module = importlib.import_module(path.stem)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            full = f"{path.stem[6:]}.{name[5:]}"
            if name.startswith("test_") and wanted in full:
                yield full, function


def main() -> int:
    import sluice as sl

    if not sl.cuda.is_available():
        print("no GPU:", sl._core.cuda_why_unavailable())
        return 2
    print(sl.cuda.get_device_name())
    passed, failed, skipped = 0, [], 0
    sys.modules["run"] = sys.modules["__main__"]  # one class Skip
    for name, check in checks(sys.argv[1] if len(sys.argv) > 1 else ""):
        begin = time.perf_counter()
        try:
            sl.manual_seed(1)
            check()
            said, passed = "ok", passed + 1
        except Skip as why:
            said, skipped = f"skipped: {why}", skipped + 1
        except BaseException as error:  # noqa: BLE001: one failure is not the end
            if isinstance(error, KeyboardInterrupt):
                raise
            failed.append(name)
            said = "FAILS\n" + traceback.format_exc()
        print(f"{name:44} {time.perf_counter() - begin:6.2f} s  {said}", flush=True)
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    for name in failed:
        print("FAILS", name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
