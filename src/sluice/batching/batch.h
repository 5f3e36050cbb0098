// Batching: code recorded for one example, rewritten to run on many at once.
//
//   BatchRegion(graph, code, into, {{x, true}, {w, false}}, &report)
//
// adds to region `into` what `code` does to every lane (slice along axis 0) of
// x, with the same w for all of them. Ops become ops on all lanes together
// (op/batch_context.h) or, where there is no rule, run lane by lane.
// Conditionals run each branch on the lanes that take it; loops run on the
// lanes that have not ended; nothing runs for a lane that would not have run by
// itself.
//
// `code` stays as it is; `into` is a region around it. The caller holds the
// graph's lock. After an error nothing is added.
#pragma once

#include <string>
#include <vector>

#include "sluice/base/source_line.h"
#include "sluice/batching/batch_scope.h"

namespace sluice {

struct BatchReport {
  int64_t together = 0;  // ops that run on all lanes at once
  int64_t single = 0;    // ops that are the same for all lanes
  struct Op {
    std::string name;
    SourceLine line;
  };
  std::vector<Op> lane_by_lane;
};

// The results, with lanes or not. At least one argument has lanes; those that
// have, have equally many.
Result<std::vector<Lanes>> BatchRegion(Graph& graph, const Region& code,
                                       Region& into,
                                       const std::vector<Lanes>& args,
                                       BatchReport* report);

}  // namespace sluice
