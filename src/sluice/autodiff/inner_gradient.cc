#include "sluice/autodiff/inner_gradient.h"

#include <algorithm>

#include "sluice/autodiff/flow_back.h"
#include "sluice/autodiff/grad_flow.h"
#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"

namespace sluice {

Result<Node*> AddBeside(Graph& graph, Region& region, const Node& beside,
                        std::string_view op, std::span<const Value> inputs,
                        const Attrs& attrs) {
  NodeOptions options;
  options.scope = StrCat("gradients/", beside.name());
  options.device = beside.device();
  options.line = beside.line();
  return graph.Add(region, op, inputs, attrs, options);
}

Result<Value> ZerosOf(Graph& graph, Region& region, const Value& v) {
  if (v.dtype() == DType::kList) {
    SL_ASSIGN_OR_RETURN(Node * zeros,
                        AddBeside(graph, region, *v.node, "ListZero", {}));
    return zeros->output();
  }
  Value dims;
  if (v.shape().fully_known()) {
    Shape shape = v.shape().ToShape();
    SL_ASSIGN_OR_RETURN(Node * constant,
                        AddBeside(graph, region, *v.node, "Const", {},
                                  {{"value", Array::Vector(shape.dims())}}));
    dims = constant->output();
  } else {
    SL_ASSIGN_OR_RETURN(Node * shape,
                        AddBeside(graph, region, *v.node, "Shape", {&v, 1}));
    dims = shape->output();
  }
  SL_ASSIGN_OR_RETURN(Node * zero,
                      AddBeside(graph, region, *v.node, "Const", {},
                                {{"value", Array::Zeros(v.dtype(), {})}}));
  Value in[] = {dims, zero->output()};
  SL_ASSIGN_OR_RETURN(Node * fill,
                      AddBeside(graph, region, *v.node, "Fill", in));
  return fill->output();
}

Result<InnerGradient> InnerGradient::Compute(Graph& graph, Region& region,
                                             std::vector<int> results,
                                             std::vector<Value> xs) {
  InnerGradient inner(graph, region);
  if (!region.nodes().empty()) inner.last_ = region.nodes().back();
  std::vector<Value> ys;
  for (int r : results) {
    const Value& y = region.results()[static_cast<size_t>(r)];
    SL_ASSIGN_OR_RETURN(
        Node * stand_in,
        AddBeside(graph, region, *region.owner(), "Placeholder", {},
                  {{"dtype", y.dtype()}, {"shape", y.shape()}}));
    ys.push_back(y);
    inner.stand_ins_.push_back(stand_in->output());
  }
  GradFlow flow(graph, region);
  Status status =
      FlowBack({graph, region, ys, xs, inner.stand_ins_, true}, flow);
  for (size_t i = 0; status.ok() && i < xs.size(); ++i) {
    Result<Value> total = flow.Total(xs[i]);
    status = total.status();
    inner.gradients_.push_back(total.ok() ? *total : Value());
  }
  inner.xs_ = std::move(xs);
  inner.FindTail();
  if (status.ok()) return inner;
  inner.Drop();
  return status;
}

void InnerGradient::FindTail() {
  tail_.clear();
  for (const Node* node : Tail()) tail_.insert(node);
}

std::vector<Node*> InnerGradient::Tail() const {
  auto nodes = region_->nodes();
  auto begin = nodes.begin();
  if (last_) begin = std::find(nodes.begin(), nodes.end(), last_) + 1;
  return {begin, nodes.end()};
}

Status InnerGradient::UseZeros(size_t i) {
  SL_ASSIGN_OR_RETURN(gradients_[i], ZerosOf(*graph_, *region_, xs_[i]));
  FindTail();
  return OkStatus();
}

std::vector<Node*> InnerGradient::Needed() const {
  std::unordered_set<const Node*> needed;
  for (const Value& g : gradients_) {
    if (g) needed.insert(g.node);
  }
  std::vector<Node*> tail = Tail(), kept;
  for (auto it = tail.rbegin(); it != tail.rend(); ++it) {
    if (!needed.count(*it) || !tail_.count(*it)) continue;
    kept.push_back(*it);
    for (const Value& v : InputsWithCaptures(**it)) needed.insert(v.node);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

std::vector<Value> InnerGradient::Residuals() {
  // A size is all that is read of some values: then it is kept, not they.
  for (Node* node : Needed()) {
    bool size = node->op().shape_only && node->num_outputs() == 1 &&
                IsInteger(node->output_type(0).dtype);
    for (const Value& v : node->inputs()) size = size && !tail_.count(v.node);
    if (size) tail_.erase(node);
  }
  std::vector<Value> residuals;
  std::unordered_set<Value, ValueHash> seen;
  auto read = [&](const Value& v) {
    if (!Inside(v) || ConstantValue(v) || !seen.insert(v).second) return;
    residuals.push_back(v);
  };
  for (Node* node : Needed()) {
    for (const Value& v : InputsWithCaptures(*node)) read(v);
  }
  for (const Value& g : gradients_) {
    if (g) read(g);
  }
  return residuals;
}

void InnerGradient::MoveTo(Region& to, Graph::ValueMap& map) {
  Graph::NodeMap nodes;
  auto copy_constant = [&](const Value& v) {
    if (v.node->region() == region_ && ConstantValue(v) && !map.count(v)) {
      graph_->CopyNode(*v.node, to, map, nodes);
    }
  };
  for (Node* node : Needed()) {
    if (map.count(node->output())) continue;  // a stand-in
    for (const Value& v : InputsWithCaptures(*node)) copy_constant(v);
    graph_->CopyNode(*node, to, map, nodes);
  }
  for (const Value& g : gradients_) {
    if (g) copy_constant(g);
  }
  Drop();
}

void InnerGradient::Drop() {
  std::vector<Node*> tail = Tail();
  for (auto it = tail.rbegin(); it != tail.rend(); ++it) {
    if (tail_.count(*it)) graph_->Erase(**it);
  }
  tail_.clear();
}

}  // namespace sluice
