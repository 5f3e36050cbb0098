#!/usr/bin/env bash
# Builds what `make gpu-test` and `make gpu-bench` run, in build/gpu, on a
# machine that has a compiler, CMake, CUDA's headers and a Python with nanobind,
# and no network: nothing is installed. Prints the path of the Python used.
#
#   tools/gpu_build.sh
#
# PYTHON names the interpreter; default: the first of python3, python that can
# import nanobind. JOBS: compile jobs; default: all cores.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${JOBS:-$(nproc)}
python=
for name in ${PYTHON:-python3 python python3.12}; do
  if command -v "$name" >/dev/null && "$name" -c 'import nanobind' 2>/dev/null
  then
    python=$("$name" -c 'import sys; print(sys.executable)')
    break
  fi
done
if [[ -z $python ]]; then
  echo "gpu_build: no Python that can import nanobind; wanted one (PYTHON=...)" >&2
  exit 1
fi
if command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
log=build/gpu_build.log
mkdir -p build
if ! { cmake -S . -B build/gpu -D CMAKE_BUILD_TYPE=Release \
         -D SLUICE_TESTS=OFF -D SLUICE_CUDA=ON -D SLUICE_PYTHON=ON \
         -D Python_EXECUTABLE="$python" --log-level=NOTICE &&
       cmake --build build/gpu -j "$jobs" --target \
         app_sluice app_sluice_gpu_test sluice_python_package; } >"$log" 2>&1
then
  tail -n 40 "$log" >&2
  echo "gpu_build: the build failed; all of it is in $log" >&2
  exit 1
fi
echo "$python"
