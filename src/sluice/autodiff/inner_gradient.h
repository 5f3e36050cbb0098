// InnerGradient: the gradient of a region's results, computed at the end of the
// region first, where every value it reads is at hand, and then taken out into
// another region, in which those values are given in another way: kept, read
// from a list, or computed again. How conditionals and loops are differentiated
// by the rules of the ops inside them.
//
// Lives for one call of Gradients, whose caller holds the graph's lock.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "sluice/autodiff/grad_flow.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

using ValueSet = std::unordered_set<Value, ValueHash>;

class InnerGradient {
 public:
  // Of the results of these numbers with respect to `xs` and `apart`: arguments
  // of the region and values around it. What flows into one of `apart` is not
  // summed. Until it is taken out or dropped the region has nodes that do not
  // belong there. `hoist` and `rows_of_branches` as in GradFlow.
  static Result<InnerGradient> Compute(Graph& graph, Region& region,
                                       std::vector<int> results,
                                       std::vector<Value> xs,
                                       std::vector<Value> apart = {},
                                       bool hoist = true,
                                       bool rows_of_branches = false);

  // For what flows into each of the results.
  const std::vector<Value>& stand_ins() const { return stand_ins_; }
  // Of each x; no value where nothing flows in.
  const std::vector<Value>& gradients() const { return gradients_; }
  // Of each of `apart`.
  const std::vector<std::vector<GradPart>>& parts() const { return parts_; }
  // Says that zeros of the size of x i are the gradient of x i.
  Status UseZeros(size_t i);

  // The gradient of x i is not asked for as one value.
  void Forget(size_t i) { gradients_[i] = {}; }

  // Whether the value is computed in the region, and there by the gradient.
  bool Inside(const Value& v) const {
    return v.node->region() == region_ && !tail_.count(v.node);
  }
  bool InTail(const Value& v) const { return tail_.count(v.node) > 0; }
  // Adds a node to those of the gradient.
  Result<Value> Call(const Value& beside, std::string_view op,
                     std::span<const Value> inputs, const Attrs& attrs = {});
  // Values that are asked for beside the gradients of the xs.
  void Want(std::vector<Value> values) { wanted_ = std::move(values); }

  // What is known of the other region.
  struct Elsewhere {
    ValueSet given;           // there without being kept
    ValueSet kept;            // kept whatever the gradients read
    bool around_free = true;  // nobody must keep what is around both regions
  };
  // What is to be kept or is given of the region's values, so that all that is
  // wanted can be computed: the rest is computed again, being cheap or the
  // same each time. What only the size of a value is read for is replaced by
  // that size.
  std::vector<Value> Residuals(const Elsewhere& elsewhere);
  // The same where what is around the region may have to be kept in its turn.
  std::vector<Value> Residuals() {
    return Residuals({.given = {}, .kept = {}, .around_free = false});
  }
  // Puts what computes the gradients into `to`, where `map` says what stands
  // for stand-ins and residuals; it learns what the gradients are there.
  void CopyTo(Region& to, Graph::ValueMap& map);
  // Takes the gradient out of the region.
  void Drop();
  void MoveTo(Region& to, Graph::ValueMap& map) {
    CopyTo(to, map);
    Drop();
  }

 private:
  InnerGradient(Graph& graph, Region& region)
      : graph_(&graph), region_(&region) {}
  // Nodes of the gradient that are needed, in program order.
  std::vector<Node*> Needed() const;
  std::vector<Node*> Tail() const;
  std::vector<Value> Roots() const;
  void FindTail();
  // Nodes that give the size of one of the region's values: not in the tail
  // until put back.
  std::vector<Node*> TakeSizes();

  Graph* graph_;
  Region* region_;
  Node* last_ = nullptr;  // of the region's own nodes
  std::vector<Value> xs_, stand_ins_, gradients_, wanted_;
  std::vector<std::vector<GradPart>> parts_;
  std::unordered_set<const Node*> tail_;  // what was added behind it
};

// Zeros of the size of `v`, computed in `region`.
Result<Value> ZerosOf(Graph& graph, Region& region, const Value& v);

// A node for gradients of `beside`, appended to `region`.
Result<Node*> AddBeside(Graph& graph, Region& region, const Node& beside,
                        std::string_view op, std::span<const Value> inputs,
                        const Attrs& attrs = {});

}  // namespace sluice
