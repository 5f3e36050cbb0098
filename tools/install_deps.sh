#!/usr/bin/env bash
# Installs, on a Debian-like machine, what building and testing need and the
# machine lacks. Does nothing, quickly, when all is there. Goes on without the
# parts it could not get as long as a C++ compiler and CMake exist.
#
#   tools/install_deps.sh          for `make test`
#   tools/install_deps.sh --demo   what building and running the demo needs alone
#   tools/install_deps.sh --lint   also what `make lint` needs
#
# SLUICE_NO_INSTALL=1 only reports.
set -euo pipefail

have() { command -v "$1" >/dev/null 2>&1; }

find_python='import os, sys, sysconfig
sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))'

missing=()
# need PACKAGE COMMAND: PACKAGE is missing unless COMMAND is on the path.
need() { have "$2" || missing+=("$1"); }

find_missing() {
  missing=()
  need cmake cmake
  need ninja-build ninja
  need g++ g++
  need clang-19 clang++-19
  need lld-19 ld.lld-19
  # The sanitizers' run-time part; a machine with g++ alone has its own.
  [[ $want_demo == 1 ]] || compgen -G "/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.asan*" \
    >/dev/null || missing+=(libclang-rt-19-dev)
  need ccache ccache
  need python3 python3
  need git git
  # Headers and environments of some Python, for the Python package.
  python3 -c "$find_python" 2>/dev/null ||
    compgen -G "/usr/include/python3.*/Python.h" >/dev/null ||
    missing+=(python3-dev)
  python3 -c "import ensurepip, venv" 2>/dev/null || missing+=(python3-venv)
  [[ -e /usr/include/gtest/gtest.h || -e /usr/local/include/gtest/gtest.h ||
     -e /usr/src/googletest/CMakeLists.txt ]] || missing+=(libgtest-dev)
  # Linear algebra opens it at run time (the serial build is not thread safe);
  # `sluice-bench kernels` measures against it.
  compgen -G "/usr/lib/*/libopenblas.so.0" >/dev/null ||
    missing+=(libopenblas0-pthread)
  # One program over many machines; without it that part is left out.
  [[ $want_demo == 1 ]] ||
    compgen -G "/usr/lib/*/cmake/grpc/gRPCConfig.cmake" >/dev/null ||
    compgen -G "/usr/*/lib/cmake/grpc/gRPCConfig.cmake" >/dev/null ||
    missing+=(libgrpc++-dev)
  # gRPC's own build files name protobuf's library and compilers.
  if [[ $want_demo != 1 && -e /usr/include/grpcpp/grpcpp.h ]] ||
     [[ " ${missing[*]-} " == *" libgrpc++-dev "* ]]; then
    [[ -e /usr/include/google/protobuf/message.h ]] ||
      missing+=(libprotobuf-dev)
    need protobuf-compiler protoc
    need protobuf-compiler-grpc grpc_cpp_plugin
  fi
  # Machine code for loops over scalars; without it they stay bytecode.
  [[ $want_demo == 1 || -e /usr/lib/llvm-19/include/llvm-c/LLJIT.h ]] ||
    missing+=(llvm-19-dev)
  # Kernels of the other architecture are compiled and run under emulation, by
  # tests alone.
  [[ $want_demo == 1 ]] || case $(uname -m) in
    aarch64)
      need g++-x86-64-linux-gnu x86_64-linux-gnu-g++
      need qemu-user-static qemu-x86_64-static
      ;;
    x86_64)
      need g++-aarch64-linux-gnu aarch64-linux-gnu-g++
      need qemu-user-static qemu-aarch64-static
      ;;
  esac
  if [[ $want_lint == 1 ]]; then need clang-format-19 clang-format-19; fi
}

# Output is kept back and shown only on failure.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  if [[ $status != 0 ]]; then tail -n 5 "$log" >&2; fi
  rm -f "$log"
  return $status
}

apt() {
  # The timeouts matter where there is no network: give up soon and go on.
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq \
    -o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
    -o Acquire::https::Timeout=20 -o DPkg::Lock::Timeout=300 "$@"
}

install_missing() {
  as_root=()
  if [[ $(id -u) != 0 ]]; then
    if ! have sudo; then
      echo "install_deps: neither root nor sudo, installing nothing" >&2
      return
    fi
    as_root=(sudo)
  fi
  if ! have apt-get; then
    echo "install_deps: no apt-get here, installing nothing" >&2
    return
  fi
  echo "install_deps: installing ${missing[*]}"
  apt update || echo "install_deps: the package lists are not fresh" >&2
  if ! apt install -y --no-install-recommends "${missing[@]}"; then
    # One unknown package must not keep the others away.
    local package
    for package in "${missing[@]}"; do
      apt install -y --no-install-recommends "$package" || true
    done
  fi
}

want_lint=0 want_demo=0
case ${1:-} in
  --lint) want_lint=1 ;;
  --demo) want_demo=1 ;;
esac

find_missing
if [[ ${#missing[@]} == 0 ]]; then exit 0; fi
if [[ ${SLUICE_NO_INSTALL:-0} != 1 ]]; then
  install_missing
  find_missing
fi
if [[ ${#missing[@]} != 0 ]]; then
  echo "install_deps: still missing: ${missing[*]}" >&2
fi

if ! have cmake; then
  echo "install_deps: cannot build without cmake (3.25 or newer)" >&2
  exit 1
fi
if ! have g++ && ! have clang++-19 && ! have clang++ && ! have c++; then
  echo "install_deps: cannot build without a C++20 compiler" >&2
  exit 1
fi
if [[ ${#missing[@]} != 0 ]]; then
  echo "install_deps: going on without; what needs them is left out" >&2
fi
