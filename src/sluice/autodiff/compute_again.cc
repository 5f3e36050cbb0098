#include "sluice/autodiff/compute_again.h"

namespace sluice {

namespace {

// The number of runs would be observable.
bool MayRepeat(const Node& node) {
  return node.op().pure() && node.op().flow == Flow::kNone &&
         node.regions().empty() && node.controls().empty() && !node.is_args();
}

}  // namespace

bool ComputeAgain::IsCheap(const Node& node) {
  const OpRecord& op = node.op();
  if (op.shape_only || op.view) return true;
  // Exact formulas are arithmetic; those with an error bound are long, and
  // cheap only for single elements.
  if (op.elementwise()) {
    return op.max_ulp == 0 || node.output_type(0).shape.rank() == 0;
  }
  // An element of an unchanged tensor can be read again.
  return op.recompute == Recompute::kCheap ||
         (op.recompute == Recompute::kCheapOfFixed && Invariant(node.input(0)));
}

bool ComputeAgain::Invariant(const Value& v) {
  if (v.node->region() != &region_ || ConstantValue(v)) return true;
  if (!MayRepeat(*v.node)) return false;
  auto [it, first] = invariant_.emplace(v.node, true);
  if (!first) return it->second;
  bool all = true;
  for (const Value& in : v.node->inputs()) all = all && Invariant(in);
  return invariant_[v.node] = all;
}

bool ComputeAgain::There(const Value& v) {
  if (ConstantValue(v) || there_.count(v)) return true;
  if (v.node->region() != &region_) return around_free_;
  return Should(v);
}

bool ComputeAgain::Should(const Value& v) {
  if (!MayRepeat(*v.node)) return false;
  auto [it, first] = should_.emplace(v.node, false);
  if (!first) return it->second;
  bool should = IsCheap(*v.node) || (around_free_ && Invariant(v));
  // Sizes are small: nothing is recomputed for them alone.
  bool size = v.node->op().shape_only && IsInteger(v.dtype());
  for (const Value& in : v.node->inputs()) {
    bool inside = in.node->region() == &region_;
    should = should && (size && inside ? there_.count(in) > 0 : There(in));
  }
  return should_[v.node] = should;
}

}  // namespace sluice
