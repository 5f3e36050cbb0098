// Tests the parts of a tape: fused loops, planned memory, free views.
#include "sluice/tape/tape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/step/executor_test_util.h"

namespace sluice {
namespace {

std::string ExplainOf(const std::string& text) {
  PlanOptions options;
  auto plan = Plan::Build(MustParse(text), options);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  return (*plan)->Explain();
}

TEST(Tape, ElementwiseChainsBecomeOneLoop) {
  std::string text = ExplainOf(R"(graph g(%x: f32[1000], %c: f32[]) -> (%d) {
    %a = Add(%x, %c)
    %b = Tanh(%a)
    %d = Mul(%b, %x)
  })");
  EXPECT_NE(text.find("1 island with 3 nodes"), text.npos) << text;
  EXPECT_NE(text.find("fused loop [1000]: Add Tanh Mul"), text.npos) << text;
  EXPECT_NE(text.find("3 nodes in 1 instructions"), text.npos) << text;
}

TEST(Tape, UnrelatedKernelsDoNotSplitALoop) {
  std::string text = ExplainOf(R"(graph g(%x: f32[8,8]) -> (%d, %m) {
    %a = Add(%x, %x)
    %m = MatMul(%x, %x)
    %b = Neg(%a)
    %d = Mul(%b, %x)
  })");
  EXPECT_NE(text.find("fused loop [8,8]: Add Neg Mul"), text.npos) << text;
}

TEST(Tape, ExplainSaysWhyANodeIsAlone) {
  std::string text = ExplainOf(R"(graph g(%x: f32[?]) -> (%y, %z) {
    %y = Add(%x, %x)
    %z = NonZero(%x)
  })");
  EXPECT_NE(text.find("shape [?] unknown"), text.npos) << text;
}

TEST(Tape, ViewsCostNoInstruction) {
  std::string text = ExplainOf(R"(graph g(%x: f32[4,6]) -> (%s) {
    %a = Add(%x, %x)
    %t = Transpose(%a)
    %e = ExpandDims(%t) [axis = 0]
    %b = Mul(%e, %e)
    %s = Sum(%b) [axes = {0}]
  })");
  EXPECT_NE(text.find("5 nodes in 2 instructions"), text.npos) << text;
}

TEST(Tape, ALongChainOfKernelsNeedsTwoBuffers) {
  Graph graph("chain");
  Value x = *graph.AddArg(graph.root(), "x", {DType::kF32, Shape{1, 4096}});
  for (int i = 0; i < 100; ++i) {
    x = (*graph.Add(graph.root(), "Softmax", std::vector<Value>{x}, {}))
            ->output();
  }
  graph.SetResults(graph.root(), {x});
  PlanOptions options;
  auto plan = *Plan::Build(graph.Clone(), options);
  const auto* tape = dynamic_cast<const Tape*>(plan->info(0).piece.get());
  ASSERT_TRUE(tape);
  EXPECT_LE(tape->arena_bytes(), 2 * 4 * 4096);
}

TEST(Tape, BroadcastsAndStridedOperandsFuse) {
  auto graph =
      MustParse(R"(graph g(%x: f32[3,1,5], %y: f32[4,1], %z: f32[5,4]) -> (%d) {
    %t = Transpose(%z)
    %a = Add(%x, %y)
    %b = Mul(%a, %t)
    %d = Sub(%b, %y)
  })");
  std::vector<Array> args;
  for (Shape s : {Shape{3, 1, 5}, Shape{4, 1}, Shape{5, 4}}) {
    Array a = *Array::Make(DType::kF32, s);
    for (int64_t i = 0; i < s.num_elements(); ++i)
      a.mutable_data<float>()[i] = static_cast<float>(i * 3 % 7) - 2.5f;
    args.push_back(a);
  }
  ExpectAllAgree(*graph, args);
}

// Every tile op, in both operand orders, with scalars, NaN, infinities and
// signed zeros: the register chain must give the same bits as the single ops.
TEST(Tape, TileChainsEqualTheOpsToTheBit) {
  const float values[] = {0.0f,      -0.0f, 1.5f,  -2.25f, INFINITY,
                          -INFINITY, NAN,   3e38f, 1e-40f};
  const char* binary[] = {"Add", "Sub", "Mul", "Maximum", "Minimum"};
  const char* unary[] = {"Neg", "Abs", "Square", "Relu"};
  for (int64_t n : {1, 3, 9, 64, 67, 200, 5000}) {
    Array x = *Array::Make(DType::kF32, Shape({n})),
          y = *Array::Make(DType::kF32, Shape({n}));
    for (int64_t i = 0; i < n; ++i) {
      x.mutable_data<float>()[i] = values[i % 9];
      y.mutable_data<float>()[i] = values[(i / 9 + i) % 9];
    }
    for (const char* b : binary) {
      for (const char* u : unary) {
        Graph graph("g");
        Region& root = graph.root();
        Value vx = *graph.AddArg(root, "x", {DType::kF32, Shape({n})});
        Value vy = *graph.AddArg(root, "y", {DType::kF32, Shape({n})});
        Value c = *graph.AddArg(root, "c", {DType::kF32, Shape()});
        auto add = [&](const char* op, std::vector<Value> in) {
          return (*graph.Add(root, op, in, {}))->output();
        };
        Value v = add(b, {vx, vy});
        v = add(u, {v});
        v = add(b, {v, c});
        v = add(b, {vy, v});
        v = add(b, {c, v});
        v = add(u, {v});
        graph.SetResults(root, {v});
        SCOPED_TRACE(StrCat(b, " ", u, " ", n));
        ExpectAllAgree(graph, {x, y, Array::Scalar(-1.0f)});
      }
    }
  }
}

}  // namespace
}  // namespace sluice
