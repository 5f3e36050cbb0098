// FlowBack: lets gradients flow from some values of a graph back to others, by
// the rules of the ops between, and through conditionals and loops. What the
// rules call becomes nodes of one region; loops and conditionals on the way
// come to give more results, which the gradients read.
//
// The caller holds the graph's lock.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "sluice/autodiff/grad_flow.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/carries_gradient.h"

namespace sluice {

inline bool CarriesGradient(const Value& v) {
  return CarriesGradient(v.dtype());
}

struct FlowBackRequest {
  Graph& graph;
  // Where gradients are computed: a region that encloses none of the ys'
  // regions, and where all ys and xs are visible.
  Region& region;
  std::span<const Value> ys, xs;
  std::span<const Value> seeds;  // what flows into each y
  // Restricts the flow to nodes of the region itself.
  bool inside = false;
  // Gradients do not flow on to the values that an x depends on.
  bool stop_at_xs = false;
};

// Adds to `flow` what flows into each x, and into what is between.
Status FlowBack(const FlowBackRequest& request, GradFlow& flow);

// A conditional, loop or call that gradients have reached.
struct RegionGradient {
  Graph& graph;
  Region& region;  // where its gradient is to be computed
  Node& node;
  std::vector<Value> dy;  // of its outputs; no value where nothing flows in
  // Whether the gradient of an input, or of a value its regions read, is asked
  // for.
  const std::unordered_set<Value, ValueHash>& wanted;
  GradFlow& flow;
};
Status BranchGradient(const RegionGradient& at);
Status LoopGradient(const RegionGradient& at);
Status CallGradient(const RegionGradient& at);

}  // namespace sluice
