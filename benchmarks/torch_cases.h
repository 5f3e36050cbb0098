// The forty ops compared with PyTorch, by the names torch_ops.py knows.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/graph_call.h"

namespace sluice::bench {

struct TorchCase {
  std::string name;
  std::vector<Array> inputs;
  GraphCall::Build build;
  bool comparable = true;  // results are the same numbers
};

inline constexpr int kNumTorchCases = 40;
// Number 0 to kNumTorchCases - 1. Made one at a time: inputs are large.
TorchCase MakeTorchCase(int number);

}  // namespace sluice::bench
