// RowsLost: values whose gradients are rows on some way through a branch and
// dense on another. A graph gives one of the two, dense, on every way; code
// that runs op by op gives what the way taken gives, and can tell.
//
// On the stack of whoever asks for gradients and cares; found by the thread.
#pragma once

#include <unordered_set>

#include "sluice/graph/value.h"

namespace sluice {

class RowsLost {
 public:
  RowsLost();
  ~RowsLost();
  RowsLost(const RowsLost&) = delete;
  RowsLost& operator=(const RowsLost&) = delete;

  // For all that care, on this thread.
  static void Note(const Value& x);
  bool Has(const Value& x) const { return values_.count(x) > 0; }

 private:
  RowsLost* const outer_;
  std::unordered_set<Value, ValueHash> values_;
};

}  // namespace sluice
