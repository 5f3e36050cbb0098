#!/usr/bin/env python3
"""Checks that every folder includes only what stands below it.

Sources under src/sluice are in layers; a file may include headers of its own
folder and of folders in lower layers. Test files (*_test.cc) may include
anything. Also checked: third-party headers only where they belong, #pragma once
in every header, public headers that expose only public headers, and nothing
slow to compile in what <sluice/sluice.h> brings in.

  tools/check_layers.py              checks the repository
  tools/check_layers.py --self-test  checks this program on planted violations
"""

import pathlib
import re
import sys

LAYERS = {
    "base": 0,
    "tensor": 1,
    "op": 2, "device": 2, "formats": 2,
    "graph": 3, "kernels": 3, "state": 3, "collective": 3,
    "autodiff": 4, "batching": 4, "passes": 4, "placement": 4, "partition": 4,
    "launch": 4, "comm": 4,
    # What runs a graph, by lifetime.
    "tape": 5, "reference": 5,
    "gpu": 6,
    "vm": 6,
    "plan": 7,
    "step": 8,
    "session": 9,
    # What users call: at once, recorded, and the functions made of both.
    "eager": 10,
    "trace": 11,
    "cluster": 12, "front": 12,
    "io": 13, "report": 13, "fleet": 13,
    "nn": 14, "optim": 14, "data": 14,
    "train": 15,
}
# Ops are a leaf: they stand on these folders, and nothing includes them.
OPS = "ops"
OPS_MAY_INCLUDE = {"base", "tensor", "formats", "op", "device", "kernels",
                   "state", "collective"}
# Sources of GPU kernels, which are embedded under the name of a folder "cuda"
# and include each other by it.
KERNEL_SOURCES = "src/sluice/kernels/cuda/source/"
# Folders at the repository's root, above every layer.
TOP = {"apps", "benchmarks", "tests", "examples", "python"}
# Public headers live in include/sluice; front/ and what it is made of implement
# them. They and the headers below may appear in a user's program.
PUBLIC = "include"
PUBLIC_FOLDERS = {"eager", "trace", "front", "io", "report", "nn", "optim",
                  "data", "train"}
PUBLIC_HEADERS = {
    "sluice/base/status.h", "sluice/base/error.h",
    "sluice/tensor/dtype.h", "sluice/tensor/half.h", "sluice/tensor/shape.h",
    # For ops of a user's own: include/sluice/op.h.
    "sluice/op/record.h", "sluice/op/grad_context.h",
    "sluice/op/batch_rules.h",
    "sluice/kernels/cpu/elementwise.h",
}

# Headers of the C library and the system, apart from the C++ ones, which have
# no suffix. Everything else in angle brackets is somebody else's code.
SYSTEM_HEADERS = set("""
    assert.h ctype.h cxxabi.h dirent.h dlfcn.h errno.h execinfo.h fcntl.h
    fenv.h float.h glob.h inttypes.h limits.h link.h malloc.h math.h poll.h pthread.h
    sched.h semaphore.h setjmp.h signal.h spawn.h stdarg.h stddef.h stdint.h stdio.h stdlib.h
    string.h strings.h termios.h netdb.h time.h unistd.h unwind.h
""".split())
SYSTEM_FOLDERS = {"sys", "linux", "asm", "bits", "arpa", "netinet"}

# Each of these adds 0.1 s or more to every file that includes a public header
# (<iostream>: code before main), and none of them is needed for a declaration.
SLOW_HEADERS = {"condition_variable", "filesystem", "future", "iostream",
                "random", "ranges", "regex", "thread"}

# Third-party headers: pattern, the paths that may include them, and their name
# in messages.
THIRD_PARTY = [
    (re.compile(r"^(gtest|gmock)/"),
     re.compile(r"(_test|_test_util)\.(cc|cu|h)$|^tests/"),
     "GoogleTest", "*_test files and tests/"),
    (re.compile(r"^(cuda|cublas|cudnn|curand|cusolver|cusparse|cufft|nvrtc|"
                r"nvtx|nvToolsExt|nccl|cub/|thrust/|cooperative_groups|mma\.h|"
                r"driver_types|vector_types|device_launch_parameters)"),
     re.compile(r"\.cuh?$|^src/sluice/(device|kernels)/cuda/|"
                r"^src/sluice/comm/nccl/"),
     "CUDA", "*.cu, device/cuda, kernels/cuda and comm/nccl"),
    (re.compile(r"^(arm_neon|arm_sve|arm_acle|immintrin|x86intrin|cpuid)\.h$"),
     re.compile(r"^src/sluice/(base|kernels)/"),
     "instruction-set", "base/ and kernels/"),
    (re.compile(r"^(grpc/|grpcpp/|google/protobuf/|absl/)"),
     re.compile(r"^src/sluice/cluster/grpc/|^benchmarks/raw_grpc"),
     "gRPC", "cluster/grpc"),
    (re.compile(r"^llvm(-c)?/"),
     re.compile(r"^src/sluice/vm/llvm/"),
     "LLVM", "vm/llvm"),
    (re.compile(r"^(nanobind/|Python\.h$|structmember\.h$|frameobject\.h$)"),
     re.compile(r"^python/"),
     "Python", "python/"),
]

SUFFIXES = (".h", ".cc", ".cu", ".cuh")
ROOTS = ("src", "include") + tuple(sorted(TOP))
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def strip_comments(text):
  """Blanks out comments, keeping the number of lines."""
  def blank(match):
    found = match.group(0)
    if found.startswith("/"):
      return "\n" * found.count("\n")
    return found
  # Strings are matched too, so that a // inside one does not start a comment.
  return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text,
                flags=re.S)


def folder_of(path):
  """The folder a file belongs to: base, ..., ops, include or tests etc."""
  parts = path.split("/")
  if parts[0] == "src":
    return parts[2] if len(parts) > 3 and parts[1] == "sluice" else None
  return parts[0]


def describe(folder):
  if folder in LAYERS:
    return f"layer {LAYERS[folder]}"
  return {OPS: "ops, a leaf", PUBLIC: "public"}.get(folder, "top")


def check_project_include(path, target, public_headers):
  """Why `path` may not include the header "sluice/..." of ours, or None."""
  source = folder_of(path)
  inner = target.split("/")
  if inner[1] == "cuda" and path.startswith(KERNEL_SOURCES):
    return None
  if len(inner) == 2 or target in public_headers:
    folder = PUBLIC
  else:
    folder = inner[1]
  what = (f"{source} ({describe(source)}) includes {target} "
          f"({describe(folder)})")

  if folder not in LAYERS and folder not in (OPS, PUBLIC):
    return f"{what}: folder {folder} is in no layer"
  if source == folder:
    return None
  if folder == OPS:
    return f"{what}: nothing includes ops"
  if source in TOP:
    return None
  if source == PUBLIC:
    if folder in PUBLIC_FOLDERS or target in PUBLIC_HEADERS:
      return None
    return f"{what}: a public header includes only public headers"
  if source == OPS:
    if folder in OPS_MAY_INCLUDE:
      return None
    return f"{what}: ops may include {', '.join(sorted(OPS_MAY_INCLUDE))}"
  if folder == PUBLIC:
    # Public headers are front's own face.
    if LAYERS[source] >= LAYERS["front"]:
      return None
    return f"{what}: public headers stand above everything below front"
  if LAYERS[folder] < LAYERS[source]:
    return None
  if LAYERS[folder] == LAYERS[source]:
    return f"{what}: folders of one layer do not include each other"
  return what


def check_other_include(path, target, quoted):
  """Why `path` may not include a header that is not ours, or None."""
  for pattern, allowed, name, where in THIRD_PARTY:
    if pattern.search(target):
      if folder_of(path) == PUBLIC:
        return f"a public header includes {target} ({name})"
      if not allowed.search(path):
        return f"{target} ({name}) may be included only in {where}"
      return None
  if quoted:
    # The binding is one folder.
    if path.startswith("python/src/") and "/" not in target:
      return None
    # Programs of the top folders may name their own files from the root.
    if target.split("/")[0] in TOP and folder_of(path) in TOP:
      return None
    return (f'"{target}" is not a full path: write "sluice/<folder>/<file>" '
            "for ours, <...> for others")
  if "/" not in target and "." not in target:
    return None  # the C++ standard library
  if target in SYSTEM_HEADERS or target.split("/")[0] in SYSTEM_FOLDERS:
    return None
  return f"<{target}> is third-party and no place is named for it"


def reached_from_public(files):
  """The paths of the headers of include/ and of all they include."""
  todo = [path for path in files if folder_of(path) == PUBLIC]
  reached = set()
  while todo:
    path = todo.pop()
    if path in reached:
      continue
    reached.add(path)
    for line in strip_comments(files[path]).split("\n"):
      match = INCLUDE.match(line)
      if match:
        todo += [p for p in ("src/" + match.group(2), "include/" + match.group(2))
                 if p in files]
  return reached


def check(files):
  """Checks {path: text}, paths from the root. Returns sorted messages."""
  messages = []
  public_headers = {path[len("include/"):] for path in files
                    if path.startswith("include/")}
  reached = reached_from_public(files)
  for path, text in sorted(files.items()):
    def say(line, message, path=path):
      messages.append(f"{path}:{line}: {message}")

    folder = folder_of(path)
    if folder is None:
      say(1, "sources live in src/sluice/<folder>/")
      continue
    if folder not in LAYERS and folder not in TOP | {OPS, PUBLIC}:
      say(1, f"folder {folder} is not in the table of layers")
      continue
    text = strip_comments(text)
    if path.endswith((".h", ".cuh")) and not re.search(
        r"^#pragma once\b", text, re.M):
      say(1, "header without #pragma once")
    if path.endswith(("_test.cc", "_test.cu")):
      continue
    for number, line in enumerate(text.split("\n"), 1):
      match = INCLUDE.match(line)
      if not match:
        continue
      target = match.group(2)
      if target in SLOW_HEADERS and path in reached:
        say(number, f"<{target}> is slow to compile and comes with every "
            "program that includes a public header; move what needs it to "
            "the .cc file")
      if ".." in target.split("/"):
        say(number, f"{target} climbs out of its folder; use the full path")
      elif target.startswith("sluice/"):
        problem = check_project_include(path, target, public_headers)
        if problem:
          say(number, problem)
      else:
        problem = check_other_include(path, target, match.group(1) == '"')
        if problem:
          say(number, problem)
  return messages


def read_tree(top):
  files = {}
  for root in ROOTS:
    for path in (top / root).rglob("*"):
      if path.suffix in SUFFIXES and path.is_file():
        files[path.relative_to(top).as_posix()] = path.read_text(
            encoding="utf-8", errors="replace")
  return files


# Each case: path, text, and what the one message must contain (None: clean).
ONCE = "#pragma once\n"
SELF_TEST = [
    ("src/sluice/kernels/cuda/source/a.cuh",
     '#pragma once\n#include "sluice/cuda/b.cuh"\n', None),
    ("src/sluice/kernels/cuda/a.cc", '#include "sluice/cuda/b.cuh"\n',
     "in no layer"),
    # Allowed.
    ("src/sluice/base/a.cc", '#include "sluice/base/b.h"\n', None),
    ("src/sluice/op/a.cc", '#include "sluice/tensor/b.h"\n', None),
    ("src/sluice/plan/sub/a.cc", '#include "sluice/plan/b.h"\n', None),
    ("src/sluice/step/a.cc", '#include "sluice/plan/b.h"\n', None),
    ("src/sluice/state/a.cc", '#include "sluice/op/b.h"\n', None),
    ("src/sluice/trace/a.cc", '#include "sluice/eager/b.h"\n', None),
    ("src/sluice/ops/math/a.cc", '#include "sluice/kernels/b.h"\n', None),
    ("src/sluice/ops/math/a.cc", '#include "sluice/ops/math/b.h"\n', None),
    ("src/sluice/ops/state/a.cc", '#include "sluice/state/b.h"\n', None),
    ("src/sluice/base/a_test.cc",
     '#include <gtest/gtest.h>\n#include "sluice/front/b.h"\n', None),
    ("tests/a.h", ONCE + "#include <gtest/gtest.h>\n", None),
    ("tests/a_test.cc", '#include "tests/b.h"\n', None),
    ("apps/a.cc", '#include "sluice/front/b.h"\n', None),
    ("src/sluice/ops/math/a.cu", "#include <cuda_runtime.h>\n", None),
    ("src/sluice/cluster/grpc/a.cc", "#include <grpcpp/grpcpp.h>\n", None),
    ("src/sluice/device/cuda/a.h", ONCE + "#include <cuda.h>\n", None),
    ("src/sluice/base/a.cc", "#include <sys/mman.h>\n#include <vector>\n", None),
    ("src/sluice/base/a.cc", '// #include "sluice/op/b.h"\n', None),
    ("src/sluice/base/a.cc", '/*\n#include "sluice/op/b.h"\n*/\n', None),
    ("include/sluice/a.h",
     ONCE + '#include <string>\n#include "sluice/b.h"\n', None),
    ("src/sluice/front/a.cc", '#include "sluice/sluice.h"\n', None),
    ("python/src/a.cc",
     '#include <nanobind/nanobind.h>\n#include "b.h"\n'
     '#include "sluice/front/b.h"\n', None),
    # Caught.
    ("src/sluice/base/a.cc", '\n#include "sluice/tensor/b.h"\n',
     ":2: base (layer 0) includes sluice/tensor/b.h (layer 1)"),
    ("src/sluice/op/a.cc", '#include "sluice/graph/b.h"\n',
     ":1: op (layer 2) includes sluice/graph/b.h (layer 3)"),
    ("src/sluice/op/a.cc", '#include "sluice/device/b.h"\n',
     "do not include each other"),
    ("src/sluice/device/a.cc", '#include "sluice/op/b.h"\n',
     "do not include each other"),
    ("src/sluice/graph/a.cc", "#include <sluice/session/b.h>\n",
     "graph (layer 3) includes sluice/session/b.h (layer 9)"),
    ("src/sluice/eager/a.cc", '#include "sluice/trace/b.h"\n',
     "eager (layer 10) includes sluice/trace/b.h (layer 11)"),
    ("src/sluice/trace/a.cc", '#include "sluice/front/b.h"\n',
     "trace (layer 11) includes sluice/front/b.h (layer 12)"),
    ("src/sluice/tape/a.cc", '/* x */ #include "sluice/reference/b.h"\n',
     "do not include each other"),
    ("src/sluice/ops/math/a.cc", '#include "sluice/graph/b.h"\n',
     "ops may include"),
    ("src/sluice/session/a.cc", '#include "sluice/ops/math/b.h"\n',
     "nothing includes ops"),
    ("apps/a.cc", '#include "sluice/ops/math/b.h"\n', "nothing includes ops"),
    ("src/sluice/base/a.cc", "#  include <gtest/gtest.h>\n", "GoogleTest"),
    ("src/sluice/plan/a.cc", "#include <cuda_runtime.h>\n", "CUDA"),
    ("src/sluice/ops/math/a.cc", "#include <cublasLt.h>\n", "CUDA"),
    ("src/sluice/session/a.cc", "#include <arm_neon.h>\n", "instruction-set"),
    ("src/sluice/base/a.cc", "#include <boost/any.hpp>\n",
     "third-party"),
    ("src/sluice/cluster/a.cc", "#include <grpcpp/grpcpp.h>\n", "gRPC"),
    ("src/sluice/front/a.cc", "#include <nanobind/nanobind.h>\n", "Python"),
    ("apps/a.cc", "#include <Python.h>\n", "Python"),
    ("src/sluice/base/a.cc", '#include "b.h"\n', "not a full path"),
    ("src/sluice/base/a.cc", '#include "../op/b.h"\n', "climbs out"),
    ("src/sluice/base/a.cc", '#include "sluice/typo/b.h"\n', "in no layer"),
    ("src/sluice/base/a.cc", '#include "sluice/sluice.h"\n',
     "above everything below front"),
    ("src/sluice/base/a.h", "// #pragma once\n", "without #pragma once"),
    ("tests/a.h", "int x;\n", "without #pragma once"),
    ("include/sluice/a.h", ONCE + '#include "sluice/plan/b.h"\n',
     "only public headers"),
    ("include/sluice/a.h", ONCE + "#include <cuda.h>\n", "public header"),
    ("include/sluice/a.h", ONCE + "#include <regex>\n", "slow to compile"),
    ("src/sluice/front/a.h", ONCE + "#include <regex>\n", None),
    ("src/sluice/novel/a.cc", "\n", "not in the table"),
    ("src/sluice/a.cc", "\n", "src/sluice/<folder>/"),
]


def check_table(page, folders):
  """The table of CONTRIBUTING.md names the folders there are, by layer."""
  written = {}
  for layer, names in re.findall(r"^\| (\d+) \| ((?:`\w+` ?)+)\|.*\|$", page, re.M):
    for name in re.findall(r"`(\w+)`", names):
      written[name] = int(layer)
  there = folders - {OPS}
  messages = [f"CONTRIBUTING.md: {name} is not in the table of layers"
              for name in sorted(there - set(written))]
  messages += [f"CONTRIBUTING.md: there is no folder {name}"
               for name in sorted(set(written) - there)]
  messages += [f"CONTRIBUTING.md: {name} is in layer {written[name]}; here it is "
               f"in {LAYERS[name]}"
               for name in sorted(there & set(written))
               if LAYERS.get(name) != written[name]]
  return messages


def self_test():
  failures = 0
  table = "| 0 | `base` | x |\n| 2 | `tensor` `op` | y |\n"
  wrong = check_table(table, {"base", "tensor", "graph", "ops"})
  if [m.split(": ")[1].split()[0] for m in wrong] != ["graph", "there", "tensor"]:
    failures += 1
    print(f"layers self-test: the table: got {wrong}")
  for path, text, wanted in SELF_TEST:
    got = check({path: text})
    good = not got if wanted is None else len(got) == 1 and wanted in got[0]
    if not good:
      failures += 1
      print(f"layers self-test: {path} with {text!r}: got {got}, "
            f"wanted {'nothing' if wanted is None else repr(wanted)}")
  if not failures:
    print(f"layers self-test: {len(SELF_TEST)} cases ok")
  return 1 if failures else 0


def main(arguments):
  if arguments == ["--self-test"]:
    return self_test()
  if arguments:
    print(__doc__)
    return 2
  root = pathlib.Path(__file__).resolve().parent.parent
  files = read_tree(root)
  folders = {p.name for p in (root / "src/sluice").iterdir() if p.is_dir()}
  messages = check(files)
  messages += check_table((root / "CONTRIBUTING.md").read_text(), folders)
  for message in messages:
    print(message)
  print(f"layers: {len(files)} files, {len(messages)} violations")
  return 1 if messages else 0


if __name__ == "__main__":
  sys.exit(main(sys.argv[1:]))
