// KnownValues: partially evaluates a region for arguments with known elements.
// Only small values are computed: counters and predicates. The graph does not
// change. Used by one thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/tensor/array.h"

namespace sluice {

class KnownValues {
 public:
  // Runs all nodes that can run. Empty arrays in `args` and in the result mean
  // unknown values.
  static std::vector<Array> Run(const Region& region,
                                const std::vector<Array>& args);

 private:
  Array At(const Value& v) const;
  void Visit(const Node& node);

  std::unordered_map<Value, Array, ValueHash> values_;
};

}  // namespace sluice
