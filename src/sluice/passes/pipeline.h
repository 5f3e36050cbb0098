// Runs the passes that every plan goes through, in the order of the list in the
// .cc file. Plain functions; no other thread sees the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/passes/fold_constants.h"

namespace sluice {

struct PipelineOptions {
  bool optimize = true;  // off: only refines shapes
  // Raises primitives of the regular form to conditionals and loops, once,
  // before all other passes.
  bool raise = true;
  // Off: also allows rewrites that round differently, within the tolerance of
  // the ops.
  bool same_bits = true;
  int64_t max_constant_bytes = kMaxConstantBytes;
  // Later iterations find what earlier ones exposed. Sizes computed from sizes
  // (a reshape to another value's shape, and its gradient) need one iteration
  // each. An iteration without changes is the last.
  int max_rounds = 4;
  // Set by an error that concerns only steps that reach some branch or loop.
  bool* in_region = nullptr;
  // Verifies after each pass, in debug builds: a broken graph is an internal
  // bug.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
};

// The changes of each pass.
struct PassReport {
  struct Entry {
    std::string pass;
    bool changed = false;
    int nodes_before = 0, nodes_after = 0;
    double seconds = 0;
    std::vector<std::string> notes;  // one line per change, with its place
  };
  std::vector<Entry> entries;
  std::string ToString() const;  // one line each and notes, for `explain`
};

// An error names the pass that caused it.
Result<PassReport> RunPipeline(Graph& graph,
                               const PipelineOptions& options = {});

}  // namespace sluice
