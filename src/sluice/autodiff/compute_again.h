// ComputeAgain: which values of a region are better computed a second time,
// where gradients read them, than kept from the first: those of ops that cost
// no more than reading memory, as far as what they read is there, and those
// that are the same each time the region runs.
//
// Lives for one call of Gradients, whose caller holds the graph's lock.
#pragma once

#include <unordered_map>

#include "sluice/autodiff/inner_gradient.h"

namespace sluice {

class ComputeAgain {
 public:
  // `there`: what is there where gradients are computed, of the region and,
  // unless `around_free`, of what is around it.
  ComputeAgain(const Region& region, ValueSet there, bool around_free)
      : region_(region), there_(std::move(there)), around_free_(around_free) {}

  // Whether v, a value of the region, can and should be computed again even if
  // it were not there itself.
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
