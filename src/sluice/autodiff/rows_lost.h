// RowsLost: values whose gradients are sparse on one path through a branch and
// dense on another. A graph returns one form, dense, on every path. Code that
// runs op by op returns the form of the path taken, so the difference is
// visible.
//
// On the stack of code that needs to know; found by thread.
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

  // Reports the value to all of them on this thread.
  static void Note(const Value& x);
  bool Has(const Value& x) const { return values_.count(x) > 0; }

 private:
  RowsLost* const outer_;
  std::unordered_set<Value, ValueHash> values_;
};

}  // namespace sluice
