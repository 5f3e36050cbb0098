// RunLoopNow: a loop that runs eagerly. With save = "recompute" it runs in
// segments of slowly increasing length, which keep only their initial values; a
// gradient that reaches a segment runs it again (recompute.h). Both the number
// of segments and the longest segment therefore grow as the square root of the
// number of iterations.
#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "sluice/trace/record_region.h"

namespace sluice::front_internal {

struct LoopNow {
  // `more`: whether there is an iteration i, given the carried values. `step`:
  // runs it.
  std::function<bool(const std::vector<Tensor>&, int64_t)> more;
  std::function<std::vector<Tensor>(const std::vector<Tensor>&, int64_t)> step;
  std::string what;  // "scan", for messages and reports
  LoopSettings settings;
  std::source_location where;
};

// Throws for an eager loop whose settings bound the memory of its gradient in a
// way that cannot be met.
void RefuseToRepeat(std::string_view what, const LoopSettings& settings,
                    std::source_location where);

std::vector<Tensor> RunLoopNow(const LoopNow& loop,
                               const std::vector<Tensor>& inits);

}  // namespace sluice::front_internal
