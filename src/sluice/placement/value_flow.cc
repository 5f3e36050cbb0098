#include "sluice/placement/value_flow.h"

#include <algorithm>

namespace sluice {

ValueFlow::ValueFlow(Graph& graph) : root_(graph.root()) {
  first_.resize(static_cast<size_t>(graph.id_limit()), -1);
  nodes_.reserve(static_cast<size_t>(graph.num_nodes()));
  Number(graph.root());
  for (Node* node : nodes_) Connect(*node);
}

void ValueFlow::Number(Region& region) {
  args_[region.args_node()] = num_values_;
  args_nodes_.push_back(region.args_node());
  num_values_ += region.num_args();
  for (Node* node : region.nodes()) {
    first_[static_cast<size_t>(node->id())] = num_values_;
    num_values_ += node->num_outputs();
    nodes_.push_back(node);
    for (const auto& inner : node->regions()) Number(*inner);
  }
}

const Node* ValueFlow::FunctionOf(const Node& call) {
  if (call.op().flow != Flow::kCall || call.num_inputs() == 0) return nullptr;
  const Node* function = call.input(0).node;
  bool known =
      function->op().flow == Flow::kFunction && !function->regions().empty();
  return known ? function : nullptr;
}

void ValueFlow::Connect(Node& node) {
  auto results = [&](const Region& region) {
    int count =
        std::min(node.num_outputs(), static_cast<int>(region.results().size()));
    for (int i = 0; i < count; ++i) {
      edges_.push_back(
          {region.results()[static_cast<size_t>(i)], node.output(i)});
    }
  };
  if (node.op().flow == Flow::kBranch) {
    for (const auto& region : node.regions()) results(*region);
  } else if (node.op().flow == Flow::kCall) {
    const Node* function = FunctionOf(node);
    if (!function) return;
    const Region& body = *function->regions()[0];
    for (int i = 1; i < node.num_inputs() && i <= body.num_args(); ++i) {
      edges_.push_back({node.input(i), body.arg(i - 1)});
    }
    results(body);
  } else if (node.op().flow == Flow::kLoop && node.regions().size() == 2) {
    const Region &cond = *node.regions()[0], &body = *node.regions()[1];
    int count =
        std::min({node.num_inputs(), node.num_outputs(), cond.num_args(),
                  body.num_args(), static_cast<int>(body.results().size())});
    for (int i = 0; i < count; ++i) {
      Value last = body.results()[static_cast<size_t>(i)];
      for (Value to : {cond.arg(i), body.arg(i), node.output(i)}) {
        edges_.push_back({node.input(i), to});
        edges_.push_back({last, to});
      }
    }
  }
}

bool IsHandle(const Value& value) {
  return IsReference(value.dtype()) && value.node->op().flow != Flow::kFunction;
}

}  // namespace sluice
