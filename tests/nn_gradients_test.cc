// Gradients of neural network ops where differences say nothing: at the ends of
// what they are defined for and far out. None of them may be NaN there, to
// second order.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/strings.h"
#include "sluice/reference/reference_interpreter.h"
#include "tests/sweep_cases.h"

namespace sluice {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Orders {
  std::vector<RefArray> first, second;
};

// The gradients of the sum of output 0, and those of the sum of their squares,
// by all floating-point inputs.
Result<Orders> OrdersOf(std::string_view op, const Attrs& attrs,
                        const std::vector<Array>& inputs) {
  Graph graph("orders");
  std::vector<Value> in, xs;
  std::vector<Array> args;
  auto add = [&](std::string_view name, std::vector<Value> operands,
                 const Attrs& with = {}) -> Result<Value> {
    SL_ASSIGN_OR_RETURN(Node * node,
                        graph.Add(graph.root(), name, operands, with));
    return node->output();
  };
  for (const Array& array : inputs) {
    SL_ASSIGN_OR_RETURN(
        Value v, graph.AddArg(graph.root(), StrCat("x", in.size()),
                              {array.dtype(), PartialShape(array.shape())}));
    in.push_back(v);
    args.push_back(array);
    if (kFloats.contains(array.dtype())) xs.push_back(v);
  }
  SL_ASSIGN_OR_RETURN(Value y, add(op, in, attrs));
  SL_ASSIGN_OR_RETURN(Value loss, add("Sum", {y}));
  GradientOptions zeros{.zeros_when_unconnected = true};
  SL_ASSIGN_OR_RETURN(std::vector<Value> dx,
                      Gradients(graph, {&loss, 1}, xs, {}, zeros));
  std::vector<Value> parts;
  for (const Value& d : dx) {
    SL_ASSIGN_OR_RETURN(Value square, add("Square", {d}));
    SL_ASSIGN_OR_RETURN(Value sum, add("Sum", {square}));
    parts.push_back(sum);
  }
  SL_ASSIGN_OR_RETURN(Value bend, add("AddN", parts));
  SL_ASSIGN_OR_RETURN(std::vector<Value> dxx,
                      Gradients(graph, {&bend, 1}, xs, {}, zeros));
  std::vector<Value> results = dx;
  results.insert(results.end(), dxx.begin(), dxx.end());
  graph.SetResults(graph.root(), results);
  StepContext step;
  SL_ASSIGN_OR_RETURN(std::vector<Array> got, Interpret(graph, args, step));
  Orders orders;
  for (size_t i = 0; i < got.size(); ++i) {
    (i < xs.size() ? orders.first : orders.second).push_back(ToRef(got[i]));
  }
  return orders;
}

Orders ExpectNumbers(std::string_view op, const Attrs& attrs,
                     const std::vector<Array>& inputs) {
  SCOPED_TRACE(op);
  Result<Orders> orders = OrdersOf(op, attrs, inputs);
  EXPECT_TRUE(orders.ok()) << orders.status().ToString();
  if (!orders.ok()) return {};
  for (const auto* list : {&orders->first, &orders->second}) {
    for (const RefArray& array : *list) {
      for (double v : array.v) EXPECT_TRUE(std::isfinite(v)) << v;
    }
  }
  return *orders;
}

TEST(NnGradients, BceLossOfCertainty) {
  Orders o = ExpectNumbers(
      "BceLoss", {{"reduction", "sum"}},
      {Array::Vector<float>({0, 1, 0, 1}), Array::Vector<float>({0, 1, 1, 0})});
  // As PyTorch has it: (x - target) over x (1 - x), which is held above 1e-12.
  std::vector<double> wanted = {0, 0, -1e12, 1e12};
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_FLOAT_EQ(o.first.at(0).v[i], wanted[i]);
  }
}

TEST(NnGradients, KlDivLossOfATargetOfZero) {
  Orders o = ExpectNumbers(
      "KlDivLoss", {{"reduction", "sum"}},
      {Array::Vector<float>({1, 2}), Array::Vector<float>({0, 1})});
  EXPECT_EQ(o.first.at(0).v, (std::vector<double>{0, -1}));
  EXPECT_EQ(o.first.at(1).v, (std::vector<double>{0, -1}));
}

TEST(NnGradients, CosineSimilarityOfNothing) {
  ExpectNumbers("CosineSimilarity", {{"epsilon", 1e-3}},
                {Array::Vector<float>({0, 0}), Array::Vector<float>({1, 2})});
}

TEST(NnGradients, ActivationsFarOut) {
  Array x = Array::Vector<float>({-1e30f, -90, 0, 90, 1e30f});
  for (const char* op :
       {"Celu", "Elu", "Gelu", "HardSwish", "LogSigmoid", "Mish", "Selu",
        "Silu", "Softplus", "Softsign", "TanhShrink"}) {
    Orders o = ExpectNumbers(op, {}, {x});
    for (size_t i : {0, 1, 3, 4}) EXPECT_NEAR(o.second.at(0).v[i], 0, 1e-3);
  }
  ExpectNumbers("Gelu", {{"approximate", "tanh"}}, {x});
  // Infinite inputs have slopes as well, where the gradient op knows them.
  ExpectNumbers("Gelu", {}, {Array::Vector<float>({-kInf, kInf})});
}

TEST(NnGradients, AttentionOfAQueryThatSeesNothing) {
  Array mask = Array::Zeros(DType::kBool, {2, 2});
  *static_cast<uint8_t*>(mask.mutable_raw()) = 1;  // query 0 sees key 0
  Array x = Array::Of<float>({2, 2}, {1, -2, 0.5f, 3});
  Orders o = ExpectNumbers("Attention", {}, {x, x, x, mask});
  EXPECT_EQ(o.first.at(2).v, (std::vector<double>{1, 1, 0, 0}));
  Array added = Array::Of<float>({2, 2}, {0, -kInf, -kInf, -kInf});
  o = ExpectNumbers("Attention", {}, {x, x, x, added});
  EXPECT_EQ(o.first.at(2).v, (std::vector<double>{1, 1, 0, 0}));
}

TEST(NnGradients, NormsOfEqualNumbers) {
  Array x = Array::Of<float>({2, 3}, {2, 2, 2, 0, 0, 0});
  Array scale = Array::Vector<float>({1, 2, 3});
  for (const char* op : {"LayerNorm", "BatchNorm", "InstanceNorm"}) {
    ExpectNumbers(op, {}, {x, scale, scale});
  }
  ExpectNumbers("RmsNorm", {}, {x, scale});
}

}  // namespace
}  // namespace sluice
