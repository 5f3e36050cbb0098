// InnerGradient: the gradient of a region's results. It is first built at the
// end of the region, where every value it reads is available, and then moved to
// another region, where those values are supplied differently: kept, read from
// a list, or recomputed. Conditionals and loops are differentiated this way,
// with the rules of the ops inside them.
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
  // Of the results with these indices, with respect to `xs` and `apart`:
  // arguments of the region and captures. Gradients of `apart` are not summed.
  // Until Drop or MoveTo, the region contains nodes that do not belong to it.
  // `hoist` and `rows_of_branches` as in GradFlow.
  static Result<InnerGradient> Compute(Graph& graph, Region& region,
                                       std::vector<int> results,
                                       std::vector<Value> xs,
                                       std::vector<Value> apart = {},
                                       bool hoist = true,
                                       bool rows_of_branches = false);

  // Placeholders for the incoming gradients of the results.
  const std::vector<Value>& stand_ins() const { return stand_ins_; }
  // The gradient of each x; empty if there is none.
  const std::vector<Value>& gradients() const { return gradients_; }
  // The parts of the gradient of each of `apart`.
  const std::vector<std::vector<GradPart>>& parts() const { return parts_; }
  // Uses zeros of the size of x i as the gradient of x i.
  Status UseZeros(size_t i);

  // The gradient of x i is not wanted as one value.
  void Forget(size_t i) { gradients_[i] = {}; }

  // Whether the value is computed in the region, by the region's own nodes.
  bool Inside(const Value& v) const {
    return v.node->region() == region_ && !tail_.count(v.node);
  }
  bool InTail(const Value& v) const { return tail_.count(v.node) > 0; }
  // Adds a node to those of the gradient.
  Result<Value> Call(const Value& beside, std::string_view op,
                     std::span<const Value> inputs, const Attrs& attrs = {});
  // Requests values in addition to the gradients of the xs.
  void Want(std::vector<Value> values) { wanted_ = std::move(values); }

  // What is available in the other region.
  struct Elsewhere {
    ValueSet given;           // available without being kept
    ValueSet kept;            // kept in any case
    bool around_free = true;  // values outside both regions are available
  };
  // The values of the region that must be kept or supplied so that everything
  // wanted can be computed. The rest is recomputed, because it is cheap or the
  // same each time. If only the size of a value is read, the size replaces the
  // value.
  std::vector<Value> Residuals(const Elsewhere& elsewhere);
  // The same if values outside the region may also have to be kept.
  std::vector<Value> Residuals() {
    return Residuals({.given = {}, .kept = {}, .around_free = false});
  }
  // Copies the nodes that compute the gradients into `to`. `map` has the
  // replacements of placeholders and residuals, and receives the gradients.
  void CopyTo(Region& to, Graph::ValueMap& map);
  // Removes the gradient from the region.
  void Drop();
  void MoveTo(Region& to, Graph::ValueMap& map) {
    CopyTo(to, map);
    Drop();
  }

 private:
  InnerGradient(Graph& graph, Region& region)
      : graph_(&graph), region_(&region) {}
  // The needed nodes of the gradient, in program order.
  std::vector<Node*> Needed() const;
  std::vector<Node*> Tail() const;
  std::vector<Value> Roots() const;
  void FindTail();
  // Removes from the tail the nodes that compute only the size of a value of
  // the region.
  std::vector<Node*> TakeSizes();

  Graph* graph_;
  Region* region_;
  Node* last_ = nullptr;  // last of the region's own nodes
  std::vector<Value> xs_, stand_ins_, gradients_, wanted_;
  std::vector<std::vector<GradPart>> parts_;
  std::unordered_set<const Node*> tail_;  // nodes that were added after it
};

// Zeros of the size of `v`, computed in `region`.
Result<Value> ZerosOf(Graph& graph, Region& region, const Value& v);

// A node for the gradient of `beside`, appended to `region`.
Result<Node*> AddBeside(Graph& graph, Region& region, const Node& beside,
                        std::string_view op, std::span<const Value> inputs,
                        const Attrs& attrs = {});

}  // namespace sluice
