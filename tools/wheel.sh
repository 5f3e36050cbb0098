#!/usr/bin/env bash
# Builds the wheel of the Python package in build/wheels, says how large it is,
# and fails when it holds what does not belong there.
#
#   tools/wheel.sh           or: make wheel
#   tools/wheel.sh --test    also installs it in a fresh environment and uses it
#
# `pip install .` does the same for users. Here pip takes nanobind from
# build/python-env, whose paths are the same each time, so that ccache knows
# what was compiled before.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(tools/python_env.sh)
if [[ -z $python ]]; then
  echo "wheel: no Python to build for" >&2
  exit 1
fi
rm -rf build/wheels
"$python" -m pip wheel . --quiet --disable-pip-version-check --no-deps \
  --no-build-isolation --wheel-dir build/wheels \
  -Ccmake.define.SLUICE_WERROR=ON
wheel=$(echo build/wheels/sluice-*.whl)
"$python" tools/check_wheel.py "$wheel"
if [[ ${1:-} != --test ]]; then exit 0; fi

env=build/wheel-test-env
rm -rf "$env"
"$python" -m venv "$env"
"$env/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel"
# From elsewhere: not the sources here but what was installed is imported.
here=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$here/$env/bin/python" -W error "$here/tools/smoke_test.py"
"$here/$env/bin/python" -m sluice.info
