#!/usr/bin/env bash
# All checks that need no compiler: layers, op names, formatting, file sizes, Python.
# `tools/lint.sh --fix` reformats instead of checking.
set -euo pipefail
cd "$(dirname "$0")/.."

cxx_files() {
  find src include apps benchmarks tests examples python/src -type f \
    \( -name '*.h' -o -name '*.cc' -o -name '*.cu' -o -name '*.cuh' \) \
    -print0 2>/dev/null | sort -z || true
}
clang_format=$(command -v clang-format-19 || true)

if [[ ${1:-} == --fix ]]; then
  if [[ -z $clang_format ]]; then
    echo "lint: clang-format-19 is not installed" >&2
    exit 1
  fi
  cxx_files | xargs -0 -r "$clang_format" -i
  exit
fi

failed=0
python3 tools/check_layers.py --self-test || failed=1
python3 tools/check_layers.py || failed=1
python3 tools/house.py --self-test || failed=1
python3 tools/check_op_names.py --self-test || failed=1
python3 tools/check_op_names.py || failed=1
python3 tools/check_size.py || failed=1
python3 tools/check_python.py || failed=1
if [[ -n $clang_format ]]; then
  if report=$(cxx_files | xargs -0 -r "$clang_format" --dry-run -Werror 2>&1)
  then
    echo "format: ok"
  else
    # One line per file says enough: the cure is the same for all.
    sed -n 's/^\([^: ]*:[0-9]*\):[0-9]*: error: .*/\1: not formatted/p' \
      <<<"$report" | sort -t: -u -k1,1
    echo "format: run \`make format\`"
    failed=1
  fi
else
  echo "format: skipped, clang-format-19 is not installed"
fi
exit $failed
