// Search: chooses devices for units by the cost model. The starting points are
// a greedy run in program order, everything on one device, pipeline stages, and
// the given devices. The best of them is improved by moving and exchanging
// units while the predicted end gets earlier. Deterministic, of bounded effort,
// and never worse than a starting point. Used by one thread.
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
