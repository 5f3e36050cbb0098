// Search: devices for units by the cost model. A greedy run in program order,
// everything on one device, the stages of a pipeline and what the units came
// with are the starts; the best of them is improved by moving and exchanging
// units as long as the predicted end comes earlier. Deterministic, of bounded
// effort, and never worse than any of its starts.
#pragma once

#include <vector>

#include "sluice/placement/schedule.h"

namespace sluice {

struct SearchResult {
  std::vector<int> devices;  // by unit
  Outcome outcome;
  int64_t runs = 0;  // of the schedule
};

SearchResult SearchDevices(const std::vector<Unit>& units, Schedule& schedule);

}  // namespace sluice
