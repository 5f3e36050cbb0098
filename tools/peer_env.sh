#!/usr/bin/env bash
# Makes build/peers: a Python environment with the systems ours is tested and
# measured against. Takes some gigabytes; does nothing when it is there.
#
#   tools/peer_env.sh            or: make peers
#
# It has the version of Python that build/python-env has, where there is one: the
# extension is built for that.
set -euo pipefail
cd "$(dirname "$0")/.."

torch=2.13.0
packages=("torch==$torch" torchvision jax==0.10.2 tensorflow==2.21.0
  tensorboard==2.21.0 tqdm numpy==2.4.6 ml_dtypes safetensors pytest==9.2.0
  expecttest onnx onnxruntime)
env=build/peers
mark=$env/packages.txt
if [[ -x $env/bin/python && -e $mark && $(<"$mark") == "${packages[*]}" ]]; then
  exit 0
fi
python=build/python-env/bin/python
if [[ ! -x $python ]]; then python=python3; fi
if ! "$python" -m venv "$env"; then
  echo "peer_env: python3 cannot make environments (Debian: python3-venv)" >&2
  exit 1
fi
# Compiling modules that are never imported would take most of the time.
"$env/bin/pip" install --quiet --disable-pip-version-check --no-compile \
  --no-cache-dir "${packages[@]}"
echo "${packages[*]}" > "$mark"
"$env/bin/python" -c "import torch; print('peer_env: torch', torch.__version__)"
