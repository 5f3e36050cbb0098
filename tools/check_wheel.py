#!/usr/bin/env python3
"""Checks what a wheel holds and how large it is: tools/check_wheel.py FILE."""

import re
import sys
import zipfile

LIMIT = 20 << 20
ALLOWED = re.compile(
    r"sluice/(.*\.pyi?|py\.typed|_core\.[^/]*\.so)$"
    r"|sluice-[^/]*\.dist-info/.*")
WANTED = ["sluice/__init__.py", "sluice/py.typed", "sluice/_core.pyi",
          "sluice/_ops.pyi", "sluice/info.py"]


def main(path):
    size = 0
    names = []
    with zipfile.ZipFile(path) as wheel:
        for entry in wheel.infolist():
            names.append(entry.filename)
            size += entry.compress_size
    problems = [f"{n} does not belong there" for n in names
                if not ALLOWED.match(n)]
    problems += [f"{n} is missing" for n in WANTED if n not in names]
    if not any(n.startswith("sluice/_core.") and n.endswith(".so")
               for n in names):
        problems.append("the extension is missing")
    if size > LIMIT:
        problems.append(f"{size} bytes are more than {LIMIT}")
    for problem in problems:
        print(f"wheel: {problem}")
    print(f"wheel: {path}, {size / 2**20:.1f} MiB, {len(names)} files")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
