#include "sluice/autodiff/graph_grad_context.h"

#include "sluice/base/strings.h"

namespace sluice {

GraphGradContext::GraphGradContext(Graph& graph, Node& node,
                                   std::span<const Value> dy,
                                   const std::vector<bool>& wants,
                                   Region& region)
    : GradContext(node.op(), node.attrs()),
      graph_(graph),
      node_(node),
      region_(region) {
  for (const Value& v : node.inputs()) in_.push_back(Enter(v));
  for (int i = 0; i < node.num_outputs(); ++i) {
    out_.push_back(Enter(node.output(i)));
  }
  for (const Value& v : dy) dy_.push_back(v ? Enter(v) : -1);
  for (bool wanted : wants) wants_.push_back(wanted);
  dx_.resize(in_.size(), -1);
}

int GraphGradContext::Enter(Value value) {
  table_.push_back(value);
  return static_cast<int>(table_.size()) - 1;
}

Value GraphGradContext::gradient(int i) const {
  int id = dx_[static_cast<size_t>(i)];
  return id < 0 ? Value() : table_[static_cast<size_t>(id)];
}

Value GraphGradContext::gradient_rows(int i) const {
  if (dx_rows_.empty()) return Value();
  int id = dx_rows_[static_cast<size_t>(i)];
  return id < 0 ? Value() : table_[static_cast<size_t>(id)];
}

DType GraphGradContext::TypeOf(int id) const {
  return table_[static_cast<size_t>(id)].dtype();
}

PartialShape GraphGradContext::ShapeOf(int id) const {
  return table_[static_cast<size_t>(id)].shape();
}

Status GraphGradContext::Emit(const OpRecord& op, std::span<const int> inputs,
                              const Attrs& attrs, Ids& made) {
  std::vector<Value> values;
  for (int id : inputs) values.push_back(table_[static_cast<size_t>(id)]);
  NodeOptions options;
  options.scope = StrCat("gradients/", node_.name());
  options.device = node_.device();
  options.line = node_.line();
  SL_ASSIGN_OR_RETURN(Node * node,
                      graph_.Add(region_, op.name, values, attrs, options));
  for (int i = 0; i < node->num_outputs(); ++i) {
    made.push_back(Enter(node->output(i)));
  }
  return OkStatus();
}

}  // namespace sluice
