#include "sluice/step/random_flow_test_util.h"

namespace sluice {

ValueType TypeOf(FlowKind kind) {
  switch (kind) {
    case FlowKind::kFloat:
      return {DType::kF32, Shape()};
    case FlowKind::kVector:
      return {DType::kF32, PartialShape({kUnknownDim})};
    case FlowKind::kInt:
      return {DType::kI32, Shape()};
    case FlowKind::kList:
      return {DType::kList, Shape()};
    case FlowKind::kBool:
      break;
  }
  return {DType::kBool, Shape()};
}

Array FlowDice::Constant(FlowKind kind) {
  auto number = [&] { return static_cast<float>(Pick(65) - 32) / 16; };
  switch (kind) {
    case FlowKind::kFloat:
      return Array::Scalar<float>(number());
    case FlowKind::kList:
    case FlowKind::kVector: {
      Array a = *Array::Make(DType::kF32, Shape({Pick(4)}));
      for (int64_t i = 0; i < a.num_elements(); ++i) {
        a.mutable_data<float>()[i] = number();
      }
      return a;
    }
    case FlowKind::kInt:
      return Array::Scalar<int32_t>(Pick(5));
    case FlowKind::kBool:
      break;
  }
  return Array::Scalar<bool>(Pick(2) == 0);
}

const std::vector<FlowOp>& FlowOps() {
  using enum FlowKind;
  using Ints = std::vector<int64_t>;
  static const auto* ops = new std::vector<FlowOp>{
      {"Add", {kFloat, kFloat}, kFloat},
      {"Sub", {kFloat, kFloat}, kFloat},
      {"Mul", {kFloat, kFloat}, kFloat},
      {"Tanh", {kFloat}, kFloat},
      {"Sum", {kVector}, kFloat, {{"axes", Ints{0}}}},
      {"Mul", {kVector, kFloat}, kVector},
      {"Tanh", {kVector}, kVector},
      {"Add", {kVector, kFloat}, kVector},
      {"Neg", {kVector}, kVector},
      {"Add", {kInt, kInt}, kInt},
      {"Sub", {kInt, kInt}, kInt},
      {"Neg", {kInt}, kInt},
      {"Less", {kInt, kInt}, kBool},
      {"Greater", {kFloat, kFloat}, kBool},
      {"LogicalNot", {kBool}, kBool},
      {"LogicalAnd", {kBool, kBool}, kBool},
      {"ListAppend", {kList, kFloat}, kList},
      {"ListUnstack", {kVector}, kList},
      {"ListStack",
       {kList},
       kVector,
       {{"dtype", DType::kF32}, {"shape", PartialShape(Shape())}}},
  };
  return *ops;
}

void SetParallel(Graph& graph, int64_t parallel) {
  auto visit = [&](const auto& self, Region& region) -> void {
    for (Node* node : region.nodes()) {
      Flow flow = node->op().flow;
      if (flow == Flow::kLoop || flow == Flow::kEnter) {
        graph.SetAttr(*node, "parallel", parallel);
      }
      for (const auto& inner : node->regions()) self(self, *inner);
    }
  };
  visit(visit, graph.root());
}

void CountOps(const Region& region, std::map<std::string, int>& counts) {
  for (const Node* node : region.nodes()) {
    ++counts[node->op().name];
    for (const auto& inner : node->regions()) CountOps(*inner, counts);
  }
}

}  // namespace sluice
