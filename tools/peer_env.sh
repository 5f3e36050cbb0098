#!/usr/bin/env bash
# Makes build/peers: a Python environment with the systems our benchmarks are
# compared with. Takes some gigabytes; does nothing when it is there.
#
#   tools/peer_env.sh            or: make peers
set -euo pipefail
cd "$(dirname "$0")/.."

torch=2.13.0
env=build/peers
if [[ -x $env/bin/python ]] &&
   "$env/bin/python" -c "import onnxruntime, torch; assert torch.__version__.startswith('$torch')" \
     2>/dev/null; then
  exit 0
fi
if ! python3 -m venv "$env"; then
  echo "peer_env: python3 cannot make environments (Debian: python3-venv)" >&2
  exit 1
fi
"$env/bin/pip" install --quiet --disable-pip-version-check "torch==$torch" numpy \
  onnx onnxruntime
"$env/bin/python" -c "import torch; print('peer_env: torch', torch.__version__)"
