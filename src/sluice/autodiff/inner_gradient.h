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

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

class InnerGradient {
 public:
  // Of the results of these numbers with respect to `xs`: arguments of the
  // region and values around it. Until it is taken out or dropped the region
  // has nodes that do not belong there.
  static Result<InnerGradient> Compute(Graph& graph, Region& region,
                                       std::vector<int> results,
                                       std::vector<Value> xs);

  // For what flows into each of the results.
  const std::vector<Value>& stand_ins() const { return stand_ins_; }
  // Of each x; no value where nothing flows in.
  const std::vector<Value>& gradients() const { return gradients_; }
  // Says that zeros of the size of x i are the gradient of x i.
  Status UseZeros(size_t i);

  // Values of the region that the gradients read, constants excepted. What
  // only the size of a value is read for is replaced by that size.
  std::vector<Value> Residuals();
  // Puts what computes the gradients into `to`, where `map` says what stands
  // for stand-ins and residuals; it learns what the gradients are there.
  void MoveTo(Region& to, Graph::ValueMap& map);
  void Drop();

 private:
  InnerGradient(Graph& graph, Region& region)
      : graph_(&graph), region_(&region) {}
  // Nodes of the gradient that are needed, in program order.
  std::vector<Node*> Needed() const;
  std::vector<Node*> Tail() const;
  bool Inside(const Value& v) const {
    return v.node->region() == region_ && !tail_.count(v.node);
  }
  void FindTail();

  Graph* graph_;
  Region* region_;
  Node* last_ = nullptr;  // of the region's own nodes
  std::vector<Value> xs_, stand_ins_, gradients_;
  std::unordered_set<const Node*> tail_;  // what was added behind it
};

// Zeros of the size of `v`, computed in `region`.
Result<Value> ZerosOf(Graph& graph, Region& region, const Value& v);

// A node for gradients of `beside`, appended to `region`.
Result<Node*> AddBeside(Graph& graph, Region& region, const Node& beside,
                        std::string_view op, std::span<const Value> inputs,
                        const Attrs& attrs = {});

}  // namespace sluice
