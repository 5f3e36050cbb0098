// Homes: the location of each value, as the node whose device holds it. A value
// that passes through regions or control-flow primitives is where its producer
// runs. A loop-carried value is where an iteration computes the next one, so
// that nothing is copied between iterations. Arguments and results of
// functions, and sizes, are on the host. ValuePlaces tells the same for a
// placed graph.
//
// Built once per placement; immutable.
#pragma once

#include <vector>

#include "sluice/placement/value_flow.h"

namespace sluice {

class Homes {
 public:
  explicit Homes(const ValueFlow& flow);

  // Null: the host, as for feeds. A constant only if no other value flows into
  // `value`.
  Node* Of(const Value& value) const {
    return homes_[static_cast<size_t>(flow_.IdOf(value))];
  }

 private:
  Node* Find(const Value& value);
  Node* FromAny(const std::vector<Value>& sources);

  const ValueFlow& flow_;
  enum class Mark : uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks_;
  std::vector<Node*> homes_;
  // By value, its sources along edges.
  std::vector<std::vector<Value>> sources_;
};

}  // namespace sluice
