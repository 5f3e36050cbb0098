// The simulation of steps over many tasks: what it says can be counted by hand.
#include "benchmarks/simulated_step.h"

#include <gtest/gtest.h>

#include <memory>

#include "sluice/base/error.h"
#include "sluice/graph/text_parser.h"

namespace sluice::bench {
namespace {

SimulatedStep Simulated(const std::string& text, int64_t trips,
                        const StepCosts& costs) {
  std::unique_ptr<Graph> graph = ValueOrThrow(ParseGraph(text));
  return SimulateStep(ValueOrThrow(SplitByTask(*graph)), trips, costs);
}

constexpr StepCosts kCosts = {
    .op = 1, .send = 10, .receive = 100, .latency = 1000};

TEST(SimulatedStep, AMessageCostsSenderReceiverAndTheWayBetween) {
  SimulatedStep step = Simulated(R"(graph g(%x: f32[]) -> (%z) {
    %y = Neg(%x) on "/job:w/task:1"
    %z = Neg(%y) on "/job:w/task:0"
  })",
                                 0, kCosts);
  EXPECT_EQ(step.messages, 1);
  // Call, op, message, op; the answer of task 1 is taken after that.
  const double called = 10 + 1000 + 100, sent = called + 1 + 10;
  const double computed = sent + 1000 + 100 + 1;
  EXPECT_DOUBLE_EQ(step.seconds, computed + 100);
  EXPECT_DOUBLE_EQ(step.busy[0], 10 + 100 + 1 + 100);
  EXPECT_DOUBLE_EQ(step.busy[1], 1 + 10);
}

std::string Loop(int parallel) {
  return R"(graph g(%n: i64[]) -> (%s) {
    %zero = Const [value = 0 : i64[]]
    %one = Const [value = 0 : f32[]]
    %i, %y, %s = While(%zero, %one, %one)
        [dtypes = {i64, f32, f32}, parallel = )" +
         std::to_string(parallel) + R"(] {
      cond(%i: i64[], %y: f32[], %s: f32[]) {
        %c = NotEqual(%i, %n) on "/job:w/task:0"
        yield %c
      }
      body(%i: i64[], %y: f32[], %s: f32[]) {
        %j = Add(%i, 1) on "/job:w/task:0"
        %z = Add(%y, 1) on "/job:w/task:1"
        %t = Add(%s, %z) on "/job:w/task:0"
        yield %j, %z, %t
      }
    }
  })";
}

TEST(SimulatedStep, ALoopTellsThePredicateInEveryRound) {
  constexpr int64_t kTrips = 50;
  SimulatedStep turns = Simulated(Loop(1), kTrips, kCosts);
  EXPECT_EQ(turns.messages, 2 * kTrips + 1) << "the last one says that it ends";
  // In turns: two messages, one after the other, and the ops around them.
  const double round = turns.loop / kTrips;
  EXPECT_GE(round, 2 * (10 + 1000 + 100));
  EXPECT_LE(round, 2 * (10 + 1000 + 100) + 100);
  // Many at a time: what one task does, while messages are on their way.
  SimulatedStep many = Simulated(Loop(32), kTrips, kCosts);
  EXPECT_EQ(many.messages, turns.messages);
  EXPECT_LE(many.loop / kTrips, 2 * (10 + 100) + 2 * 1110.0 / kTrips + 10);
}

TEST(SimulatedStep, IterationsWithoutMessagesAreAsLongAsTheirOps) {
  SimulatedStep step = Simulated(R"(graph g(%n: i64[]) -> (%i) {
    %zero = Const [value = 0 : i64[]]
    %i = While(%zero) [dtypes = {i64}] {
      cond(%i: i64[]) {
        %c = NotEqual(%i, %n) on "/job:w/task:0"
        yield %c
      }
      body(%i: i64[]) {
        %j = Add(%i, 1) on "/job:w/task:0"
        yield %j
      }
    }
  })",
                                 10, kCosts);
  EXPECT_EQ(step.messages, 0);
  EXPECT_DOUBLE_EQ(step.loop, 10 * 2 + 1);
  EXPECT_DOUBLE_EQ(step.seconds, 10 * 2 + 1);
}

}  // namespace
}  // namespace sluice::bench
