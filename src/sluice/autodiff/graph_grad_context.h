// A gradient rule applied to a node of a graph: what the rule calls becomes
// more nodes: same device, the user line of the forward op, in the region the
// gradient is computed in, which is the node's own or one inside it.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/grad_context.h"

namespace sluice {

class GraphGradContext final : public GradContext {
 public:
  // `dy[i]` is the gradient of output i, or no value; `wants[i]`: that of
  // input i is asked for.
  GraphGradContext(Graph& graph, Node& node, std::span<const Value> dy,
                   const std::vector<bool>& wants)
      : GraphGradContext(graph, node, dy, wants, *node.region()) {}
  GraphGradContext(Graph& graph, Node& node, std::span<const Value> dy,
                   const std::vector<bool>& wants, Region& region);

  // For gradients written against the graph itself: a variable's value, and
  // the other way round.
  Graph& graph() { return graph_; }
  Region& region() { return region_; }
  Value ValueOf(GradVar v) const {
    return table_[static_cast<size_t>(IdOf(v))];
  }
  GradVar VarOf(Value value) { return VarAt(Enter(value)); }

  // The gradient of input i; no value when the rule set none.
  Value gradient(int i) const;
  // Where its rows are to be added; no value when it is no rows.
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
