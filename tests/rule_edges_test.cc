// Gradient rules where differences say nothing: at kinks and ties, at zeros,
// beside infinities, at matrices that are singular or have equal eigenvalues.
#include <gtest/gtest.h>

#include <cmath>

#include "sluice/autodiff/gradients.h"
#include "sluice/reference/reference_interpreter.h"

namespace sluice {
namespace {

using Numbers = std::vector<double>;
constexpr double kInf = HUGE_VAL;

Array Of(const Shape& shape, const Numbers& v) {
  Array a = Array::Zeros(DType::kF64, shape);
  std::copy(v.begin(), v.end(), a.mutable_data<double>());
  return a;
}
Array Of(const Numbers& v) {
  return Of(Shape{static_cast<int64_t>(v.size())}, v);
}

// The gradient of one input, given what flows into output `out`.
Result<Numbers> Pull(const char* op, const Attrs& attrs,
                     const std::vector<Array>& inputs, size_t input,
                     const Array& dy, int out = 0) {
  Graph graph("rule_edges");
  std::vector<Value> args;
  auto arg = [&](const Array& a) {
    return graph.AddArg(graph.root(), "x" + std::to_string(args.size()),
                        {a.dtype(), PartialShape(a.shape())});
  };
  for (const Array& in : inputs) {
    SL_ASSIGN_OR_RETURN(Value v, arg(in));
    args.push_back(v);
  }
  SL_ASSIGN_OR_RETURN(Value flow, arg(dy));
  SL_ASSIGN_OR_RETURN(Node * node, graph.Add(graph.root(), op, args, attrs));
  Value y = node->output(out);
  SL_ASSIGN_OR_RETURN(std::vector<Value> dx,
                      Gradients(graph, {&y, 1}, {&args[input], 1}, {&flow, 1}));
  graph.SetResults(graph.root(), dx);
  std::vector<Array> values = inputs;
  values.push_back(dy);
  StepContext step;
  SL_ASSIGN_OR_RETURN(std::vector<Array> got, Interpret(graph, values, step));
  Array flat = *got[0].AsContiguous();
  const double* v = flat.data<double>();
  return Numbers(v, v + flat.num_elements());
}

void ExpectNear(const Result<Numbers>& got, const Numbers& want,
                double tolerance = 1e-12) {
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  ASSERT_EQ(got->size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan((*got)[i])) << "element " << i;
    } else {
      EXPECT_NEAR((*got)[i], want[i], tolerance) << "element " << i;
    }
  }
}

TEST(RuleEdges, TiesShareEvenly) {
  Array x = Of({1, 3, 3, 0}), one = Of(Shape(), {1});
  ExpectNear(Pull("Max", {}, {x}, 0, one), {0, 0.5, 0.5, 0});
  ExpectNear(Pull("Min", {}, {Of({1, 1, 2})}, 0, one), {0.5, 0.5, 0});
  Array a = Of({1, 2, 3}), b = Of({2, 2, 2}), dy = Of({1, 1, 1});
  ExpectNear(Pull("Maximum", {}, {a, b}, 0, dy), {0, 0.5, 1});
  ExpectNear(Pull("Maximum", {}, {a, b}, 1, dy), {1, 0.5, 0});
  ExpectNear(Pull("Minimum", {}, {a, b}, 0, dy), {1, 0.5, 0});
  ExpectNear(Pull("Norm", {{"p", kInf}}, {Of({-2, 2, 1})}, 0, one),
             {-0.5, 0.5, 0});
}

TEST(RuleEdges, RunningLargestGoesToTheLastOfThoseThatTie) {
  Array x = Of({1, 3, 3, 2, 4}), dy = Of({1, 2, 4, 8, 16});
  ExpectNear(Pull("CumMax", {}, {x}, 0, dy), {1, 2, 12, 0, 16});
  ExpectNear(Pull("CumMax", {{"reverse", true}}, {x}, 0, dy), {0, 0, 0, 0, 31});
  ExpectNear(Pull("CumMin", {}, {Of({2, 1, 3, 1})}, 0, Of({1, 2, 4, 8})),
             {1, 6, 0, 8});
}

TEST(RuleEdges, KinksOfLengthsAreZero) {
  Array zeros = Of({0, 0}), one = Of(Shape(), {1});
  for (double p : {1.0, 2.0, 3.0, 1.5}) {
    ExpectNear(Pull("Norm", {{"p", p}}, {zeros}, 0, one), {0, 0});
  }
  ExpectNear(Pull("Hypot", {}, {zeros, zeros}, 0, Of({1, 1})), {0, 0});
  ExpectNear(Pull("Std", {}, {Of({5, 5, 5})}, 0, one), {0, 0, 0});
  ExpectNear(Pull("Abs", {}, {Of({0, -2})}, 0, Of({1, 1})), {0, -1});
}

TEST(RuleEdges, ClipPassesAtItsBounds) {
  Attrs attrs = {{"min", -1.0}, {"max", 1.0}};
  ExpectNear(
      Pull("Clip", attrs, {Of({-2, -1, 0, 1, 2})}, 0, Of({1, 1, 1, 1, 1})),
      {0, 1, 1, 1, 0});
}

TEST(RuleEdges, PowersOfZeroAndOfNegativeNumbers) {
  Array a = Of({0, 0, 0, -2}), b = Of({2, 1, 0, 3}), dy = Of({1, 1, 1, 1});
  ExpectNear(Pull("Pow", {}, {a, b}, 0, dy), {0, 1, 0, 12});
  ExpectNear(Pull("Pow", {}, {a, b}, 1, dy), {0, 0, 0, 0});
}

TEST(RuleEdges, NothingFlowsWhereNothingFlowsIn) {
  Array zero = Of({0, 0}), dy = Of({0, 1});
  ExpectNear(Pull("Log1p", {}, {Of({-1, 1})}, 0, dy), {0, 0.5});
  ExpectNear(Pull("Acos", {}, {Of({1, 0})}, 0, dy), {0, -1});
  ExpectNear(Pull("Cbrt", {}, {Of({0, 1})}, 0, dy), {0, 1 / 3.0});
  ExpectNear(Pull("Atan2", {}, {zero, Of({0, 1})}, 0, dy), {0, 1});
  ExpectNear(Pull("Reciprocal", {}, {Of({0, 1})}, 0, dy), {0, -1});
  ExpectNear(Pull("Cosh", {}, {Of({2000, 0})}, 0, dy), {0, 0});
  ExpectNear(Pull("LogAddExp", {}, {Of({-kInf, 0}), Of({-kInf, 0})}, 0, dy),
             {0, 0.5});
  Array ones = Of({1, 1});
  ExpectNear(Pull("Xlogy", {}, {zero, Of({0, -1})}, 0, ones), {0, 0});
  ExpectNear(Pull("Xlogy", {}, {zero, Of({0, 2})}, 1, ones), {0, 0});
}

TEST(RuleEdges, LogsOfRunningSums) {
  double y = 2 + std::log1p(std::exp(-1.0));  // of 1 and 2
  ExpectNear(Pull("LogCumSumExp", {{"exclusive", true}}, {Of({1, 2, 3})}, 0,
                  Of({5, 1, 1})),
             {1 + std::exp(1 - y), std::exp(2 - y), 0});
  ExpectNear(Pull("LogCumSumExp", {{"exclusive", true}, {"reverse", true}},
                  {Of({3, 2, 1})}, 0, Of({1, 1, 5})),
             {0, std::exp(2 - y), 1 + std::exp(1 - y)});
  ExpectNear(Pull("LogCumSumExp", {}, {Of({-kInf, 0, 0})}, 0, Of({1, 1, 1})),
             {0, 1.5, 0.5});
  // exp of neither is a number.
  ExpectNear(
      Pull("LogCumSumExp", {}, {Of({-1000, 1000, -1000})}, 0, Of({1, 1, 1})),
      {1, 2, 0});
}

TEST(RuleEdges, DeterminantsOfSingularMatrices) {
  Array one = Of(Shape(), {1}), x = Of({2, 2}, {1, 2, 2, 4});
  ExpectNear(Pull("Det", {}, {x}, 0, one), {4, -2, -2, 1}, 1e-6);
  ExpectNear(Pull("Det", {}, {Of({3, 3}, Numbers(9, 0.0))}, 0, one),
             Numbers(9, 0.0));
  ExpectNear(Pull("LogDet", {}, {x}, 0, one, 1), Numbers(4, NAN));
  ExpectNear(Pull("LogDet", {}, {x}, 0, Of(Shape(), {0}), 1), Numbers(4, 0.0));
}

TEST(RuleEdges, EqualSingularValues) {
  Array unit = Of({2, 2}, {1, 0, 0, 1}), dy = Of({2, 2}, {1, 2, 3, 4});
  ExpectNear(Pull("Eigh", {}, {unit}, 0, Of({1, 1})), {1, 0, 0, 1});
  ExpectNear(Pull("Svd", {}, {unit}, 0, Of({1, 1}), 1), {1, 0, 0, 1});
  for (double rcond : {-1.0, 0.5}) {
    ExpectNear(Pull("Pinv", {{"rcond", rcond}}, {unit}, 0, dy),
               {-1, -2, -3, -4});
  }
}

TEST(RuleEdges, VectorsThatAreNotUniqueHaveNone) {
  Array x = Of({3, 1}, {1, 2, 3});
  Result<Numbers> got =
      Pull("Qr", {{"full", true}}, {x}, 0, Of({3, 3}, Numbers(9, 1.0)));
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.status().message().find(
                "[Qr] columns of q that x does not determine"),
            std::string::npos)
      << got.status().ToString();
}

}  // namespace
}  // namespace sluice
