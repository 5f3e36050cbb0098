#!/usr/bin/env bash
# Runs a few ops of sluice-gpu-test under compute-sanitizer's memcheck: reads
# and writes outside of what was allocated. Says so and does nothing where it is
# not installed.
#
#   tools/gpu_memcheck.sh [OP...]
set -euo pipefail
cd "$(dirname "$0")/.."

checker=$(command -v compute-sanitizer || true)
for place in "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer" \
             "${CUDA_HOME:-/usr/local/cuda}/compute-sanitizer/compute-sanitizer"
do
  if [[ -z $checker && -x $place ]]; then checker=$place; fi
done
if [[ -z $checker ]]; then
  echo "memcheck: compute-sanitizer is not installed; left out"
  exit 0
fi
ops=("$@")
if [[ ${#ops[@]} -eq 0 ]]; then
  ops=(Softmax CumSum Gather ScatterAdd Sort Conv2D)
fi
for op in "${ops[@]}"; do
  echo "memcheck: $op"
  "$checker" --tool memcheck --error-exitcode 3 --print-limit 5 \
    build/gpu/bin/sluice-gpu-test --only "$op" --threads 1
done
