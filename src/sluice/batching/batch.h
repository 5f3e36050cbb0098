// Batching: code recorded for one example, rewritten to run on many at once.
//
//   BatchRegion(graph, code, into, {{x, true}, {w, false}}, &report)
//
// adds to region `into` the code that applies `code` to every lane (slice along
// axis 0) of x, with the same w for all lanes. Ops become ops on all lanes
// together (op/batch_context.h) or, without a rule, run lane by lane.
// Conditionals run each branch on the lanes that take it; loops run on the
// lanes that have not finished; no code runs for a lane that would not run it
// alone.
//
// `code` is unchanged; `into` is a region that encloses it. The caller holds
// the graph's lock. After an error nothing is added.
#pragma once

#include <string>
#include <vector>

#include "sluice/base/source_line.h"
#include "sluice/batching/batch_scope.h"

namespace sluice {

struct BatchReport {
  int64_t together = 0;  // ops that run on all lanes together
  int64_t single = 0;    // ops that are the same for all lanes
  struct Op {
    std::string name;
    SourceLine line;
  };
  std::vector<Op> lane_by_lane;
};

// The results, with or without lanes. At least one argument has lanes, and all
// that have them have the same number.
Result<std::vector<Lanes>> BatchRegion(Graph& graph, const Region& code,
                                       Region& into,
                                       const std::vector<Lanes>& args,
                                       BatchReport* report);

}  // namespace sluice
