// Homes: where a value lies, as the node whose device that is. A value that
// goes through regions or primitives of control flow lies where the node that
// made it runs, and what a loop carries where an iteration makes the next one:
// then nothing is copied from one iteration to the next. What functions take
// and give, and sizes, lie on the host. ValuePlaces says the same of a graph
// that is placed.
//
// Made once per placement; immutable.
#pragma once

#include <vector>

#include "sluice/placement/value_flow.h"

namespace sluice {

class Homes {
 public:
  explicit Homes(const ValueFlow& flow);

  // Null: the host, as for what is fed. A constant only where nothing else
  // flows into the value.
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
  std::vector<std::vector<Value>> sources_;  // by value, where it is an edge's
};

}  // namespace sluice
