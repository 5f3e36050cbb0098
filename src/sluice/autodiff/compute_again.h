// ComputeAgain: which values of a region the gradient should recompute instead
// of keeping: results of ops that cost no more than reading memory, if their
// inputs are available, and values that are the same in every run of the
// region.
//
// Lives for one call of Gradients, whose caller holds the graph's lock.
#pragma once

#include <unordered_map>

#include "sluice/autodiff/inner_gradient.h"

namespace sluice {

class ComputeAgain {
 public:
  // `there`: the values available where gradients are computed: those of the
  // region and, unless `around_free`, of the enclosing regions.
  ComputeAgain(const Region& region, ValueSet there, bool around_free)
      : region_(region), there_(std::move(there)), around_free_(around_free) {}

  // Whether v, a value of the region, can and should be recomputed if it is not
  // available itself.
  bool Should(const Value& v);

 private:
  bool There(const Value& v);
  bool Invariant(const Value& v);
  bool IsCheap(const Node& node);

  const Region& region_;
  const ValueSet there_;
  const bool around_free_;
  std::unordered_map<const Node*, bool> should_, invariant_;
};

}  // namespace sluice
