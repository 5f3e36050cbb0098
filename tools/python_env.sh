#!/usr/bin/env bash
# Makes build/python-env: a Python environment with what the Python package is
# built and tested with (python/requirements-dev.txt). Does nothing, quickly, when
# it is there. Prints the path of its interpreter; nothing, with a message, where
# it cannot be had: builds then leave the Python part out.
#
#   tools/python_env.sh
#
# SLUICE_PYTHON_EXE names the Python to make it of; default: the newest on the
# path that is 3.10 or later and has headers.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=python/requirements-dev.txt
env=build/python-env
done_mark=$env/requirements.txt

if [[ -x $env/bin/python ]] && cmp -s "$requirements" "$done_mark"; then
  echo "$PWD/$env/bin/python"
  exit 0
fi
say() { echo "python_env: $*; the Python package is left out" >&2; }

# Fit: 3.10 or later, with Python.h and venv.
fit() {
  "$1" - 2>/dev/null <<'PYTHON'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(not (sys.version_info >= (3, 10) and os.path.exists(header)))
PYTHON
}
python=
for name in ${SLUICE_PYTHON_EXE:-python3 python3.14 python3.13 python3.12 \
            python3.11 python3.10 /usr/bin/python3}; do
  if command -v "$name" >/dev/null && fit "$name"; then
    python=$name
    break
  fi
done
if [[ -z $python ]]; then
  say "no Python 3.10 or later with headers and venv" \
    "(Debian: python3-dev python3-venv)"
  exit 0
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { rm -rf "$env" && "$python" -m venv "$env" &&
       "$env/bin/python" -m pip install --quiet --disable-pip-version-check \
         --retries 1 --timeout 20 -r "$requirements"; } >"$log" 2>&1; then
  tail -n 3 "$log" >&2
  say "its requirements cannot be installed (no network?)"
  exit 0
fi
cp "$requirements" "$done_mark"
echo "$PWD/$env/bin/python"
