// The passes every plan goes through, in order: the list in the .cc file.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/passes/fold_constants.h"

namespace sluice {

struct PipelineOptions {
  bool optimize = true;  // off: shapes are refined and nothing else happens
  // Primitives of the regular form become conditionals and loops, once, before
  // all else.
  bool raise = true;
  // Off: also rewrites that round differently, within what the ops state.
  bool same_bits = true;
  int64_t max_constant_bytes = kMaxConstantBytes;
  // A second round finds what the first laid open. Sizes that come from sizes
  // (a reshape by another's shape, and its gradient) take one round each; a
  // round that changes nothing is the last.
  int max_rounds = 4;
  // Set by an error that only steps have which come to some branch or loop.
  bool* in_region = nullptr;
  // After each pass. A broken graph is our mistake, so debug builds look.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
};

// What each pass did.
struct PassReport {
  struct Entry {
    std::string pass;
    bool changed = false;
    int nodes_before = 0, nodes_after = 0;
    double seconds = 0;
    std::vector<std::string> notes;  // what was done where, a line each
  };
  std::vector<Entry> entries;
  std::string ToString() const;  // one line each and notes, for `explain`
};

// An error names the pass it came from.
Result<PassReport> RunPipeline(Graph& graph,
                               const PipelineOptions& options = {});

}  // namespace sluice
