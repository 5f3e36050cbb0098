#include "sluice/autodiff/inner_gradient.h"

#include <algorithm>

#include "sluice/autodiff/compute_again.h"
#include "sluice/autodiff/flow_back.h"
#include "sluice/base/strings.h"
#include "sluice/graph/device_near.h"
#include "sluice/graph/traverse.h"

namespace sluice {

Result<Node*> AddBeside(Graph& graph, Region& region, const Node& beside,
                        std::string_view op, std::span<const Value> inputs,
                        const Attrs& attrs) {
  NodeOptions options;
  options.scope = StrCat("gradients/", beside.name());
  options.device = DeviceNear(beside, inputs);
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
                                             std::vector<Value> xs,
                                             std::vector<Value> apart,
                                             bool hoist,
                                             bool rows_of_branches) {
  InnerGradient inner(graph, region);
  if (!region.nodes().empty()) inner.last_ = region.nodes().back();
  std::vector<Value> ys, all = xs;
  all.insert(all.end(), apart.begin(), apart.end());
  for (int r : results) {
    const Value& y = region.results()[static_cast<size_t>(r)];
    SL_ASSIGN_OR_RETURN(
        Node * stand_in,
        AddBeside(graph, region, *region.owner(), "Placeholder", {},
                  {{"dtype", y.dtype()}, {"shape", y.shape()}}));
    ys.push_back(y);
    inner.stand_ins_.push_back(stand_in->output());
  }
  GradFlow flow(graph, region, hoist);
  if (rows_of_branches) flow.KeepRowsOfBranches();
  Status status =
      FlowBack({graph, region, ys, all, inner.stand_ins_, true}, flow);
  for (size_t i = 0; status.ok() && i < xs.size(); ++i) {
    Result<Value> total = flow.Total(xs[i]);
    status = total.status();
    inner.gradients_.push_back(total.ok() ? *total : Value());
  }
  for (const Value& x : apart) inner.parts_.push_back(flow.PartsOf(x));
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

Result<Value> InnerGradient::Call(const Value& beside, std::string_view op,
                                  std::span<const Value> inputs,
                                  const Attrs& attrs) {
  SL_ASSIGN_OR_RETURN(Node * node, AddBeside(*graph_, *region_, *beside.node,
                                             op, inputs, attrs));
  tail_.insert(node);
  return node->output();
}

std::vector<Value> InnerGradient::Roots() const {
  std::vector<Value> roots = wanted_;
  for (const Value& g : gradients_) {
    if (g) roots.push_back(g);
  }
  return roots;
}

std::vector<Node*> InnerGradient::Needed() const {
  std::unordered_set<const Node*> needed;
  for (const Value& root : Roots()) needed.insert(root.node);
  std::vector<Node*> tail = Tail(), kept;
  for (auto it = tail.rbegin(); it != tail.rend(); ++it) {
    if (!needed.count(*it) || !tail_.count(*it)) continue;
    kept.push_back(*it);
    for (const Value& v : InputsWithCaptures(**it)) needed.insert(v.node);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

std::vector<Node*> InnerGradient::TakeSizes() {
  std::vector<Node*> sizes;
  for (Node* node : Needed()) {
    const OpRecord& op = node->op();
    bool size = (op.shape_only && node->num_outputs() == 1 &&
                 IsInteger(node->output_type(0).dtype)) ||
                op.role == Role::kListSize;
    for (const Value& v : node->inputs()) size = size && Inside(v);
    if (size) sizes.push_back(node);
  }
  for (const Node* node : sizes) tail_.erase(node);
  return sizes;
}

std::vector<Value> InnerGradient::Residuals(const Elsewhere& elsewhere) {
  std::vector<Node*> sizes = TakeSizes();
  std::vector<Value> reads;
  ValueSet there = elsewhere.given, seen;
  there.insert(elsewhere.kept.begin(), elsewhere.kept.end());
  auto read = [&](const Value& v) {
    if (ConstantValue(v) || InTail(v)) return;
    there.insert(v);
    if (Inside(v) && seen.insert(v).second) reads.push_back(v);
  };
  for (Node* node : Needed()) {
    for (const Value& v : InputsWithCaptures(*node)) read(v);
  }
  for (const Value& root : Roots()) read(root);

  ComputeAgain again(*region_, there, elsewhere.around_free);
  ValueSet known = elsewhere.given;
  known.insert(elsewhere.kept.begin(), elsewhere.kept.end());
  std::vector<Value> residuals, open(reads.rbegin(), reads.rend());
  seen.clear();
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    if (!Inside(v) || ConstantValue(v) || !seen.insert(v).second) continue;
    if (known.count(v) || !again.Should(v)) {
      residuals.push_back(v);
      continue;
    }
    for (const Value& in : v.node->inputs()) open.push_back(in);
  }
  // A recomputed node need not be put back.
  for (Node* node : sizes) {
    if (again.Should(node->output())) tail_.insert(node);
  }
  return residuals;
}

void InnerGradient::CopyTo(Region& to, Graph::ValueMap& map) {
  Graph::NodeMap nodes;
  auto bring = [&](auto& self, const Value& v) -> void {
    if (map.count(v) || !Inside(v)) return;
    for (const Value& in : v.node->inputs()) self(self, in);
    graph_->CopyNode(*v.node, to, map, nodes);
  };
  for (Node* node : Needed()) {
    if (map.count(node->output())) continue;  // a stand-in
    for (const Value& v : InputsWithCaptures(*node)) bring(bring, v);
    graph_->CopyNode(*node, to, map, nodes);
  }
  for (const Value& root : Roots()) bring(bring, root);
}

void InnerGradient::Drop() {
  std::vector<Node*> tail = Tail();
  for (auto it = tail.rbegin(); it != tail.rend(); ++it) {
    if (tail_.count(*it)) graph_->Erase(**it);
  }
  tail_.clear();
}

}  // namespace sluice
