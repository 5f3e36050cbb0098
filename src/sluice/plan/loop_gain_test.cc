#include "sluice/plan/loop_gain.h"

#include <gtest/gtest.h>

#include "sluice/graph/text_parser.h"

namespace sluice {
namespace {

// Tanh takes long, all other ops almost no time.
double Measured(const Node& node) {
  return node.op().name == "Tanh" ? 100'000 : 10;
}

class LoopGain : public ::testing::Test {
 protected:
  const Node& Loop(const std::string& body) {
    Result<std::unique_ptr<Graph>> graph = ParseGraph(
        "graph g(%n: i32[], %x: f32[8], %w: f32[8]) -> (%i, %y) {\n"
        "  %i, %y = While(%n, %x) [dtypes = {i32, f32}] {\n"
        "    cond(%i: i32[], %v: f32[8]) { %p = Less(%i, %n) yield %p }\n"
        "    body(%i: i32[], %v: f32[8]) {\n"
        "      %one = Const [value = 1]\n"
        "      %j = Add(%i, %one)\n" +
        body + "    }\n  }\n}");
    EXPECT_TRUE(graph.ok()) << graph.status().message();
    graphs_.push_back(std::move(*graph));
    return *graphs_.back()->FindNode("i");
  }
  static PlanOptions Threads(int threads) {
    PlanOptions options;
    options.threads = threads;
    options.measured_nanos = Measured;
    return options;
  }
  std::vector<std::unique_ptr<Graph>> graphs_;
};

constexpr char kApart[] = R"(
      %f = Cast(%i) [dtype = f32]
      %a = Mul(%w, %f)
      %b = Tanh(%a)
      %u = Add(%v, %b)
      yield %j, %u
)";
constexpr char kChain[] = R"(
      %b = Tanh(%v)
      %u = Add(%b, %w)
      yield %j, %u
)";

TEST_F(LoopGain, WhatIterationsWaitForIsTheLongestWayRound) {
  LoopTimes apart = TimesOf(Loop(kApart), Measured);
  EXPECT_GE(apart.iteration_ns, 100'000);
  EXPECT_LT(apart.wait_ns, 1'000);
  EXPECT_EQ(apart.shared_ns, 100'000);
  LoopTimes chain = TimesOf(Loop(kChain), Measured);
  EXPECT_GE(chain.wait_ns, 100'000);
}

TEST_F(LoopGain, LoopsRunInParallelWhereThatPays) {
  std::string why = WhyInParallel(Loop(kApart), Threads(2));
  EXPECT_NE(why.find("iterations run in parallel"), std::string::npos) << why;
  EXPECT_EQ(WhyInParallel(Loop(kApart), Threads(1)), "");
  EXPECT_EQ(WhyInParallel(Loop(kChain), Threads(2)), "");
  // Nothing measured, and by estimate a short loop.
  PlanOptions short_loop = Threads(2);
  short_loop.measured_nanos = nullptr;
  EXPECT_EQ(WhyInParallel(Loop(kApart), short_loop), "");
}

TEST_F(LoopGain, ThePlanSaysSo) {
  (void)Loop(kApart);
  Result<std::shared_ptr<const Plan>> plan =
      Plan::Build(std::move(graphs_.back()), Threads(2));
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_NE((*plan)->Explain().find("iterations run in parallel"),
            std::string::npos)
      << (*plan)->Explain();
}

}  // namespace
}  // namespace sluice
