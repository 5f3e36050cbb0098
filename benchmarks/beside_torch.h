// A training step of ours timed beside the same step of PyTorch
// (torch_loops.py), once both have been seen to learn the same: their losses
// are compared over the first few steps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/bench.h"
#include "sluice/tensor/array.h"

namespace sluice::bench {

struct BesideTorch {
  std::string metric, torch_case;
  std::function<float()> step;  // one step of ours: the loss before it
  std::vector<Array> inputs;    // of the other side, to begin with
  Settings settings;
  Bar bar;
  // Called when the losses have been compared, to begin anew where what a step
  // costs depends on what was learned. Gives the inputs for the other side.
  std::function<std::vector<Array>()> before_timing{};
};

void RaceTorch(Report& report, const BesideTorch& race);

// "12.3": a number for settings.
std::string ShortText(double number);

}  // namespace sluice::bench
