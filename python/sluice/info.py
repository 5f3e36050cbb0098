"""What was found on this machine: `python -m sluice.info [--json]`.

For bug reports, and for the question why something is slow or missing.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
from typing import Any

from . import _core

__all__ = ["report", "main"]

# Not needed; more works where they are.
_OPTIONAL = {
    "ml_dtypes": "bfloat16 arrays of numpy",
    "safetensors": "not needed: Sluice reads and writes such files itself",
    "torch": "tensors pass to and fro by DLPack, without copies",
    "jax": "tensors pass to and fro by DLPack, without copies",
    "tensorboard": "shows the event files of sluice.report",
}


def _version_of(package: str) -> str | None:
    # The package is not imported: that takes seconds for some.
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _gpu(build: dict[str, Any]) -> str:
    """Why no GPU is used."""
    has_driver = os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/dxg")
    if not build["cuda"]:
        seen = "a driver is there" if has_driver else "no NVIDIA driver either"
        return f"not used: this build has no CUDA part ({seen})"
    if not has_driver:
        return "not used: no NVIDIA driver found (/dev/nvidiactl)"
    return "not used: no op has a GPU kernel yet"


def report() -> dict[str, Any]:
    """All that is known about build and machine, ready for json.dumps."""
    build = dict(_core.build_info())
    return {
        "sluice": build.pop("version"),
        "build": {k: build[k] for k in ("compiler", "checks", "cuda")},
        "machine": {k: build[k] for k in ("machine", "system", "cores", "cpu",
                                          "memory")},
        "threads": build["threads"],
        "lapack": build["lapack"],
        "devices": build["devices"],
        "gpu": _gpu(build),
        "ops": build["ops"],
        "python": platform.python_version(),
        "numpy": _version_of("numpy"),
        "packages": {name: _version_of(name) for name in _OPTIONAL},
        "location": os.path.dirname(os.path.abspath(__file__)),
    }


def _lines(found: dict[str, Any]) -> list[str]:
    build, machine = found["build"], found["machine"]
    lapack = found["lapack"] or (
        "none: linalg functions raise (Debian: libopenblas0-pthread, or name one "
        "by SLUICE_LAPACK)"
    )
    rows = [
        ("sluice", f"{found['sluice']}, in {found['location']}"),
        ("compiler", f"{build['compiler']}, {build['checks']}"),
        ("machine", f"{machine['machine']}, {machine['cores']} cores, "
                    f"{machine['memory'] / 2**30:.1f} GiB, {machine['system']}"),
        ("cpu", f"{machine['cpu']} (SLUICE_CPU)"),
        ("threads", f"{found['threads']} (SLUICE_THREADS)"),
        ("lapack", lapack),
        ("devices", ", ".join(found["devices"])),
        ("gpu", found["gpu"]),
        ("ops", str(found["ops"])),
        ("python", found["python"]),
        ("numpy", found["numpy"] or "none: .numpy() raises"),
    ]
    rows += [
        (name, f"{version or 'not installed'} ({_OPTIONAL[name]})")
        for name, version in found["packages"].items()
    ]
    width = max(len(name) for name, _ in rows) + 2
    return [f"{name:<{width}}{text}" for name, text in rows]


def main(arguments: list[str] | None = None) -> int:
    """The program: prints the report, or JSON."""
    parser = argparse.ArgumentParser(prog="python -m sluice.info",
                                     description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    options = parser.parse_args(arguments)
    found = report()
    print(json.dumps(found, indent=2) if options.json else "\n".join(_lines(found)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
