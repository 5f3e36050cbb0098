// KnownValues: what a region would compute if some of its arguments had known
// elements, as far as that follows from them and from constants. Small values
// only: counters and predicates. Nothing of the graph changes.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/tensor/array.h"

namespace sluice {

class KnownValues {
 public:
  // Runs what can be run; args that hold nothing are not known. Results that
  // hold nothing are not known either.
  static std::vector<Array> Run(const Region& region,
                                const std::vector<Array>& args);

 private:
  Array At(const Value& v) const;
  void Visit(const Node& node);

  std::unordered_map<Value, Array, ValueHash> values_;
};

}  // namespace sluice
