// RunLoopNow: a loop that runs at once, as ordinary code. With save =
// "recompute" it runs in stretches, each a little longer than the one before,
// that keep what they began with and nothing else; a gradient that reaches one
// runs it again (recompute.h). So both the number of stretches and the length
// of the longest grow as the square root of the number of iterations.
#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "sluice/trace/record_region.h"

namespace sluice::front_internal {

struct LoopNow {
  // Whether there is an iteration i, from what is carried, and what it gives.
  std::function<bool(const std::vector<Tensor>&, int64_t)> more;
  std::function<std::vector<Tensor>(const std::vector<Tensor>&, int64_t)> step;
  std::string what;  // "scan", for messages and reports
  LoopSettings settings;
  std::source_location where;
};

// Refuses a loop that runs at once and whose gradient could not be bounded as
// its settings say.
void RefuseToRepeat(std::string_view what, const LoopSettings& settings,
                    std::source_location where);

std::vector<Tensor> RunLoopNow(const LoopNow& loop,
                               const std::vector<Tensor>& inits);

}  // namespace sluice::front_internal
