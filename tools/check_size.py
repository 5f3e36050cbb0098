#!/usr/bin/env python3
"""Reports the sizes of source files and fails on overlong ones.

A file over 600 lines fails unless one of its first 12 lines says "why one
file", with the reason beside it.
"""

import pathlib
import sys

LIMIT = 600
HEAD = 12
EXCUSE = "why one file"
ROOTS = ("src", "include", "apps", "benchmarks", "tests", "examples", "tools",
         "cmake", "python")
SUFFIXES = {".h", ".cc", ".cu", ".cuh", ".py", ".sh", ".cmake"}


def main() -> int:
  top = pathlib.Path(__file__).resolve().parent.parent
  sizes = []
  failed = False
  for root in ROOTS:
    for path in sorted((top / root).rglob("*")):
      if path.suffix not in SUFFIXES or not path.is_file():
        continue
      lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
      name = path.relative_to(top).as_posix()
      sizes.append((len(lines), name))
      if len(lines) <= LIMIT:
        continue
      if any(EXCUSE in line.lower() for line in lines[:HEAD]):
        print(f"size: {name} has {len(lines)} lines, and says why")
        continue
      print(f"{name}:1: {len(lines)} lines, more than {LIMIT}: split it, or "
            f'say "{EXCUSE}" in the first {HEAD} lines')
      failed = True
  sizes.sort(reverse=True)
  total = sum(n for n, _ in sizes)
  over = sum(1 for n, _ in sizes if n > 300)
  longest = ", ".join(f"{name} {n}" for n, name in sizes[:3])
  print(f"size: {len(sizes)} files, {total} lines, {over} over 300; "
        f"longest: {longest}")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
