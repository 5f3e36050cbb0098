// A gradient rule applied to a node of a graph: the calls of the rule become
// nodes with the same device and user line as the forward op, in the region
// where the gradient is computed, which is the node's own or a nested one.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/grad_context.h"

namespace sluice {

class GraphGradContext final : public GradContext {
 public:
  // `dy[i]` is the gradient of output i, or empty; `wants[i]`: whether that of
  // input i is wanted.
  GraphGradContext(Graph& graph, Node& node, std::span<const Value> dy,
                   const std::vector<bool>& wants)
      : GraphGradContext(graph, node, dy, wants, *node.region()) {}
  GraphGradContext(Graph& graph, Node& node, std::span<const Value> dy,
                   const std::vector<bool>& wants, Region& region);

  // For gradients that work on the graph itself: conversions between variables
  // of the rule and values.
  Graph& graph() { return graph_; }
  Region& region() { return region_; }
  Value ValueOf(GradVar v) const {
    return table_[static_cast<size_t>(IdOf(v))];
  }
  GradVar VarOf(Value value) { return VarAt(Enter(value)); }

  // The gradient of input i; empty if the rule set none.
  Value gradient(int i) const;
  // The row indices of a sparse gradient; empty if it is dense.
  Value gradient_rows(int i) const;

 protected:
  Status Emit(const OpRecord& op, std::span<const int> inputs,
              const Attrs& attrs, Ids& made) override;
  DType TypeOf(int id) const override;
  PartialShape ShapeOf(int id) const override;

 private:
  int Enter(Value value);

  Graph& graph_;
  Node& node_;
  Region& region_;
  std::vector<Value> table_;
};

}  // namespace sluice
